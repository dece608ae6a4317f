// Problems of the gateway or its machine, as `status` and `serve` print them. Uses the real command line and a disk that is
// really full.

import { readdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { openStore } from '../../../server/store/open-store.ts';
import { generateSecret } from '../../../server/store/setup/key-secret.ts';
import { BUNDLE, exitOf, spawnProgram } from '../../support/gateway-process.ts';
import { bodyOf, call, postBody } from '../../support/http-call.ts';
import { flipBit, FRAME_BYTES, killGatewayAfter } from '../../support/killed-gateway.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { makeKey, temporaryFolder } from '../../support/temp-store.ts';

const NOT_RUN = 'not run: mounting a small disk needs root on Linux';
const INSTANT = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`;

/** The variables that shift the clock of a process by `ms`. */
const clockOff = (ms: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+(${ms})`,
});

async function openShop(dataDir: string, variables: NodeJS.ProcessEnv = {}) {
  const secret = generateSecret('production');
  const store = await openStore({ dataDir, role: 'command' });
  await makeKey(store, 'Till 1', { secret });
  await store.close();
  return shopAt(dataDir, secret, variables);
}

function shopAt(dataDir: string, secret = '', variables: NodeJS.ProcessEnv = {}) {
  async function run(...args: readonly string[]) {
    const child = spawnProgram(BUNDLE, [...args, '--data', dataDir], variables);
    const [stdout, stderr, { code }] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
    return { code, stdout, stderr };
  }

  async function serve(...flags: readonly string[]) {
    const args = ['serve', '--port', '0', '--console-port', '0', '--data', dataDir, ...flags];
    const child = spawnProgram(BUNDLE, args, variables);
    const exited = exitOf(child);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    onTestFinished(async () => {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await exited;
    });
    await expect.poll(() => said).toContain('Stop it with Ctrl-C');
    const url = /for tills +(\S+)\/v1/.exec(said)?.[1] ?? '';
    const consoleUrl = /metrics +(\S+)\/metrics/.exec(said)?.[1] ?? '';
    const sell = async (id: string, size = 0): Promise<number> => {
      const object = JSON.stringify({ text: 'x'.repeat(size) });
      return (await postBody(url, secret, bodyOf({ external_id: id, object }))).status;
    };
    return { child, said: () => said, url, consoleUrl, sell, secret };
  }
  return { run, serve };
}

/**
 * Fills the disk and sells until a sale is refused, then five times more, so that six calls are refused. Returns a function
 * that frees the disk.
 */
async function fillUp(disk: string, sell: (id: string, size?: number) => Promise<number>): Promise<() => void> {
  const filler = join(disk, 'filler');
  expect(() => writeFileSync(filler, Buffer.alloc(16 * 1024 * 1024))).toThrow(/ENOSPC/);
  let status = 201;
  for (let i = 0; i < 50 && status === 201; i++) status = await sell(`fill ${i}`, 100_000);
  expect(status).toBe(503);
  for (let i = 0; i < 5; i++) expect(await sell(`refused ${i}`)).toBe(503);
  return () => rmSync(filler);
}

test('on a full disk status and serve report it first, with what is safe and what to do, until there is space', async ({
  skip,
}) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip(NOT_RUN);
  const dataDir = join(disk, 'data');
  const { run, serve } = await openShop(dataDir);
  const { said, sell } = await serve();
  expect(await sell('first')).toBe(201);
  const nearly = await run('status');
  expect(nearly).toMatchObject({ code: 0, stderr: '' });
  expect(nearly.stdout).toMatch(
    /^The disk is nearly full: \d+\.\d MB of 12\.6 MB are free, .*Tills can still sell\. Free some space on the disk of /,
  );
  expect(said()).toMatch(/^The disk is nearly full: /);

  const free = await fillUp(disk, sell);
  const full = await run('status');
  expect(full).toMatchObject({ code: 1, stderr: '' });
  expect(full.stdout).toMatch(
    new RegExp(
      String.raw`^The disk is full: no sale has been accepted since ${INSTANT}\. 6 calls were refused; tills must send them again\. ` +
        String.raw`Every sale that was confirmed is safe\. Free at least [\d.]+ (kB|MB) on the disk of ${dataDir}; the gateway then continues automatically\.\n\nOnly tills on this machine can connect, at http:.*\n\nadministration `,
    ),
  );
  expect(full.stdout).not.toContain('nothing is lost');
  expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
    problems: [{ code: 'store_full', sentence: expect.stringContaining('The disk is full') }],
    journals: [{ records: { NEW: expect.any(Number) } }],
  });
  expect(said()).toMatch(/^The disk is full: no sale has been accepted since /m);
  expect((await run('refusals')).stdout).toMatch(
    /^6 more calls were refused and are not listed yet\. They appear once the disk can be written\.\n\n/,
  );

  free();
  await expect.poll(() => sell('after')).toBe(201);
  expect(said()).toMatch(
    /^Sales are accepted again\. \d+ calls were refused meanwhile: counterfoil refusals lists them\.$/m,
  );
  expect(await run('status')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The disk is nearly full/) });
  await expect.poll(async () => (await run('refusals')).stdout).toMatch(/ Till 1 .* store_full +The disk is full/);
});

test('on a full disk /health answers 503 with the trouble, and /metrics has it in numbers', async ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip(NOT_RUN);
  const { serve } = await openShop(join(disk, 'data'));
  const { sell, consoleUrl } = await serve();
  expect(await sell('first')).toBe(201); // without a call, the time until the disk is full cannot be estimated
  await fillUp(disk, sell);
  const health = await call(`${consoleUrl}/health`);
  expect(health.status).toBe(503);
  expect(health.json()).toMatchObject({ trouble: { code: 'store_full' }, unwrittenRefusals: 6 });
  const readMetrics = async () => (await call(`${consoleUrl}/metrics`)).text;
  await expect.poll(readMetrics).toMatch(/^counterfoil_disk_days_left \d+$/m); // the disk has been checked again
  const metrics = await readMetrics();
  expect(metrics).toMatch(/^counterfoil_disk_free_bytes \d+$/m);
  expect(metrics).toMatch(/^counterfoil_store_taking 0$/m);
  expect(metrics).toMatch(/^counterfoil_refusals_unwritten 6$/m);
});

test('a full disk is reported without a gateway too', async ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip(NOT_RUN);
  const { run } = await openShop(join(disk, 'data'));
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - 50_000));
  const result = await run('status');
  expect(result).toMatchObject({ code: 1, stderr: '' });
  expect(result.stdout).toMatch(
    /^The disk is full: \d+ kB are free on the disk of .*, and no sale can be accepted\. Free some space\.\n/,
  );
});

test('serve and status report a damaged log first, with the copies, until they are moved away', async () => {
  const { dataDir, wal } = await killGatewayAfter(20);
  flipBit(wal, 32 + 30 * FRAME_BYTES + 24 + 2000);
  const { run, serve } = shopAt(dataDir);
  const refused = await run('status');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toBe(
    `counterfoil: The write-ahead log in ${dataDir}, which holds the last sales, is damaged. Start the gateway: it keeps copies and saves what can be read. Nothing was changed.\n`,
  );

  const { said, consoleUrl } = await serve();
  const folder = readdirSync(dataDir).find((name) => name.startsWith('damaged-log-')) ?? '';
  const sentence = new RegExp(
    String.raw`^At the start on ${INSTANT} the write-ahead log, which holds the last sales, was damaged\. It is fully repaired: no sale is missing\. ` +
      String.raw`Check the disk\. Copies of the log and the database are in ${join(dataDir, folder)}\. This notice ends when that folder is moved away\.\n`,
  );
  const copy = `The data in ${dataDir} are a copy, were moved here or come from an earlier version. The gateway first reads all of them. Tills can send after that.\n\n`;
  expect(said().replace(copy, '')).toMatch(sentence);
  expect(readFileSync(join(dataDir, 'logs', 'counterfoil.log'), 'utf8')).toContain('It is fully repaired');
  const { stdout } = await run('status');
  expect(stdout).toMatch(sentence);
  expect((await call(`${consoleUrl}/health`)).json()).toMatchObject({
    machine: { walDamage: { kind: 'repaired', folder } },
  });
  renameSync(join(dataDir, folder), join(temporaryFolder(), folder));
  expect((await run('status')).stdout).toMatch(/^Only tills on this machine can connect, .*\n\nadministration /);
});

test('status reports a gateway that runs and does not answer first', async () => {
  const { run, serve } = await openShop(temporaryFolder());
  const { child } = await serve();
  expect(await run('status')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Only tills on this machine can connect, .*\n\nadministration /),
  });
  child.kill('SIGSTOP');
  const result = await run('status');
  expect(result.stdout).toMatch(
    /^The gateway runs but does not answer at http:\S+, so tills may not be able to send\. Restart it if this continues\.\n/,
  );
  expect(result.code).toBe(1);
});

test('status and serve report a clock at 1970 first, and no till is blamed', async () => {
  const { run, serve } = await openShop(temporaryFolder(), clockOff(-Date.now() + 3 * 60_000));
  const { said, sell, consoleUrl } = await serve();
  const wrong =
    /^The clock of this machine is wrong: it shows 1970-01-01 00:0\d:\d\dZ, but this program was built on \d{4}-\d\d-\d\d\. Set the clock\. Sales are accepted as usual, and no till clock is reported as wrong\.\n\n/;
  expect(said()).toMatch(wrong);
  expect(await sell('a')).toBe(201);
  const result = await run('status');
  expect(result.stdout).toMatch(wrong);
  expect(result.stdout).toMatch(/No upstream address is set.* 1 record waits; nothing is lost\.\n$/);
  expect(result.code).toBe(1);
  expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({ problems: [{ code: 'clock_wrong' }] });
  expect(JSON.parse((await run('records', '--json')).stdout)).toMatchObject([{ external_id: 'a', clock: 'gateway' }]);
  expect((await call(`${consoleUrl}/metrics`)).text).toMatch(/^counterfoil_clock_wrong 1$/m);
  expect((await call(`${consoleUrl}/health`)).json()).toMatchObject({ machine: { clock: { code: 'before_build' } } });
});

test('status reports a clock before the newest record, also without a gateway', async () => {
  const dataDir = temporaryFolder();
  const before = await openShop(dataDir, clockOff(86_400_000));
  const { sell, child } = await before.serve();
  expect(await sell('a')).toBe(201);
  child.kill('SIGTERM');
  await exitOf(child);
  const child2 = spawnProgram(BUNDLE, ['status', '--data', dataDir]);
  const [said, { code }] = await Promise.all([text(child2.stdout), exitOf(child2)]);
  expect(said).toMatch(
    new RegExp(
      `^The clock of this machine is wrong: it shows ${INSTANT}, but the newest record arrived at ${INSTANT}\\.`,
    ),
  );
  expect(code).toBe(1);
});

test('with --json serve prints only the ready line, and serious problems go to standard error', async () => {
  const dataDir = temporaryFolder();
  await openShop(dataDir);
  const args = ['serve', '--port', '0', '--console-port', '0', '--data', dataDir, '--json'];
  const child = spawnProgram(BUNDLE, args, clockOff(-Date.now() + 60_000));
  const output = Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  child.stdout.once('data', () => child.kill('SIGTERM'));
  const [stdout, stderr] = await output;
  expect(stdout.trimEnd().split('\n')).toEqual([expect.stringContaining('"ready":true')]);
  expect(stderr).toMatch(/^counterfoil: The clock of this machine is wrong/);
});
