// Opens the desktop app on a stand-in for Electron with a real gateway. The app ends with the test.

import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { BrowserWindow, Menu, MenuItemConstructorOptions, MessageBoxOptions, NativeImage, Tray } from 'electron';
import { onTestFinished } from 'vitest';

import { type DesktopParts, LOOK_MS, openDesktop } from '../../electron/app.ts';
import { openLog } from '../../electron/log.ts';
import { openMemory } from '../../electron/memory.ts';
import { openPreviousVersion } from '../../electron/previous-version.ts';
import type { TrayState } from '../../electron/shop.ts';
import { openTray } from '../../electron/tray.ts';
import type { UpdateParts } from '../../electron/updates.ts';
import { openWindow } from '../../electron/window.ts';
import { wordsOf } from '../../electron/words.ts';
import type { DiskState } from '../../server/contract/machine.ts';
import type { OverviewView } from '../../server/contract/overview.ts';
import { openStore } from '../../server/store/open-store.ts';
import type { Store } from '../../server/store/store.ts';
import { BUNDLE } from '../support/gateway-process.ts';
import { openForks } from './forks.ts';

/** The secret of the test key. Every store in these tests has this key. */
export const SECRET = 'test_till-of-the-desktop-app';

export interface StandInWindow {
  /** The addresses that the window has loaded. For the failure page, the list contains its HTML. */
  readonly loaded: string[];
  isShown: boolean;
  /** Crashes the window's page. */
  crash(): void;
  /** Presses a button of the failure page. */
  press(act: string): void;
  /** Closes the window. The app may prevent this. */
  close(): 'closed' | 'prevented';
}

export async function openApp({
  dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-desktop-')),
  startsInTray = false,
  updater = undefined as UpdateParts['updater'],
  flags = ['--port', '0', '--console-port', '0'] as readonly string[],
  /** Prepares the store before the gateway starts. False leaves the folder without a store and without a key. */
  prepare = (() => {}) as ((store: Store) => unknown) | false,
  /** The state of the disk that the gateway reports. With null, the gateway reports the real state of this machine's disk. */
  disk = null as DiskState | null,
  whenDone = onTestFinished as (close: () => Promise<void>) => void,
} = {}) {
  if (prepare !== false) {
    const store = await openStore({ dataDir, role: 'command' });
    const key = { administration: 'Bakery', mode: 'test', label: 'Till 1', interface: 'both' } as const;
    await store.setup.createKey({ ...key, secret: SECRET, isAdopted: false }, 'test');
    await prepare(store);
    await store.close();
  }

  /** The app's own folder. `appImage` stands in for the running program. */
  const own = mkdtempSync(join(tmpdir(), 'counterfoil-app-'));
  const appImage = join(own, 'Counterfoil.AppImage');
  writeFileSync(appImage, 'version 0.0.0');
  const forks = openForks(flags);
  const app = new EventEmitter();
  const power = new EventEmitter();
  const windows: StandInWindow[] = [];
  const notices: string[] = [];
  const clicks: (() => void)[] = [];
  const opened: string[] = [];
  const saved: { readonly name: string; readonly text: string }[] = [];
  const states: TrayState[] = [];
  const logFile = join(own, 'logs/app.log');
  const questions: MessageBoxOptions[] = [];
  const sentences: (string | undefined)[] = [];
  const counts = { quits: 0, exits: 0, menus: 0, relaunches: 0, shownRelaunches: 0 };
  let items: MenuItemConstructorOptions[] = [];
  let answer = 0;
  let isAwake = false;
  let aheadMs = 0;
  let isSignedIn = true;
  let openFault = '';

  const parts: DesktopParts = {
    app: Object.assign(app, {
      quit: () => void counts.quits++,
      exit: () => void counts.exits++,
      getVersion: () => '0.0.0',
      releaseSingleInstanceLock() {},
    }) as unknown as DesktopParts['app'],
    words: wordsOf('en'),
    locale: 'en-GB',
    fork: forks.fork,
    entry: join(import.meta.dirname, '../..', BUNDLE),
    dataDir,
    readSealKey: () => Promise.resolve(null),
    findProxy: () => Promise.resolve(null),
    startsInTray,
    ipc: { handle() {} },
    openWindow: (more) =>
      openWindow({
        ...more,
        create: () => makeWindow(windows),
        isSignedIn: () => Promise.resolve(isSignedIn),
        onContextMenu() {},
        after: (ms, act) => parts.after(ms, act),
        now: () => parts.now(),
        preload: 'preload.cjs',
        icon: 'icon.png',
      }),
    openTray: (more) =>
      openTray({
        ...more,
        create: () =>
          Object.assign(new EventEmitter(), {
            setImage() {},
            setToolTip() {},
            setContextMenu: () => void counts.menus++,
          }) as unknown as Tray,
        icon: (state) => (states.push(state), {}) as NativeImage,
        makeMenu: (made) => (sentences.push(made[0]?.label), (items = made)) as unknown as Menu,
      }),
    startAtLogin: { isPossible: true, get: () => false, set() {} },
    memory: openMemory(join(own, 'memory.json')),
    firewall: { platform: 'linux', executable: '/nowhere', systemRoot: '', run: () => Promise.resolve(true) },
    updates: {
      updater,
      stage: undefined,
      isReplaceable: () => Promise.resolve(true),
      previous: openPreviousVersion({
        platform: 'linux',
        executable: '/nowhere',
        program: appImage,
        installer: '/nowhere',
        folder: join(own, 'previous'),
        startDetached: () => Promise.resolve(),
        relaunch: () => void counts.relaunches++,
      }),
    },
    relaunch: (isShown) => void (isShown === true ? counts.shownRelaunches++ : counts.relaunches++),
    openPath: (path) => Promise.resolve((opened.push(path), openFault)),
    saveText: (name, text) => Promise.resolve(void saved.push({ name, text })),
    notify: (text, onClick) => void (notices.push(text), clicks.push(onClick)),
    ask: (question) => Promise.resolve((questions.push(question), answer)),
    power: power as unknown as DesktopParts['power'],
    stayAwake: {
      start: () => ((isAwake = true), 1),
      stop: () => ((isAwake = false), true),
    },
    async call(input, init) {
      const response = await fetch(input, init);
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      if (!response.ok || !pathname.endsWith('/api/overview')) return response;
      const overview = (await response.json()) as OverviewView;
      return Response.json({ ...overview, machine: { ...overview.machine, disk } });
    },
    now: () => Date.now() + aheadMs,
    after(ms, act) {
      // Polls every half second. Shortens the back-off of gateway restarts to a hundredth.
      const timer = setTimeout(act, ms === LOOK_MS ? 500 : ms / 100);
      return () => clearTimeout(timer);
    },
    log: openLog(logFile, Date.now),
    logFile,
    versions: { Node: process.versions.node },
  };
  const desktop = openDesktop(parts);
  whenDone(async () => {
    await desktop.gateway.stop();
    for (const folder of [dataDir, own]) rmSync(folder, { recursive: true, force: true });
  });

  return {
    dataDir,
    appImage,
    forks,
    windows,
    notices,
    questions,
    /** Clicks on a notification. */
    clickNotice: (text: string) => clicks[notices.indexOf(text)]?.(),
    /** Folders that were opened in the file manager. */
    opened,
    saved,
    logFile,
    /** Lines of the app's log. */
    logged: () => (existsSync(logFile) ? readFileSync(logFile, 'utf8').trimEnd().split('\n') : []),
    gateway: desktop.gateway,
    end: desktop.end,
    /** The only window. */
    window: () => windows[0] ?? makeRecord(),
    tray: {
      said: () => items[0]?.label,
      labels: () => items.map(({ label }) => label),
      /** All sentences that the tray has shown. */
      sentences,
      /** All states that the tray's icon has had. */
      states,
      menus: () => counts.menus,
      click: (label: string) =>
        items.find((item) => item.label === label)?.click?.(undefined as never, undefined, undefined as never),
    },
    emit: (name: string) => app.emit(name),
    /** Starts the app a second time, as a user or the operating system does. */
    startAgain: (...args: string[]) => app.emit('second-instance', {}, args),
    power: (name: string) => power.emit(name),
    /** Puts the machine to sleep for this time and wakes it. */
    sleep(ms: number) {
      power.emit('suspend');
      aheadMs += ms;
      power.emit('resume');
    },
    quits: () => counts.quits,
    exits: () => counts.exits,
    relaunches: () => counts.relaunches,
    shownRelaunches: () => counts.shownRelaunches,
    awake: () => isAwake,
    /** Makes the file manager answer with this error from now on. */
    setOpenFault: (fault: string) => void (openFault = fault),
    /** Ends the console session of the window. */
    signOut: () => void (isSignedIn = false),
    answer: (button: number) => void (answer = button),
    /** Makes the app poll the gateway now. */
    look: () => Promise.resolve(void power.emit('resume')),
    /** The address for tills. */
    url: () => {
      const state = desktop.gateway.state();
      if (state.kind !== 'running') throw new Error('the gateway does not run');
      return Promise.resolve(state.ready.api);
    },
  };
}

function makeRecord(): StandInWindow {
  return { loaded: [], isShown: false, crash() {}, press() {}, close: () => 'closed' };
}

function makeWindow(windows: StandInWindow[]): BrowserWindow {
  const record = makeRecord();
  windows.push(record);
  const window = Object.assign(new EventEmitter(), {
    webContents: Object.assign(new EventEmitter(), { setWindowOpenHandler() {}, forcefullyCrashRenderer() {} }),
    show: () => void (record.isShown = true),
    hide: () => void (record.isShown = false),
    focus() {},
    restore() {},
    isMinimized: () => false,
    loadURL(url: string) {
      record.loaded.push(/^data:.*;base64,/.test(url) ? atob(url.slice(url.indexOf(',') + 1)) : url);
      window.emit('ready-to-show');
      return Promise.resolve();
    },
  });
  record.crash = () => window.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
  record.press = (act) => window.webContents.emit('will-navigate', { url: `counterfoil:${act}?`, preventDefault() {} });
  record.close = () => {
    let isPrevented = false;
    window.emit('close', { preventDefault: () => (isPrevented = true) });
    return isPrevented ? 'prevented' : 'closed';
  };
  return window as unknown as BrowserWindow;
}
