// The messages of the command line, and how a command ends when no process reads its output.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import packageJson from '../../package.json' with { type: 'json' };
import { platformDirectory } from '../../server/data-location.ts';
import { listLanAddresses } from '../../server/lib/own-address.ts';
import { type CommandResult, exitOf, spawnCommand } from '../support/gateway-process.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { openTestSite } from './test-site.ts';

function start(...args: string[]) {
  const child = spawnCommand(args);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function run(...args: string[]): Promise<CommandResult> {
  const child = start(...args);
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  return { ...exit, stdout, stderr };
}

test('--version prints the version of the package', async () => {
  expect(await run('--version')).toMatchObject({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

test('help marks required options, names the data directory, and shows numbers as numbers', async () => {
  const help = async (...args: string[]) => (await run(...args, '--help')).stdout.replace(/\s+/g, ' ');
  const commands = [['keys', 'create'], ['administrations', 'set'], ['records'], ['refusals']];
  const [create = '', rename = '', ...lists] = await Promise.all(commands.map(async (command) => help(...command)));
  for (const option of ['--mode', '--label']) expect(create).toMatch(new RegExp(`${option} [^-]*; required `));
  expect(rename).toMatch(/--administration [^-]*\(required\) -/);
  expect(rename.match(/\(required\)/g)).toHaveLength(1);
  expect(create).toContain(`(default: COUNTERFOIL_DATA, or else ${platformDirectory()})`);
  for (const list of lists) expect(list).toContain('the maximum number of entries (default: 50)');
});

/** Starts a gateway on free ports. Resolves to its output up to the text `last`. */
async function startText(dataDir: string, last: string, ...flags: string[]): Promise<string> {
  const child = start('serve', '--data', dataDir, '--port', '0', '--console-port', '0', ...flags);
  let printed = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    printed += String(part);
    if (printed.includes(last)) break;
  }
  child.kill('SIGTERM');
  await exitOf(child);
  return printed;
}

test('serve prints the addresses of both interfaces, and the base domain when there is one', async () => {
  const printed = await startText(temporaryFolder(), 'Stop it');
  expect(printed).toMatch(
    /for tills +http:\/\/127\.0\.0\.1:(\d+)\/v1\/raw_transactions\n +http:\/\/127\.0\.0\.1:\1\/v1\/transaction /,
  );
  expect(printed).not.toContain('base domain');
  expect(printed).toMatch(
    / only on this machine\. For tills on other machines: counterfoil lan on --till "Till 1" --data "[^"]+"\n/,
  );
  expect(await startText(temporaryFolder(), 'Stop it', '--base-domain', 'Tills.example.com')).toMatch(
    /base domain +tills\.example\.com /,
  );
});

test('a gateway that listens everywhere prints the address of this machine in its network', async () => {
  const open = ['--host', '0.0.0.0', '--plain-http', '--welcome'];
  const printed = await startText(temporaryFolder(), '-d ', ...open);
  const [own = 'THIS-MACHINE', ...others] = listLanAddresses();
  expect(printed).toMatch(new RegExp(`for tills +http://${own}:\\d+/v1/raw_transactions\\n`));
  expect(printed).toMatch(new RegExp(`described +http://${own}:`));
  for (const other of others) expect(printed).toMatch(new RegExp(`also at .*http://${other}:`));
  expect(printed).toMatch(/curl 'http:\/\/127\.0\.0\.1:/);
  expect(printed).not.toContain('0.0.0.0');
});

test('serve names the setting that keeps the network closed, and nothing to do while it is open', async () => {
  const closed = await startText(temporaryFolder(), 'Stop it', '--host', '127.0.0.1');
  expect(closed).toContain(' only on this machine. The setting host keeps the network closed.\n');
  expect(await startText(temporaryFolder(), 'Stop it', '--host', '0.0.0.0', '--plain-http')).not.toContain('only on');
});

test('after lan on, serve prints the HTTPS addresses for tills', async ({ skip }) => {
  if (listLanAddresses().length === 0) return skip('not run: this machine has no network interface');
  const dataDir = temporaryFolder();
  await run('lan', 'on', '--data', dataDir);
  const printed = await startText(dataDir, 'Stop it');
  expect(printed).toMatch(/for tills +https:\/\/\S+\/v1\/raw_transactions\n/);
  expect(printed).not.toContain('lan on');
});

test('a later npm start names the command for more keys in the same data directory', async () => {
  const dataDir = temporaryFolder();
  await startText(dataDir, '-d ', '--welcome');
  expect(await startText(dataDir, '--help', '--welcome')).toContain(`keys create --data "${dataDir}" --help`);
});

test('keys create names a new data directory, and says nothing about an existing one', async () => {
  const dataDir = join(temporaryFolder(), 'new');
  const create = (label: string, ...more: string[]) =>
    run('keys', 'create', '--administration', 'Bakery', '--mode', 'test', '--label', label, '--data', dataDir, ...more);
  const first = await create('Till 1');
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`A new data directory was created: ${dataDir}.`),
  });
  expect(first.stdout).toMatch(
    /It is shown only now:\ntest_\w+\n\nWhen the gateway runs, this shows the address for the till: .* lan status/,
  );
  expect(await create('Till 2', '--json')).toMatchObject({ code: 0, stderr: '' });
});

test.each(['lan on', 'users add --name Ann --role manager'])('%s names a new data directory too', async (command) => {
  const dataDir = join(temporaryFolder(), 'new');
  const child = spawnCommand([...command.split(' '), '--data', dataDir], 'correct horse battery\n');
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stderr, { code }] = await Promise.all([text(child.stderr), exitOf(child), text(child.stdout)]);
  expect([code, stderr]).toEqual([
    0,
    `A new data directory was created: ${dataDir}. Start the gateway with the same one.\n`,
  ]);
  expect(await run('lan', 'on', '--data', dataDir)).toMatchObject({ code: 0, stderr: '' });
});

test('an adopted key is not announced as shown once', async () => {
  const site = await openTestSite();
  const key = 'test_of-a-till-from-before';
  const till = ['--administration', 'Bakery', '--mode', 'test', '--label', 'Till 1'];
  const { code, stdout } = await site.run('keys', 'create', ...till, '--adopt', key);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Key 1 for Till 1 \(Bakery, test\)\. The till keeps using this key\.\n\nWhen the/),
  });
});

test.for(['keys list --json', 'keys list', 'records --json', '--help', 'serve --help'])(
  'if no process reads its output, the command ends quietly with 0: %s',
  async (command) => {
    const site = await openTestSite();
    await site.createKey('Till 1');
    const child = start(...command.split(' '), '--data', site.dataDir);
    child.stdout.destroy();
    const [stderr, { code }] = await Promise.all([text(child.stderr), exitOf(child)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  },
);

test('wrong usage ends with 2 even if no process reads stderr', async () => {
  const child = start();
  child.stderr.destroy();
  expect(await exitOf(child)).toEqual({ code: 2, signal: null });
});

test('a gateway keeps running if no process reads its output', async () => {
  const port = await freePort();
  const child = start('serve', '--data', temporaryFolder(), '--port', `${port}`, '--console-port', '0', '--json');
  child.stdout.destroy();
  const ended = Promise.all([text(child.stderr), exitOf(child)]);
  const isAlive = async (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isAlive).toBe(true);
  child.kill('SIGTERM');
  expect(await ended).toEqual(['', { code: 0, signal: null }]);
});

test('a gateway that is told to stop while it starts ends with 0', async () => {
  const dataDir = temporaryFolder();
  const child = start('serve', '--data', dataDir, '--port', '0', '--console-port', '0');
  const ended = Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  await expect.poll(() => existsSync(join(dataDir, 'counterfoil.db')), { interval: 1 }).toBe(true);
  child.kill('SIGTERM');
  const [stdout, stderr, end] = await ended;
  expect([stdout.includes('is running'), stderr, end]).toEqual([false, '', { code: 0, signal: null }]);
});

test('a data directory in an impossible place ends serve with 1 and one sentence', async (context) => {
  if (!existsSync('/proc/self')) return context.skip('not run: there is no /proc');
  for (const dataDir of ['/proc/counterfoil', '/proc']) {
    const { code, stdout, stderr } = await run('serve', '--data', dataDir, '--port', '0', '--console-port', '0');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^counterfoil: The data in \/proc\S* cannot be opened: .+\.\n$/);
  }
});
