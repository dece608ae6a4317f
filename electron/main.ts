// The desktop app's entry: connects Electron to app.ts, which has the logic.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, mkdirSync, mkdtempSync, rmdirSync, writeSync } from 'node:fs';
import { mkdtemp, rmdir, writeFile } from 'node:fs/promises';
import { homedir, release } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import {
  app,
  autoUpdater,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  type MessageBoxOptions,
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

import type { EntranceView } from '../server/contract/setup.ts';
import { openDesktop } from './app.ts';
import { runProgram } from './firewall.ts';
import { readSealKey } from './keyring.ts';
import { openLog } from './log.ts';
import { openMemory } from './memory.ts';
import { applicationMenu, textMenu } from './menu.ts';
import { ownFolder } from './own-folder.ts';
import { openPreviousVersion } from './previous-version.ts';
import { proxyOf } from './proxy.ts';
import { stageWithSquirrel } from './squirrel.ts';
import { APP_ID, IN_TRAY, openStartAtLogin, startAtLoginFile } from './start-at-login.ts';
import { openTray } from './tray.ts';
import { denyPermissions, openWindow } from './window.ts';
import { wordsOf } from './words.ts';

const here = import.meta.dirname;
const icon = join(here, 'icon.png');
/** The path of the AppImage that runs; undefined for any other build. */
const appImage = process.env['APPIMAGE'];
const { platform } = process;
const isMac = platform === 'darwin';
/**
 * The ending of the tray icons' file names. On macOS, an icon whose file name ends with `Template` follows the colour of the
 * menu bar.
 */
const TRAY_SUFFIX = isMac ? 'Template.png' : platform === 'win32' ? '.ico' : '.png';

app.enableSandbox(); // puts every window into the sandbox, whatever its preferences are
app.setAppUserModelId(APP_ID);
if (!app.commandLine.hasSwitch('user-data-dir'))
  app.setPath(
    'userData',
    ownFolder({ platform, appData: app.getPath('appData'), localAppData: process.env['LOCALAPPDATA'] }),
  );
const logFile = join(app.getPath('userData'), 'logs/app.log');
const log = openLog(logFile, Date.now);

/** Called at each signal. Until the app is open, a signal only sets `isToldToEnd`. */
let onSignal = (): void => void (isToldToEnd = true);
let isToldToEnd = false;
// Without these handlers Electron would ask whether to quit.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    log.info(`told to end by ${signal}`);
    onSignal();
  });

if (app.requestSingleInstanceLock()) app.whenReady().then(start).catch(fail);
else if (isOwnFolderWritable()) app.quit(); // another instance is already running; it shows its window
else app.whenReady().then(() => fail(new Error(`Counterfoil cannot write to ${app.getPath('userData')}.`)), fail);

/** Whether the app can write to its own folder. Without a lock in this folder, it cannot detect another running instance. */
function isOwnFolderWritable(): boolean {
  try {
    mkdirSync(app.getPath('userData'), { recursive: true });
    rmdirSync(mkdtempSync(join(app.getPath('userData'), 'try-')));
    return true;
  } catch {
    return false;
  }
}

function fail(error: unknown): void {
  log.error(error);
  console.error(error);
  if (process.env['COUNTERFOIL_READY_FD'] === undefined) dialog.showErrorBox('Counterfoil', String(error));
  app.exit(1);
}

/** The data directory from the command line. Throws if it is empty. */
function givenDataDir(): string | undefined {
  // `strict: false`, because the arguments may include Chromium's own options.
  const { values } = parseArgs({ options: { data: { type: 'string' } }, strict: false, args: process.argv.slice(1) });
  if (values.data === undefined) return undefined;
  if (typeof values.data !== 'string' || values.data === '') throw new Error('--data is empty; give a directory.');
  return resolve(values.data);
}

function start(): void {
  const dataDir = givenDataDir();
  tellReady();
  log.info(`version ${app.getVersion()} on ${platform} ${release()} ${process.arch}`);
  denyPermissions(session.defaultSession);
  const words = wordsOf(app.getLocale());
  Menu.setApplicationMenu(Menu.buildFromTemplate(applicationMenu(platform, words)));
  const executable = app.getPath('exe');
  /**
   * The file or folder that an update replaces. On macOS this is the application's folder, three levels above the executable.
   */
  const program = appImage ?? (isMac ? resolve(executable, '../../..') : executable);
  const configDir = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const after = (ms: number, act: () => void): (() => void) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  };
  const desktop = openDesktop({
    app,
    words,
    locale: app.getLocale(),
    fork: (modulePath, args, options) => utilityProcess.fork(modulePath, args, options),
    entry: join(here, '../node/main.mjs').replace('app.asar', 'app.asar.unpacked'),
    dataDir,
    readSealKey: () =>
      readSealKey({
        keyring: safeStorage,
        platform,
        file: join(app.getPath('userData'), 'seal-key'),
        onFault: (doing, error) => log.error(`could not ${doing}: ${String(error)}`),
      }),
    findProxy: async (url) => proxyOf(await session.defaultSession.resolveProxy(url)),
    startsInTray: process.argv.includes(IN_TRAY),
    ipc: ipcMain,
    openWindow: (parts) =>
      openWindow({
        ...parts,
        create: (options) => new BrowserWindow(options),
        isSignedIn: async (origin) => {
          const answer = await session.defaultSession.fetch(`${origin}/api/entrance`);
          return ((await answer.json()) as EntranceView).isSignedIn;
        },
        onContextMenu(params) {
          const items = textMenu(params, words);
          if (items.length > 0) Menu.buildFromTemplate(items).popup();
        },
        preload: join(here, '../preload/preload.cjs'),
        icon,
        after,
        now: Date.now,
      }),
    openTray: (parts) =>
      openTray({
        ...parts,
        create: (image) => new Tray(image),
        icon: (state) => nativeImage.createFromPath(join(here, 'tray', `${state}${TRAY_SUFFIX}`)),
        makeMenu: (items) => Menu.buildFromTemplate(items),
      }),
    startAtLogin: openStartAtLogin({
      app,
      platform,
      executable: appImage ?? executable,
      dataDir,
      file: startAtLoginFile(platform, homedir(), configDir),
    }),
    memory: openMemory(join(app.getPath('userData'), 'memory.json')),
    updates: {
      updater: hasUpdates() ? electronUpdater.autoUpdater : undefined,
      stage: isMac ? () => stageWithSquirrel(autoUpdater) : undefined,
      isReplaceable: () => isWritable(dirname(program)),
      previous: openPreviousVersion({
        platform,
        executable,
        program,
        installer: join(process.env['LOCALAPPDATA'] ?? '', 'counterfoil-updater/installer.exe'),
        folder: join(app.getPath('userData'), 'previous'),
        startDetached,
        relaunch,
      }),
    },
    firewall: { platform, executable, systemRoot: process.env['SystemRoot'] ?? 'C:\\Windows', run: runProgram },
    relaunch: (isShown) => relaunch(appImage ?? executable, isShown),
    openPath: (path) => shell.openPath(path),
    saveText,
    notify,
    ask,
    power: powerMonitor,
    stayAwake: powerSaveBlocker,
    call: fetch,
    log,
    logFile,
    versions: {
      Electron: process.versions['electron'] ?? '',
      Chromium: process.versions['chrome'] ?? '',
      Node: process.versions.node,
      System: `${platform} ${release()} ${process.arch}`,
      Language: app.getLocale(),
      Installed: app.isPackaged ? program : 'no, a checkout',
    },
    now: Date.now,
    after,
  });
  onSignal = () => void desktop.end();
  if (isToldToEnd) onSignal();
}

/** Tells `npm start` that the app is ready. If Electron ends before that, `npm start` runs the gateway without a window. */
function tellReady(): void {
  const fd = Number(process.env['COUNTERFOIL_READY_FD']);
  delete process.env['COUNTERFOIL_READY_FD'];
  if (fd !== 3) return;
  try {
    const pipe = fstatSync(fd);
    if (!pipe.isFIFO() && !pipe.isSocket()) return;
    writeSync(fd, 'ready\n');
    closeSync(fd);
  } catch (error) {
    log.warn(error); // the parent may have closed the pipe
  }
}

/**
 * Whether this build updates itself. A checkout and a .deb do not. A build that was made without an update address does not
 * either; it has no file app-update.yml.
 */
function hasUpdates(): boolean {
  if (!app.isPackaged || (platform === 'linux' && appImage === undefined)) return false;
  return existsSync(join(process.resourcesPath, 'app-update.yml'));
}

/** Without a reference, a notification would be garbage-collected and its click lost. */
const notices = new Set<Notification>();

function notify(body: string, onClick: () => void): void {
  const notice = new Notification({ title: 'Counterfoil', body });
  const forget = (): void => void notices.delete(notice);
  notices.add(notice);
  notice.on('click', () => (forget(), onClick()));
  notice.on('close', forget);
  notice.on('failed', forget);
  log.info(`notice: ${body}`);
  notice.show();
}

/** The visible window, as the parent of a dialog. */
function visibleWindow(): BrowserWindow | undefined {
  return BrowserWindow.getAllWindows().find((window) => window.isVisible());
}

async function ask(question: MessageBoxOptions): Promise<number> {
  const parent = visibleWindow();
  const answer = parent === undefined ? dialog.showMessageBox(question) : dialog.showMessageBox(parent, question);
  return (await answer).response;
}

async function saveText(name: string, text: string): Promise<void> {
  const options = { defaultPath: join(app.getPath('downloads'), name) };
  const parent = visibleWindow();
  const answer = parent === undefined ? dialog.showSaveDialog(options) : dialog.showSaveDialog(parent, options);
  const { canceled, filePath } = await answer;
  if (canceled) return;
  await writeFile(filePath, text, { mode: 0o600 });
  shell.showItemInFolder(filePath);
}

function relaunch(execPath: string, isShown = false): void {
  const args = process.argv.slice(1).filter((argument) => argument !== IN_TRAY);
  app.relaunch({ execPath, args: isShown ? args : [...args, IN_TRAY] });
}

async function startDetached(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  child.unref();
}

/**
 * Whether the app may write to a folder. Writes a file to find out, because Windows does not report all permissions of a
 * folder.
 */
async function isWritable(folder: string): Promise<boolean> {
  return mkdtemp(join(folder, '.counterfoil-'))
    .then(rmdir)
    .then(
      () => true,
      () => false,
    );
}
