// `npm start` opens the desktop app. The tests use a toy checkout, and a script instead of Electron.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, expect, onTestFinished, test, vi } from 'vitest';

import { isSandboxBlocked } from '../../build/find-electron.mjs';
import { makeElectronPackage, serveHttp } from '../support/electron-package.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import {
  BUILDING_ALL,
  type Ended,
  makeBuiltCheckout,
  makeCheckout,
  NO_DESKTOP,
  ORDINARY_USER,
  removeTemplate,
  run,
  runBy,
  start,
} from '../support/toy-checkout.ts';

afterAll(removeTemplate);

/** Makes a folder with a program instead of Electron, and the variables that make the start script run that program. */
function makeElectron(script: string) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'electron'), script, { mode: 0o755 });
  return { ELECTRON_OVERRIDE_DIST_PATH: folder, DISPLAY: ':0' };
}

/** Runs `npm start` as if a window could open. Ends the gateway if it starts without a window. */
async function startOnDesktop(checkout: string, variables: NodeJS.ProcessEnv, node = ORDINARY_USER): Promise<Ended> {
  const { child, printed, ended } = start(checkout, ['start'], { node, variables });
  await printed;
  child.kill('SIGTERM');
  return ended;
}

const BUILDING_APP = `${BUILDING_ALL}Building the desktop app …\nBuilding the desktop app’s window …\n`;

test('npm start opens the desktop app if Electron and a screen are there, and ends with the app', async () => {
  const checkout = makeCheckout();
  const variables = makeElectron('#!/bin/sh\necho ready >&3\necho "opens $1"\nexit 3\n');
  const { code, stdout, stderr } = await run(checkout, ['start'], { node: ORDINARY_USER, variables });
  expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: `opens ${checkout}\n`, stderr: BUILDING_APP });
});

test('an app that exits with 0 before it is ready has shown the window of a running app', async () => {
  const variables = makeElectron('#!/bin/sh\nexit 0\n');
  const { code, stdout, stderr } = await run(makeBuiltCheckout(), ['start'], { node: ORDINARY_USER, variables });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('Electron gets the descriptor for its ready line, and never runs as plain Node', async () => {
  const script = '#!/bin/sh\necho ready >&"$COUNTERFOIL_READY_FD"\necho "plain Node: ${ELECTRON_RUN_AS_NODE-no}"\n';
  const variables = { ...makeElectron(script), ELECTRON_RUN_AS_NODE: '1' };
  const { stdout } = await run(makeBuiltCheckout(), ['start'], { node: ORDINARY_USER, variables });
  expect(stdout).toBe('plain Node: no\n');
});

test('npm start downloads Electron at the first start, and later uses that download', async () => {
  const checkout = makeBuiltCheckout();
  const { path, zip } = makeElectronPackage(checkout, '#!/bin/sh\necho ready >&3\necho opens\n');
  let requests = 0;
  const { host } = await serveHttp((request, response) => {
    requests += 1;
    response.writeHead(request.url === path ? 200 : 404, { 'content-length': zip.length }).end(zip);
  });
  const variables = { DISPLAY: ':0', ELECTRON_MIRROR: `http://${host}/`, electron_config_cache: temporaryFolder() };
  const first = await run(checkout, ['start'], { node: ORDINARY_USER, variables });
  expect(first).toMatchObject({ code: 0, stdout: 'opens\n' });
  expect(first.stderr).toMatch(/^Downloading Electron 45\.4\.1 …\n.*100 %.*\n$/);
  const second = await run(checkout, ['start'], { node: ORDINARY_USER, variables });
  expect(second).toEqual({ code: 0, stdout: 'opens\n', stderr: '' });
  expect(requests).toBe(1);
});

test('a failed download is reported in one line, and the gateway serves', async () => {
  const checkout = makeBuiltCheckout();
  makeElectronPackage(checkout);
  const { host } = await serveHttp((_request, response) => void response.writeHead(503).end());
  const ended = await startOnDesktop(checkout, {
    DISPLAY: ':0',
    ELECTRON_MIRROR: `http://${host}/`,
    electron_config_cache: temporaryFolder(),
  });
  expect(ended.stdout).toMatch(/"serve","--welcome"[^]+drained\n$/);
  const line = `Electron could not be installed: ${host} answered 503; check ELECTRON_MIRROR if it is set, or start again later`;
  expect(ended.stderr).toBe(`Downloading Electron 45.4.1 …\nRunning without a window: ${line}.\n`);
});

test('a stop during the download ends the start, with the exit code of the signal', async () => {
  const checkout = makeBuiltCheckout();
  makeElectronPackage(checkout);
  const asked = Promise.withResolvers<void>();
  const { host } = await serveHttp(() => asked.resolve());
  const variables = { DISPLAY: ':0', ELECTRON_MIRROR: `http://${host}/`, electron_config_cache: temporaryFolder() };
  const { child, ended } = start(checkout, ['start'], { node: ORDINARY_USER, variables });
  await asked.promise;
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, stdout: '', stderr: 'Downloading Electron 45.4.1 …\n' });
});

test.each<[why: string, args: string[], variables: NodeJS.ProcessEnv, node: string[], line: string]>([
  [
    'the user asked for it',
    [],
    { COUNTERFOIL_HEADLESS: '1', DISPLAY: ':0' },
    ORDINARY_USER,
    'COUNTERFOIL_HEADLESS is set',
  ],
  ['there is no screen', [], { DISPLAY: '', HAS_ELECTRON: 'yes' }, ORDINARY_USER, 'there is no screen'],
  ['root runs it', [], { DISPLAY: ':0' }, runBy(0), 'Electron does not run as root; use a checkout of another user'],
  ['an option is given', ['--demo'], { DISPLAY: ':0' }, ORDINARY_USER, 'the desktop app accepts no options'],
  [
    'Electron’s package is missing',
    [],
    { WAYLAND_DISPLAY: 'wayland-0' },
    ORDINARY_USER,
    'Electron’s package is missing; run `npm ci`',
  ],
])('npm start prints in one line why there is no window: %s', async (_why, args, variables, node, line) => {
  const { HAS_ELECTRON, ...others } = variables;
  const electron = HAS_ELECTRON === 'yes' ? makeElectron('#!/bin/sh\necho opens\n') : {};
  const { child, printed, ended } = start(makeBuiltCheckout(), ['start', ...args], {
    node,
    variables: { ...electron, ...others },
  });
  await printed;
  child.kill('SIGTERM');
  expect((await ended).stderr).toBe(`Running without a window: ${line}.\n`);
});

test.each(['', '0', 'false'])('COUNTERFOIL_HEADLESS=%j opens the window', async (value) => {
  const variables = { ...makeElectron('#!/bin/sh\necho opens\n'), COUNTERFOIL_HEADLESS: value };
  expect(await run(makeBuiltCheckout(), ['start'], { node: ORDINARY_USER, variables })).toMatchObject({
    stdout: 'opens\n',
  });
});

test.each<[end: string, script: string, line: string]>([
  ['with an error', '#!/bin/sh\necho noise >&2\nexit 127\n', 'Electron ended before the app was ready (exit code 127)'],
  ['by a signal', '#!/bin/sh\necho noise >&2\nkill -KILL $$\n', 'Electron ended before the app was ready (SIGKILL)'],
])('when Electron ends early %s, the reason follows its output, and the gateway serves', async (_end, script, line) => {
  const variables = { ...makeElectron(script), PATH: pathWithUnshare(0) };
  writeFileSync(join(variables.ELECTRON_OVERRIDE_DIST_PATH, 'chrome-sandbox'), '');
  const { code, stdout, stderr } = await startOnDesktop(makeBuiltCheckout(), variables);
  expect(code).toBe(7);
  expect(stdout).toMatch(/"serve","--welcome"[^]+drained\n$/);
  expect(stderr).toBe(`noise\nRunning without a window: ${line}.\n`);
});

test('an Electron that cannot be started is reported as the reason', async () => {
  const variables = makeElectron('');
  chmodSync(join(variables.ELECTRON_OVERRIDE_DIST_PATH, 'electron'), 0o644);
  const { stderr } = await startOnDesktop(makeBuiltCheckout(), variables);
  expect(stderr).toMatch(/^Running without a window: Electron ended before the app was ready \(spawn .*\)\.\n$/);
});

test.runIf(process.platform === 'linux')(
  'missing user namespaces are the reason if Electron dies of them',
  async () => {
    const variables = { ...makeElectron('#!/bin/sh\nkill -TRAP $$\n'), PATH: pathWithUnshare(1) };
    const { stderr } = await startOnDesktop(makeBuiltCheckout(), variables);
    expect(stderr).toMatch(
      /^Running without a window: this system allows no user namespaces .*docs\/deploy\.md.*\.\n$/,
    );
  },
);

test.runIf(process.platform === 'linux')(
  'the sandbox is blocked without namespaces, and works with them or with its own helper',
  () => {
    vi.stubEnv('PATH', pathWithUnshare(0));
    onTestFinished(() => void vi.unstubAllEnvs());
    const sysctls = temporaryFolder();
    const { ELECTRON_OVERRIDE_DIST_PATH: folder } = makeElectron('');
    const isBlocked = (): boolean => isSandboxBlocked(join(folder, 'electron'), sysctls);
    expect(isBlocked()).toBe(false);
    mkdirSync(join(sysctls, 'kernel'));
    writeFileSync(join(sysctls, 'kernel/apparmor_restrict_unprivileged_userns'), '1\n');
    expect(isBlocked()).toBe(true);
    writeFileSync(join(folder, 'chrome-sandbox'), '');
    expect(isBlocked()).toBe(true);
    if (process.getuid?.() !== 0) return; // only root can make a program that root owns
    chmodSync(join(folder, 'chrome-sandbox'), 0o4755);
    expect(isBlocked()).toBe(false);
  },
);

/** A PATH with a fake `unshare` that exits with this code. The real `unshare` creates user namespaces. */
function pathWithUnshare(code: number): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'unshare'), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
  return `${folder}:${process.env['PATH']}`;
}

/** A program instead of Electron. It reports its parent's id, counts Ctrl-C, and reports that count at SIGTERM. */
const COUNTING = `#!${process.execPath}
  const { writeSync } = require('node:fs');
  let count = 0;
  process.on('SIGINT', () => writeSync(1, 'SIGINT ' + ++count + '\\n'));
  process.on('SIGTERM', () => { writeSync(1, 'in all ' + count + '\\n'); process.exit(9); });
  process.on('SIGHUP', () => { writeSync(3, 'hung up\\n'); process.exit(8); });
  writeSync(3, 'ready\\n');
  writeSync(1, 'parent ' + process.ppid + '\\n');
  setInterval(() => {}, 1000);
`;

/** True if `script` of util-linux is installed. The tests use this program to make a pseudo-terminal. */
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;
if (!hasScript) console.warn('Not run: Ctrl-C in a terminal, which needs `script` of util-linux.');

/** Starts the script on a pseudo-terminal. The standard input of the returned process is what a user types. */
function startOnTerminal(variables: NodeJS.ProcessEnv) {
  const checkout = makeBuiltCheckout();
  const program = [process.execPath, ...ORDINARY_USER, join(checkout, 'build/run.mjs'), 'start'];
  const command = program.map((word) => `'${word}'`).join(' ');
  const env = { ...process.env, ...NO_DESKTOP, ...variables };
  const child = spawn('script', ['-qfec', `exec ${command}`, '/dev/null'], { cwd: checkout, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
}

/** Resolves to the next line that matches. */
async function findLine(lines: AsyncIterator<string>, wanted: RegExp): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`no line is ${wanted}`);
    if (wanted.test(value)) return value;
  }
}

test.runIf(hasScript)('Ctrl-C in a terminal reaches Electron once, and the script waits for its end', async () => {
  const { child, lines } = startOnTerminal(makeElectron(COUNTING));
  const ended = once(child, 'exit');
  const runner = Number((await findLine(lines, /^parent \d+/)).split(' ')[1]);
  child.stdin.write('\u0003');
  await findLine(lines, /SIGINT 1/);
  process.kill(runner, 'SIGTERM'); // the runner handles the earlier Ctrl-C before this signal
  expect(await findLine(lines, /in all/)).toMatch(/in all 1/);
  expect(await ended).toEqual([9, null]);
});

test('without a terminal a SIGINT is forwarded', async () => {
  const variables = makeElectron(COUNTING);
  const { child, ended } = start(makeBuiltCheckout(), ['start'], { node: ORDINARY_USER, variables });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await findLine(lines, /^parent/);
  child.kill('SIGINT');
  await findLine(lines, /SIGINT 1/);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 9, stdout: expect.stringContaining('in all 1\n') });
});

test.runIf(hasScript)('a terminal that closes ends Electron and the script', async () => {
  const said = join(temporaryFolder(), 'said');
  const script = COUNTING.replace("writeSync(3, 'hung up\\n')", `writeFileSync('${said}', 'hung up')`);
  const { child, lines } = startOnTerminal(
    makeElectron(script.replace('{ writeSync }', '{ writeSync, writeFileSync }')),
  );
  await findLine(lines, /^parent/);
  child.kill('SIGKILL'); // this also closes the terminal
  await expect.poll(() => existsSync(said)).toBe(true);
});

test('the start ends with Electron, even if it is stopped before the app is ready', async () => {
  const script = COUNTING.replace("writeSync(3, 'ready\\n')", '');
  const { child, printed, ended } = start(makeBuiltCheckout(), ['start'], {
    node: ORDINARY_USER,
    variables: makeElectron(script),
  });
  await printed;
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 9, stderr: '' });
});
