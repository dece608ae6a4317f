// A stand-in for Electron while electron/main.ts runs once. It shows nothing and records all calls. Its fake gateway reports
// immediately that it is ready.

import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import type * as Electron from 'electron';

import type { DesktopMessage } from '../../server/contract/desktop.ts';

/** The console address that the fake gateway reports. */
export const ORIGIN = 'http://127.0.0.1:1';

/** All calls to Electron in order: the name of the call, then its arguments. */
export const calls: (readonly [name: string, ...given: unknown[]])[] = [];
/** Emits the event `call` after each call. */
export const told = new EventEmitter();
/** The test sets `isFirst`: whether this is the first running instance of the app. */
export const given = { isFirst: true };

// A packaged app has its resources in this folder. The stand-in has no resources.
Object.defineProperty(process, 'resourcesPath', { value: import.meta.dirname, configurable: true });

function tell(name: string, ...what: unknown[]): void {
  calls.push([name, ...what]);
  told.emit('call', name, ...what);
}

export const app = Object.assign(new EventEmitter(), {
  enableSandbox: () => tell('enableSandbox'),
  setAppUserModelId: (id) => tell('setAppUserModelId', id),
  whenReady: () => Promise.resolve().then(() => tell('ready')),
  isPackaged: true,
  setPath: (name, path) => tell('setPath', name, path),
  relaunch: () => tell('relaunch'),
  requestSingleInstanceLock: () => given.isFirst,
  releaseSingleInstanceLock() {},
  commandLine: {
    hasSwitch: () => false,
  } as unknown as Electron.CommandLine,
  getVersion: () => '0.0.0',
  getLocale: () => 'en-GB',
  getPath: (name) => join(import.meta.dirname, name),
  getLoginItemSettings: () => ({ openAtLogin: false }) as Electron.LoginItemSettings,
  setLoginItemSettings: (settings) => tell('setLoginItemSettings', settings),
  quit: () => tell('quit'),
  exit: (code) => tell('exit', code),
} satisfies Partial<Electron.App>);

class Contents extends EventEmitter {
  forcefullyCrashRenderer(): void {
    tell('forcefullyCrashRenderer');
  }
  openHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] | undefined;

  setWindowOpenHandler(handler: Contents['openHandler']): void {
    this.openHandler = handler;
  }
}

type WindowCalls = 'show' | 'hide' | 'focus' | 'restore' | 'isMinimized' | 'isVisible' | 'loadURL';

export class BrowserWindow extends EventEmitter implements Pick<Electron.BrowserWindow, WindowCalls> {
  static readonly all: BrowserWindow[] = [];
  static getAllWindows(): readonly BrowserWindow[] {
    return BrowserWindow.all;
  }
  isShown = false;
  readonly webContents = new Contents();
  readonly options: Electron.BrowserWindowConstructorOptions;

  constructor(options: Electron.BrowserWindowConstructorOptions) {
    super();
    this.options = options;
    BrowserWindow.all.push(this);
    tell('BrowserWindow', this);
  }
  show(): void {
    this.isShown = true;
    tell('show');
  }
  hide(): void {
    this.isShown = false;
    tell('hide');
  }
  isVisible(): boolean {
    return this.isShown;
  }
  focus(): void {}
  restore(): void {}
  isMinimized(): boolean {
    return false;
  }
  loadURL(url: string): Promise<void> {
    this.emit('ready-to-show');
    tell('loadURL', url);
    return Promise.resolve();
  }
}

/** The permission handlers that the app has registered. */
export const permissions: {
  request?: Parameters<Electron.Session['setPermissionRequestHandler']>[0];
  check?: Parameters<Electron.Session['setPermissionCheckHandler']>[0];
  device?: Parameters<Electron.Session['setDevicePermissionHandler']>[0];
} = {};

export const session = {
  defaultSession: {
    resolveProxy: () => Promise.resolve('DIRECT'),
    fetch: () => Promise.resolve(new Response()),
    setPermissionRequestHandler: (handler) => void (permissions.request = handler),
    setPermissionCheckHandler: (handler) => void (permissions.check = handler),
    setDevicePermissionHandler: (handler) => void (permissions.device = handler),
  } satisfies Partial<Electron.Session>,
};

/** The handlers of calls from the window, by channel. */
export const handlers = new Map<string, Parameters<Electron.IpcMain['handle']>[1]>();

export const ipcMain: Pick<Electron.IpcMain, 'handle'> = {
  handle: (channel, handler) => void handlers.set(channel, handler),
};

/** The objects that the preload script exposed to the page, by name. */
export const exposed = new Map<string, unknown>();

export const contextBridge: Pick<Electron.ContextBridge, 'exposeInMainWorld'> = {
  exposeInMainWorld: (name, api) => void exposed.set(name, api),
};
export const ipcRenderer: Pick<Electron.IpcRenderer, 'invoke'> = {
  invoke: (...call) => Promise.resolve(tell('invoke', ...call)),
};

export const Menu = {
  buildFromTemplate: (items: Electron.MenuItemConstructorOptions[]) => items,
  setApplicationMenu: (menu: unknown) => tell('setApplicationMenu', menu),
};
export const nativeImage = { createFromPath: (path: string) => ({ path }) };
export class Notification extends EventEmitter implements Pick<Electron.Notification, 'show'> {
  readonly options: Electron.NotificationConstructorOptions;

  constructor(options: Electron.NotificationConstructorOptions) {
    super();
    this.options = options;
  }
  show(): void {
    tell('notice', this.options.body);
  }
}
export class Tray extends EventEmitter implements Pick<Electron.Tray, 'setImage' | 'setToolTip' | 'setContextMenu'> {
  setImage(image: unknown): void {
    tell('setImage', image);
  }
  setToolTip(text: string): void {
    tell('setToolTip', text);
  }
  setContextMenu(): void {}
}
export const dialog = {
  showErrorBox() {},
  showMessageBox: (...given: unknown[]) => (tell('showMessageBox', ...given), Promise.resolve({ response: 0 })),
  showSaveDialog: () => Promise.resolve({ canceled: true }),
};
export const autoUpdater: Pick<Electron.AutoUpdater, 'checkForUpdates'> = { checkForUpdates() {} };
export const powerMonitor = new EventEmitter();
export const powerSaveBlocker: Pick<Electron.PowerSaveBlocker, 'start' | 'stop'> = { start: () => 1, stop: () => true };
/** Acts like a system without a keyring. */
export const safeStorage: Pick<Electron.SafeStorage, 'isAsyncEncryptionAvailable'> = {
  isAsyncEncryptionAvailable: () => Promise.resolve(false),
};
export const shell: Pick<Electron.Shell, 'openPath'> = { openPath: () => Promise.resolve('') };

export const utilityProcess = {
  fork(path: string, args: string[], { execArgv = [] }: Electron.ForkOptions) {
    const [command] = args;
    tell('fork', path, args, execArgv);
    const stdout = new PassThrough();
    const end = (): void => void child.emit('exit', 0);
    const child = Object.assign(new EventEmitter(), {
      stdout,
      stderr: new PassThrough().end(),
      kill: () => (end(), true),
      postMessage(message: DesktopMessage) {
        tell('postMessage', message.kind);
        if (message.kind === 'stop') end();
        if (message.kind === 'link')
          setImmediate(() => child.emit('message', { kind: 'link', id: message.id, link: `${ORIGIN}/` }));
      },
    });
    const said =
      command === 'serve' ? { ready: true, api: ORIGIN, console: ORIGIN, data: '/data' } : { local_link: `${ORIGIN}/` };
    stdout.write(`${JSON.stringify(said)}\n`);
    if (command !== 'serve') {
      stdout.end();
      setImmediate(end);
    }
    return child;
  },
};
