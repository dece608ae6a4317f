// Runs the built desktop app on the real Electron, with its own store and profile. Without Electron the tests are skipped and
// say so.

import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { _electron, type ElectronApplication, type Page } from 'playwright';

import { findElectron, hasScreen } from '../../../build/find-electron.mjs';
import { openStore } from '../../../server/store/open-store.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The secret of the production key. Every store in these tests has this key. */
export const SECRET = 'prod_till-of-the-desktop-app';
/** Whether Chromium's sandbox can run. It refuses to run as root. */
export const HAS_SANDBOX = process.getuid?.() !== 0;

const found = findElectron();
export const hasElectron = found.kind === 'found' && hasScreen();
const reason = found.kind === 'found' ? 'there is no screen' : found.reason;
if (!hasElectron) console.warn(`Not run: tests of the desktop app on Electron itself (${reason}).`);

export interface Desktop {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly dataDir: string;
  /** The address for tills, and the address of the console. */
  readonly apiUrl: string;
  readonly consoleUrl: string;
  /** The arguments and environment for a second start of the app. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The process of the gateway; undefined if none runs. */
  findGateway(): Promise<number | undefined>;
  /** Kills the app and removes its files. */
  close(): Promise<void>;
}

/** Opens the app. Resolves when its window shows the console. If the tills' port is in use, resolves when a window exists. */
export async function openDesktop({ port: taken }: { readonly port?: number } = {}): Promise<Desktop> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-desktop-'));
  const dataDir = join(folder, 'data');
  const [free, consolePort] = await findFreePorts();
  const port = taken ?? free;
  const store = await openStore({ dataDir, role: 'command' });
  const key = { administration: 'Bakery', mode: 'production', label: 'Till 1', interface: 'both' } as const;
  await store.setup.createKey({ ...key, secret: SECRET, isAdopted: false }, 'test');
  await store.close();
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ port, consolePort }));
  const profile = join(folder, 'profile'); // only one app can run on a profile
  mkdirSync(profile);

  const args = [ROOT, `--data=${dataDir}`, `--user-data-dir=${profile}`, '--lang=en-GB'];
  if (!HAS_SANDBOX) args.unshift('--no-sandbox');
  const env = { ...ownVariables(), XDG_CONFIG_HOME: join(folder, 'config'), LANGUAGE: 'en_GB' };
  const app = await _electron.launch({ args, env, chromiumSandbox: HAS_SANDBOX });
  let isOver = false;
  app.on('close', () => (isOver = true));
  const page = await app.firstWindow();
  if (taken === undefined) await page.getByRole('navigation').waitFor();
  return {
    app,
    page,
    dataDir,
    apiUrl: `http://127.0.0.1:${port}`,
    consoleUrl: `http://127.0.0.1:${consolePort}`,
    args,
    env,
    findGateway: () =>
      app.evaluate((electron) => electron.app.getAppMetrics().find(({ name }) => name === 'Counterfoil gateway')?.pid),
    async close() {
      const closed = isOver ? undefined : app.waitForEvent('close');
      await app.evaluate((electron) => electron.app.exit(0)).catch(() => {}); // the app exits before it can answer
      await closed;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** The developer's environment variables, except the variables that configure a gateway. */
function ownVariables(): Record<string, string> {
  const all = Object.entries(process.env).filter(
    (each): each is [string, string] => each[1] !== undefined && !/^(COUNTERFOIL|NODE|ELECTRON_RUN)_/.test(each[0]),
  );
  return Object.fromEntries(all);
}

/** Finds two free ports. Both are opened at the same time, so they differ. */
async function findFreePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()] as const;
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
  const [first, second] = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return [first ?? 0, second ?? 0];
}
