// The packaged program starts, its gateway answers, and both end. No other test shows that fuses, signature, archive and
// native module work together. The test is skipped, with the reason, where the program cannot run.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { temporaryFolder } from '../support/temp-store.ts';
import { isStandIn, program } from './packaged.ts';

const START_MS = 60_000;
const END_MS = 30_000;

const obstacle = findObstacle();
if (obstacle !== undefined) console.warn(`Not run: the packaged program (${obstacle}).`);

test.skipIf(obstacle !== undefined)(
  'the packaged program starts a gateway that answers, and both end',
  { timeout: START_MS + END_MS + 10_000 },
  async () => {
    const folder = temporaryFolder();
    const [data, profile] = [join(folder, 'data'), join(folder, 'profile')];
    for (const path of [data, profile]) mkdirSync(path);
    const [port, consolePort] = await findFreePorts();
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ port, consolePort }));

    const said: string[] = [];
    const app = spawn(program, [`--data=${data}`, `--user-data-dir=${profile}`], { env: findOwnVariables() });
    for (const stream of [app.stdout, app.stderr]) stream.on('data', (text) => said.push(String(text)));
    const ended = once(app, 'exit') as Promise<[code: number | null, signal: string | null]>;
    onTestFinished(() => void app.kill('SIGKILL'));
    const url = `http://127.0.0.1:${port}/healthz`;
    const explain = (what: string): string => `${what}\n${said.join('')}`;

    const waitUntilUp = async (): Promise<void> => {
      await expect.poll(() => isUp(url), { timeout: START_MS, interval: 200 }).toBe(true);
    };
    const tooEarly = ended.then(([status, by]) => Promise.reject(new Error(`It ended: ${status ?? by}.`)));
    await Promise.race([waitUntilUp(), tooEarly]).catch((error: unknown) => {
      throw new Error(explain('The gateway does not answer. The program said:'), { cause: error });
    });
    tooEarly.catch(() => {}); // from now on, the test expects the exit
    app.kill('SIGTERM'); // on Windows this kills the program immediately
    const [code, signal] = await withTimeout(ended, END_MS, () => explain('It did not end. It said:'));
    if (process.platform !== 'win32') expect([code, signal]).toEqual([0, null]);
    await expect.poll(() => isUp(url), { timeout: END_MS, interval: 200 }).toBe(false);
  },
);

/** Why the packaged program cannot run on this machine; undefined if it can. */
function findObstacle(): string | undefined {
  if (program === '') return 'nothing is packaged';
  if (isStandIn) return 'a stand-in for Electron is packaged; npm run package packages Electron itself';
  if (process.platform !== 'linux') return undefined;
  if (process.getuid?.() === 0) return 'Chromium has no sandbox for root';
  const screens = ['DISPLAY', 'WAYLAND_DISPLAY'].map((name) => process.env[name]);
  return screens.some((screen) => screen !== undefined) ? undefined : 'there is no screen';
}

async function isUp(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
    return answer.ok && ((await answer.json()) as { status?: unknown }).status === 'ok';
  } catch {
    return false; // nothing listens, so the port is free
  }
}

async function findFreePorts(): Promise<[number, number]> {
  const servers = await Promise.all(
    [0, 1].map(async () => {
      const server = createServer();
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return [ports[0] ?? 0, ports[1] ?? 0];
}

/** The environment without variables that would change the program or its gateway. */
function findOwnVariables(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(COUNTERFOIL_|ELECTRON_|NODE_|APPIMAGE$)/.test(name)),
  );
}

async function withTimeout<T>(promise: Promise<T>, ms: number, explain: () => string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(explain())), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
