// Downloads Electron from a mirror on loopback, with and without a proxy. Electron's own installer then unpacks it.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import { findElectron } from '../../build/find-electron.mjs';
import { getElectron } from '../../build/get-electron.mjs';
import { type ElectronPackage, makeElectronPackage, serveHttp } from '../support/electron-package.ts';
import { temporaryFolder } from '../support/temp-store.ts';

beforeEach(() => {
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const others = ['npm_config_proxy', 'npm_config_https_proxy', 'npm_config_noproxy', 'npm_config_offline'];
  for (const name of [...proxies, ...others, 'ELECTRON_OVERRIDE_DIST_PATH']) vi.stubEnv(name, undefined);
  vi.stubEnv('electron_config_cache', temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
});

const useMirror = (host: string): void => void vi.stubEnv('ELECTRON_MIRROR', `http://${host}/`);

/** An output that collects what is printed. */
function openOutput(isTTY = false, onText?: (text: string) => void) {
  let printed = '';
  const write = (text: string): void => {
    printed += text;
    onText?.(text);
  };
  return { isTTY, write, read: () => printed };
}

function get({ folder }: ElectronPackage, more: Parameters<typeof getElectron>[0] = {}): Promise<string | undefined> {
  return getElectron({ folder, output: openOutput(), ...more });
}

/** The kind of result when the start script looks for the installed Electron. */
const kindOf = ({ folder }: ElectronPackage): string => findElectron(folder, {}).kind;

/** Sends the download in four parts and states its length. */
function sendAll(response: ServerResponse, zip: Buffer): void {
  response.setHeader('content-length', zip.length);
  const size = Math.ceil(zip.length / 4);
  const sendNext = (at: number): void => {
    if (at >= zip.length) return void response.end();
    response.write(zip.subarray(at, at + size), () => setImmediate(() => sendNext(at + size)));
  };
  sendNext(0);
}

test('Electron is downloaded from the mirror and unpacked, and its program runs', async () => {
  const electron = makeElectronPackage(temporaryFolder(), '#!/bin/sh\necho opens\n');
  const asked: (string | undefined)[] = [];
  const { host } = await serveHttp((request, response) => {
    asked.push(request.url);
    sendAll(response, electron.zip);
  });
  useMirror(host);
  expect(kindOf(electron)).toBe('not downloaded');
  expect(await get(electron)).toBeUndefined();
  expect(asked).toEqual([electron.path]);
  const found = findElectron(electron.folder, {});
  expect(found.kind === 'found' && execFileSync(found.path).toString()).toBe('opens\n');
});

test('progress is a few lines; on a terminal it is one line that is overwritten', async () => {
  const electron = makeElectronPackage(temporaryFolder(), `#!/bin/sh\n# ${'x'.repeat(400_000)}\n`);
  const { host } = await serveHttp((_request, response) => sendAll(response, electron.zip));
  useMirror(host);
  const lines = openOutput();
  await get(electron, { output: lines });
  const [first, ...others] = lines.read().trimEnd().split('\n');
  expect(first).toBe('Downloading Electron 45.4.1 …');
  expect(others.at(-1)).toBe('Downloading Electron 45.4.1 … 100 %, 0.4 of 0.4 MB');
  expect(others.length).toBeLessThanOrEqual(4);

  rmSync(join(electron.folder, 'path.txt'));
  vi.stubEnv('electron_config_cache', temporaryFolder());
  const terminal = openOutput(true);
  await get(electron, { output: terminal });
  const [begun, ...steps] = terminal.read().split('\u001B[K'); // this code clears the rest of the line
  expect(begun).toBe('\rDownloading Electron 45.4.1 …');
  expect(steps.pop()).toBe('\n');
  expect(steps.at(-1)).toBe('\rDownloading Electron 45.4.1 … 100 %, 0.4 of 0.4 MB');
});

test('the first line of progress comes before the server answers', async () => {
  const electron = makeElectronPackage(temporaryFolder());
  const output = openOutput();
  let printedBefore = '';
  const { host } = await serveHttp((_request, response) => {
    printedBefore = output.read();
    sendAll(response, electron.zip);
  });
  useMirror(host);
  await get(electron, { output });
  expect(printedBefore).toBe('Downloading Electron 45.4.1 …\n');
});

const half = (zip: Buffer): Buffer => zip.subarray(0, zip.length / 2);

test.each<[fault: string, answer: (response: ServerResponse, zip: Buffer) => void, reason: RegExp]>([
  ['sends a different file', (response) => response.end('another'), /does not have Electron’s checksum/],
  [
    'sends half of the file and ends normally',
    (response, zip) => response.end(half(zip)),
    /does not have Electron’s checksum/,
  ],
  [
    'sends half of the file and breaks the connection',
    (response, zip) => {
      response.setHeader('content-length', zip.length);
      response.write(half(zip), () => response.destroy());
    },
    /the connection broke off; check the connection/,
  ],
  [
    'does not have the file',
    (response) => response.writeHead(404).end(),
    /[\d.:]+ answered 404; check ELECTRON_MIRROR/,
  ],
])('when the server %s, the reason names it, and Electron is not installed', async (_fault, answer, reason) => {
  const electron = makeElectronPackage(temporaryFolder());
  const { host } = await serveHttp((_request, response) => answer(response, electron.zip));
  useMirror(host);
  const said = await get(electron);
  expect(said).toMatch(/^Electron could not be installed: [^\n]+; [^\n]+$/);
  expect(said).toMatch(reason);
  expect(kindOf(electron)).toBe('not downloaded');
  expect(existsSync(join(electron.folder, 'dist'))).toBe(false);
});

/** Fakes only the timers, so that tests control time-outs. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('the download gives up after 20 s without an answer', async () => {
  const electron = makeElectronPackage(temporaryFolder());
  const { host } = await serveHttp(() => void vi.advanceTimersByTime(20_000));
  useMirror(host);
  stopClock();
  expect(await get(electron)).toContain(`nothing arrived from ${host} for 20 s; check the connection`);
});

test('the download gives up after 20 s without data', async () => {
  const electron = makeElectronPackage(temporaryFolder());
  const { host } = await serveHttp((_request, response) => {
    response.setHeader('content-length', electron.zip.length);
    response.write(half(electron.zip));
  });
  useMirror(host);
  stopClock();
  const output = openOutput(true, (text) => {
    if (/ (49|50) %/.test(text)) setImmediate(() => vi.advanceTimersByTime(20_000));
  });
  expect(await get(electron, { output })).toContain(`nothing arrived from ${host} for 20 s`);
  expect(kindOf(electron)).toBe('not downloaded');
});

test('a slow download continues while data arrives', async () => {
  const electron = makeElectronPackage(temporaryFolder());
  let sendNext = (): void => {};
  const { host } = await serveHttp((_request, response) => {
    response.setHeader('content-length', electron.zip.length);
    const size = Math.ceil(electron.zip.length / 4);
    let sent = 0;
    sendNext = () => void response.write(electron.zip.subarray(sent, (sent += size)));
    sendNext();
  });
  useMirror(host);
  stopClock();
  let waits = 0;
  const output = openOutput(true, (text) => {
    if (!/ (2|4|5|7)\d %/.test(text)) return;
    waits += 1;
    setImmediate(() => {
      vi.advanceTimersByTime(19_000);
      sendNext();
    });
  });
  expect(await get(electron, { output })).toBeUndefined();
  expect(waits).toBe(3);
});

test('the reason names a server that refuses the connection', async () => {
  const electron = makeElectronPackage(temporaryFolder());
  const { server, host } = await serveHttp(() => {});
  server.close();
  await once(server, 'close');
  useMirror(host);
  expect(await get(electron)).toMatch(/the connection was refused; check the connection/);
});

test.each<[variable: string, mirror: string, line: RegExp]>([
  ['HTTP_PROXY', 'http://mirror.invalid/', /^(GET http:\/\/mirror\.invalid\/v|CONNECT mirror\.invalid:80$)/],
  ['npm_config_proxy', 'http://mirror.invalid/', /^(GET http:\/\/mirror\.invalid\/v|CONNECT mirror\.invalid:80$)/],
  ['HTTPS_PROXY', 'https://mirror.invalid/', /^CONNECT mirror\.invalid:443$/],
  ['npm_config_https_proxy', 'https://mirror.invalid/', /^CONNECT mirror\.invalid:443$/],
])('the download goes through the proxy of %s', async (variable, mirror, line) => {
  const electron = makeElectronPackage(temporaryFolder());
  const asked: string[] = [];
  const { server, host } = await serveHttp((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    sendAll(response, electron.zip);
  });
  server.on('connect', (request, socket: Duplex) => {
    asked.push(`${request.method} ${request.url}`);
    socket.end('HTTP/1.1 502 no tunnel\r\n\r\n');
  });
  vi.stubEnv('ELECTRON_MIRROR', mirror);
  vi.stubEnv(variable, `http://${host}`);
  const said = await get(electron);
  expect(asked).toEqual([expect.stringMatching(line)]);
  if (asked[0]?.startsWith('GET') === true) expect(said).toBeUndefined();
});

test.each(['NO_PROXY', 'npm_config_noproxy'])('a host in %s is asked without the proxy', async (variable) => {
  const electron = makeElectronPackage(temporaryFolder());
  const { host } = await serveHttp((_request, response) => sendAll(response, electron.zip));
  useMirror(host);
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
  vi.stubEnv(variable, '127.0.0.1');
  expect(await get(electron)).toBeUndefined();
});

test('an invalid proxy address is refused without its text, which may contain a password', async () => {
  const electron = makeElectronPackage(temporaryFolder());
  vi.stubEnv('HTTPS_PROXY', 'ann:canary@proxy:3128');
  const said = await get(electron);
  expect(said).toMatch(/the proxy has no valid address; set HTTPS_PROXY/);
  expect(said).not.toContain('canary');
});

test('when npm is offline no server is asked, and the cache is used', async () => {
  const first = makeElectronPackage(temporaryFolder());
  let requests = 0;
  const handle: RequestListener = (_request, response) => {
    requests += 1;
    sendAll(response, first.zip);
  };
  const { host } = await serveHttp(handle);
  useMirror(host);
  vi.stubEnv('npm_config_offline', 'true');
  expect(await get(first)).toMatch(/npm is set to offline/);
  expect(requests).toBe(0);

  vi.stubEnv('npm_config_offline', undefined);
  expect(await get(first)).toBeUndefined();
  vi.stubEnv('npm_config_offline', 'true');
  const second = makeElectronPackage(temporaryFolder());
  const output = openOutput();
  expect(await get(second, { output })).toBeUndefined();
  expect({ requests, printed: output.read(), kind: kindOf(second) }).toEqual({
    requests: 1,
    printed: '',
    kind: 'found',
  });
});

test('a stop closes the connection and leaves no complete installation', async () => {
  const electron = makeElectronPackage(temporaryFolder());
  const stop = new AbortController();
  let closed: Promise<unknown> = Promise.resolve();
  const { host } = await serveHttp((request, response) => {
    closed = new Promise((resolve) => request.socket.once('close', resolve));
    response.write(half(electron.zip), () => stop.abort());
  });
  useMirror(host);
  await get(electron, { stop: stop.signal });
  await closed;
  expect(kindOf(electron)).toBe('not downloaded');
});

test.each<[state: string, make: (folder: string) => void]>([
  ['without path.txt, which the installer writes last', (folder) => rmSync(join(folder, 'path.txt'))],
  ['of another version', (folder) => writeFileSync(join(folder, 'dist/version'), '44.0.0')],
  ['without a version', (folder) => rmSync(join(folder, 'dist/version'))],
  ['without the program', (folder) => rmSync(join(folder, 'dist/electron'))],
])('a folder %s counts as not downloaded, and is repaired', async (_state, make) => {
  const electron = makeElectronPackage(temporaryFolder());
  const { host } = await serveHttp((_request, response) => sendAll(response, electron.zip));
  useMirror(host);
  await get(electron);
  make(electron.folder);
  expect(kindOf(electron)).toBe('not downloaded');
  expect(await get(electron)).toBeUndefined();
  expect(kindOf(electron)).toBe('found');
});

test('the reason names a folder that cannot be written', async () => {
  const electron = makeElectronPackage(temporaryFolder());
  const { host } = await serveHttp((_request, response) => sendAll(response, electron.zip));
  useMirror(host);
  writeFileSync(join(electron.folder, 'dist'), 'a file');
  expect(await get(electron)).toMatch(/unpacking failed \(.+\); check the disk/);
});

test('the reason names an installer that was killed', async () => {
  const electron = makeElectronPackage(temporaryFolder());
  const { host } = await serveHttp((_request, response) => sendAll(response, electron.zip));
  useMirror(host);
  writeFileSync(join(electron.folder, 'install.js'), "process.kill(process.pid, 'SIGKILL')");
  expect(await get(electron)).toContain('unpacking failed (SIGKILL)');
});

test('ELECTRON_OVERRIDE_DIST_PATH names the folder of another Electron', () => {
  const { folder } = makeElectronPackage(temporaryFolder());
  const own = temporaryFolder();
  const env = { ELECTRON_OVERRIDE_DIST_PATH: own };
  expect(findElectron(folder, env)).toMatchObject({ kind: 'unusable', reason: expect.stringContaining(own) });
  writeFileSync(join(own, 'electron'), '');
  expect(findElectron(folder, env)).toEqual({ kind: 'found', path: join(own, 'electron') });
  writeFileSync(join(folder, 'path.txt'), 'other/program'); // Electron's package names the path of its program in this file
  mkdirSync(join(own, 'other'));
  writeFileSync(join(own, 'other/program'), '');
  expect(findElectron(folder, env)).toEqual({ kind: 'found', path: join(own, 'other/program') });
});

test('without Electron’s package, the advice is to run npm ci', () => {
  expect(findElectron(temporaryFolder(), {})).toMatchObject({
    kind: 'unusable',
    reason: expect.stringContaining('npm ci'),
  });
});
