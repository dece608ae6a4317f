// The app's window: the console that the gateway serves, locked into it. It has no Node, no permissions, goes nowhere else,
// and closing it leaves the gateway running.

import type { BrowserWindow, BrowserWindowConstructorOptions, Session, WebContents } from 'electron';

/** Everything that keeps the page of the window from being more than a page. */
const WEB_PREFERENCES = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: false,
} as const satisfies BrowserWindowConstructorOptions['webPreferences'];

export interface WindowOptions {
  readonly create: (options: BrowserWindowConstructorOptions) => BrowserWindow;
  readonly preload: string;
  readonly icon: string;
  /** A one-time link into the console. */
  readonly createLink: () => Promise<string>;
  /** Whether the app is about to end, and the window may go with it. */
  readonly isQuitting: () => boolean;
  /** Whether the window is still signed in to the console. */
  readonly isSignedIn: (origin: string) => Promise<boolean>;
  /** Windows ends its session. */
  readonly onSessionEnd: () => void;
}

export interface AppWindow {
  /** Shows it, made anew where there is none. */
  show(): Promise<void>;
  /** Loads the console anew: the gateway has started again and knows nobody. */
  enterAgain(): Promise<void>;
  /** Whether a message comes from the page that the window is for. */
  isOwn(sender: WebContents, url: string): boolean;
}

export function openWindow(options: WindowOptions): AppWindow {
  let window: BrowserWindow | undefined;
  /** Of the console that is in the window. */
  let origin: string | undefined;
  /** The console comes in, or is in; undefined where it could not. */
  let entering: Promise<void> | undefined;
  /** Before there is a console no page is ours: two addresses that are not there are not the same. */
  const isOwnPage = (url: string): boolean => origin !== undefined && URL.parse(url)?.origin === origin;

  /** Somebody may have signed out, and a session ends that nobody has used for long. */
  async function isSignedIn(): Promise<boolean> {
    await entering;
    return origin !== undefined && options.isSignedIn(origin).catch(() => false);
  }

  function make(): BrowserWindow {
    const made = options.create({
      name: 'main', // its size and place are kept under this name
      windowStatePersistence: true,
      width: 1280,
      height: 800,
      minWidth: 360,
      minHeight: 480,
      show: false,
      title: 'Counterfoil',
      icon: options.icon,
      autoHideMenuBar: true,
      webPreferences: { ...WEB_PREFERENCES, preload: options.preload },
    });
    made.once('ready-to-show', () => made.show());
    made.on('close', (event) => {
      if (options.isQuitting()) return;
      event.preventDefault();
      made.hide();
    });
    made.on('session-end', () => options.onSessionEnd());
    made.on('closed', () => (window = undefined));
    lockIn(made.webContents, isOwnPage);
    return made;
  }

  async function comeIn(into: BrowserWindow): Promise<void> {
    const link = await options.createLink();
    origin = new URL(link).origin;
    await into.loadURL(link);
  }

  async function enter(into: BrowserWindow): Promise<void> {
    const mine = comeIn(into);
    entering = mine;
    try {
      await mine;
    } catch (error) {
      if (entering === mine) entering = undefined;
      throw error;
    }
  }

  return {
    async show() {
      if (window !== undefined) {
        if (entering === undefined) await enter(window);
        if (window.isMinimized()) window.restore();
        window.show();
        window.focus();
        if (!(await isSignedIn())) await enter(window);
        return;
      }
      window = make();
      await enter(window);
    },
    async enterAgain() {
      if (window !== undefined) await enter(window);
    },
    isOwn: (sender, url) => sender === window?.webContents && isOwnPage(url),
  };
}

/** Lets the page go nowhere but to its own gateway, open nothing, and attach nothing. */
function lockIn(contents: WebContents, isOwnPage: (url: string) => boolean): void {
  const keep = (event: { preventDefault(): void }, url: string): void => {
    if (!isOwnPage(url)) event.preventDefault();
  };
  contents.on('will-navigate', (event) => keep(event, event.url));
  contents.on('will-redirect', (event) => keep(event, event.url));
  contents.on('will-frame-navigate', (event) => keep(event, event.url));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

/** What no page may ever have. Downloads are the console's exports, and go where the person says. */
export function denyPermissions(
  session: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>,
): void {
  // Keys are copied to the clipboard by a click, which is checked and asked for; that is all.
  const isCopying = (permission: string): boolean => permission === 'clipboard-sanitized-write';
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(isCopying(permission)));
  session.setPermissionCheckHandler((_contents, permission) => isCopying(permission));
  session.setDevicePermissionHandler(() => false);
}
