// The desktop app's entry: gives the app what it takes of Electron. What happens when is in app.ts.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rmdir, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  safeStorage,
  session,
  shell,
  Tray,
  utilityProcess,
} from 'electron';
import electronUpdater from 'electron-updater';

import { openDesktop } from './app.ts';
import { runProgram } from './firewall.ts';
import { readSealKey } from './keyring.ts';
import { openMemory } from './memory.ts';
import { openPreviousVersion } from './previous-version.ts';
import { proxyOf } from './proxy.ts';
import { IN_TRAY, openStartAtLogin } from './start-at-login.ts';
import { openTray } from './tray.ts';
import { denyPermissions, openWindow } from './window.ts';

const here = import.meta.dirname;
const icon = join(here, 'icon.png');
/** The file that all of it is in, where it is one. */
const appImage = process.env['APPIMAGE'];
const isMac = process.platform === 'darwin';

app.enableSandbox(); // of every window, whatever it says of itself
app.setAppUserModelId('shop.counterfoil.gateway');
// Where Electron would keep its own files are the records on Windows and macOS; what is a browser's does not belong among them.
if (!app.commandLine.hasSwitch('user-data-dir'))
  app.setPath('userData', join(app.getPath('appData'), 'Counterfoil app'));

app
  .whenReady()
  .then(start)
  .catch((error: unknown) => {
    onFault('start', error);
    dialog.showErrorBox('Counterfoil', String(error));
    app.exit(1);
  });

function start(): void {
  denyPermissions(session.defaultSession);
  Menu.setApplicationMenu(isMac ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }]) : null);
  // `strict: false`, because Chromium's own options are among them.
  const { values } = parseArgs({ options: { data: { type: 'string' } }, strict: false, args: process.argv.slice(1) });
  const executable = app.getPath('exe');
  /** What a newer version takes the place of. On macOS a program is three folders into its application. */
  const program = appImage ?? (isMac ? resolve(executable, '../../..') : executable);
  openDesktop({
    app,
    fork: (modulePath, args, options) => utilityProcess.fork(modulePath, args, options),
    entry: join(here, '../node/main.mjs').replace('app.asar', 'app.asar.unpacked'),
    dataDir: typeof values.data === 'string' ? resolve(values.data) : undefined,
    readSealKey: () =>
      readSealKey({
        keyring: safeStorage,
        platform: process.platform,
        file: join(app.getPath('userData'), 'seal-key'),
        onFault,
      }),
    findProxy: async (url) => proxyOf(await session.defaultSession.resolveProxy(url)),
    startsInTray: process.argv.includes(IN_TRAY) || (isMac && app.getLoginItemSettings().wasOpenedAtLogin),
    ipc: ipcMain,
    openWindow: (parts) =>
      openWindow({
        ...parts,
        create: (options) => new BrowserWindow(options),
        isSignedIn: async (origin) => (await session.defaultSession.fetch(`${origin}/api/session`)).ok,
        preload: join(here, '../preload/preload.cjs'),
        icon,
      }),
    openTray: (parts) =>
      openTray({
        ...parts,
        create: () => new Tray(nativeImage.createFromPath(icon).resize({ width: 16 })),
        makeMenu: (items) => Menu.buildFromTemplate(items),
      }),
    startAtLogin: openStartAtLogin(app, {
      platform: process.platform,
      configDir: process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'),
      executable: appImage ?? executable,
    }),
    memory: openMemory(join(app.getPath('userData'), 'memory.json')),
    updates: {
      // A package manager has installed the others, and a checkout nobody has.
      updater:
        app.isPackaged && (process.platform !== 'linux' || appImage !== undefined)
          ? electronUpdater.autoUpdater
          : undefined,
      isReplaceable: () => isWritable(dirname(program)),
      previous: openPreviousVersion({
        platform: process.platform,
        executable: executable,
        program,
        installer: join(process.env['LOCALAPPDATA'] ?? '', 'counterfoil-updater/installer.exe'),
        folder: join(app.getPath('userData'), 'previous'),
        startDetached,
        relaunch,
      }),
    },
    firewall: {
      platform: process.platform,
      executable: executable,
      systemRoot: process.env['SystemRoot'] ?? 'C:\\Windows',
      run: runProgram,
    },
    relaunch: () => relaunch(appImage ?? executable),
    openPath: (path) => shell.openPath(path),
    async freeBytes(folder) {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    notify: (body) => new Notification({ title: 'Counterfoil', body }).show(),
    ask: async (question) => (await dialog.showMessageBox(question)).response,
    power: powerMonitor,
    stayAwake: powerSaveBlocker,
    call: fetch,
    now: Date.now,
    after(ms, act) {
      const timer = setTimeout(act, ms);
      return () => clearTimeout(timer);
    },
    onFault,
  });
}

function relaunch(execPath: string): void {
  const args = process.argv.slice(1).filter((argument) => argument !== IN_TRAY);
  app.relaunch({ execPath, args: [...args, IN_TRAY] });
}

async function startDetached(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  child.unref();
}

/** Tried, because what Windows says of a folder's permissions is not all there is to them. */
async function isWritable(folder: string): Promise<boolean> {
  return mkdtemp(join(folder, '.counterfoil-'))
    .then(rmdir)
    .then(
      () => true,
      () => false,
    );
}

function onFault(doing: string, error: unknown): void {
  console.error(`counterfoil: could not ${doing}:`, error);
}
