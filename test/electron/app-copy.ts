// Copies the desktop app's sources and runs the copy from its entry, on a stand-in for Electron. A test can plant a fault in
// the copy.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { IpcMainInvokeEvent } from 'electron';

import { DESKTOP_CHANNEL } from '../../electron/desktop-api.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import type { BrowserWindow } from './electron.ts';

/** A text in one file of electron/, and its replacement. */
export interface Fault {
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

export type StandIn = typeof import('./electron.ts');

/** Copies the app into a folder and returns the folder. Throws unless the text of the fault occurs exactly once. */
export function copyApp(fault?: Fault, folder = temporaryFolder()): string {
  const root = join(import.meta.dirname, '../..');
  cpSync(join(root, 'electron'), join(folder, 'electron'), { recursive: true });
  cpSync(join(root, 'test/electron/electron.ts'), join(folder, 'electron-stand-in.ts'));
  const named = join(folder, 'node_modules/electron');
  mkdirSync(named, { recursive: true });
  writeFileSync(join(named, 'index.js'), "export * from '../../electron-stand-in.ts';");
  for (const each of [folder, named])
    writeFileSync(join(each, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  symlinkSync(join(root, 'node_modules/electron-updater'), join(folder, 'node_modules/electron-updater'));
  if (fault !== undefined) plant(fault, join(folder, 'electron', fault.file));
  return folder;
}

function plant({ file, text, instead }: Fault, path: string): void {
  const parts = readFileSync(path, 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`electron/${file} has this ${parts.length - 1} times: ${text}`);
  writeFileSync(path, parts.join(instead));
}

/** The outcome of a call from the window. */
export type Outcome = 'answered' | 'refused';

export interface RunningApp extends StandIn {
  readonly folder: string;
  readonly window: BrowserWindow;
  /** The outcome of a call from an empty page while the window was being created. */
  readonly tooEarly: Outcome;
  /** Makes a call from the main frame of the window's page. `more` overrides properties of that frame. */
  call(more: Partial<IpcMainInvokeEvent>, ...args: unknown[]): Promise<Outcome>;
  /** Ends the app as the operating system does when the user's session ends. */
  end(): Promise<void>;
}

/** Runs a copied app in this process. Resolves when its window has loaded the console. */
export async function runApp(folder: string): Promise<RunningApp> {
  const load = createRequire(import.meta.url); // Node's own loader, without Vite's transformation
  const standIn = load(join(folder, 'electron-stand-in.ts')) as StandIn;
  const { told, handlers, powerMonitor } = standIn;

  async function call(more: Partial<IpcMainInvokeEvent>, ...args: unknown[]): Promise<Outcome> {
    const event = more as IpcMainInvokeEvent;
    const answer = (async (): Promise<unknown> => await handlers.get(DESKTOP_CHANNEL)?.(event, ...args))();
    return answer.then(
      () => 'answered',
      () => 'refused',
    );
  }
  const toldOf = (name: string): Promise<unknown[]> =>
    new Promise((resolve) => {
      told.on('call', (called: string, ...what: unknown[]) => called === name && resolve(what));
    });

  const loaded = toldOf('loadURL');
  const made = toldOf('BrowserWindow').then(async ([first]) => {
    const window = first as BrowserWindow;
    const frame = { url: '', parent: null };
    return { window, tooEarly: await call({ sender: window.webContents, senderFrame: frame } as never, 'getView') };
  });
  load(join(folder, 'electron/main.ts'));
  load(join(folder, 'electron/preload.ts'));
  await loaded;
  return {
    ...standIn,
    ...(await made),
    folder,
    call,
    async end() {
      const ended = toldOf('exit');
      powerMonitor.emit('shutdown');
      await ended;
    },
  };
}
