// The app's window: the gateway's console, or the failure page. The page has no Node, no permissions and cannot leave its
// origin. Closing the window leaves the gateway running. A page that crashes or hangs is reloaded with back-off.

import type { BrowserWindow, BrowserWindowConstructorOptions, ContextMenuParams, Session, WebContents } from 'electron';

import { type FailureAct, failureActOf } from './failure-page.ts';

/** Restricts the page to what a web page may do. */
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
  /** Whether the app is exiting, so that the window may close. */
  readonly isQuitting: () => boolean;
  /** Whether the window is still signed in to the console. */
  readonly isSignedIn: (origin: string) => Promise<boolean>;
  /** Opens the context menu of text. */
  readonly onContextMenu: (params: ContextMenuParams) => void;
  /** Called when the user closed the window. The window is then hidden, not destroyed. */
  readonly onHide: () => void;
  /** Called when the user pressed a button of the failure page. */
  readonly onFailureAct: (act: FailureAct) => void;
  /** Called when the Windows session ends: log-out or shutdown. */
  readonly onSessionEnd: () => void;
  /** Calls `act` after a pause before a reload. Returns a function that cancels the call. */
  readonly after: (ms: number, act: () => void) => () => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onFault: (doing: string, error: unknown) => void;
}

export interface AppWindow {
  /** Creates a hidden window. Windows reports the end of its session only to programs with a window. */
  prepare(): void;
  /** Shows the console, at a given screen if any, such as `/days?journal=1`. */
  show(path?: string): Promise<void>;
  /** Loads the failure page into the window. If `isShown` is true, also shows the window. */
  showFailure(page: string, isShown: boolean): Promise<void>;
  /** Signs in to the restarted gateway and loads its first screen. */
  signInAgain(): Promise<void>;
  /** Whether a message comes from the page that the app has opened in this window. */
  isOwn(sender: WebContents, url: string): boolean;
}

/** What the window shows or is loading. `origin` is undefined until the gateway has given a link. */
type Content =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'console'; origin: string | undefined; entering: Promise<void> | undefined }
  | { readonly kind: 'failure'; readonly page: string };

/** Back-off before the reload of a crashed page. */
const MIN_RELOAD_MS = 1000;
const MAX_RELOAD_MS = 60_000;
/** If a page ran at least this long, the next pause before a reload is the shortest one again. */
const BACKOFF_RESET_MS = 2 * 60_000;
/** If a page still does not respond after this time, it is ended and reloaded. */
const HANG_TIMEOUT_MS = 10_000;
/** Chromium's code: another navigation replaced this one. */
const ERR_ABORTED = -3;

export function openWindow(options: WindowOptions): AppWindow {
  const { after, now, onFault } = options;
  let window: BrowserWindow | undefined;
  let content: Content = { kind: 'nothing' };
  /** Whether the user wants to see the window; it may have no content yet. */
  let isWanted = false;
  let reloadMs = MIN_RELOAD_MS;
  let crashedAt = 0;
  let callOffReload = (): void => {};

  /**
   * Whether an address belongs to the console. False while the console's origin is unknown: an invalid address has no origin
   * either, and would otherwise be accepted.
   */
  const isOwnPage = (url: string): boolean =>
    content.kind === 'console' && content.origin !== undefined && URL.parse(url)?.origin === content.origin;

  function make(): BrowserWindow {
    const made = options.create({
      name: 'main', // Electron stores the window's size and place under this name
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
    made.once('ready-to-show', () => isWanted && made.show());
    made.on('close', (event) => {
      if (options.isQuitting()) return;
      event.preventDefault();
      made.hide();
      isWanted = false;
      options.onHide();
    });
    made.on('session-end', () => options.onSessionEnd());
    made.on('closed', () => (window = undefined));
    made.webContents.on('context-menu', (_event, params) => options.onContextMenu(params));
    made.webContents.on('will-navigate', ({ url }) => {
      const act = content.kind === 'failure' ? failureActOf(url) : undefined;
      if (act !== undefined) options.onFailureAct(act);
    });
    reloadAfterCrash(made);
    staysOnPage(made);
    lockIn(made.webContents, isOwnPage);
    return made;
  }

  /** Reloads a page that crashed or hangs. */
  function reloadAfterCrash(made: BrowserWindow): void {
    let callOffEnd = (): void => {};
    made.on('unresponsive', () => {
      callOffEnd = after(HANG_TIMEOUT_MS, () => made.webContents.forcefullyCrashRenderer());
    });
    made.on('responsive', () => callOffEnd());
    made.webContents.on('render-process-gone', (_event, { reason }) => {
      callOffEnd();
      if (reason === 'clean-exit' || options.isQuitting()) return;
      onFault('show the page', `it ended: ${reason}`);
      // so that `show` loads the page immediately, without the back-off
      if (content.kind === 'console') content.entering = undefined;
      if (now() - crashedAt > BACKOFF_RESET_MS) reloadMs = MIN_RELOAD_MS;
      crashedAt = now();
      loadLater(made);
    });
  }

  /** Retries with back-off until the page is loaded. */
  function loadLater(made: BrowserWindow): void {
    callOffReload();
    callOffReload = after(reloadMs, () => {
      load(made).catch((error: unknown) => {
        onFault('load the page again', error);
        if (!options.isQuitting()) loadLater(made);
      });
    });
    reloadMs = Math.min(reloadMs * 2, MAX_RELOAD_MS);
  }

  /**
   * Loads the page of the window again in two cases: the user left it with the mouse's back button, or its load was
   * interrupted.
   */
  function staysOnPage(made: BrowserWindow): void {
    const { webContents } = made;
    const restore = (): void => {
      if (content.kind === 'console') content.entering = undefined;
      load(made).catch((error: unknown) => onFault('bring the page back', error));
    };
    webContents.on('did-navigate', (_event, url) => {
      const isOurs = content.kind === 'failure' ? url === content.page : !url.startsWith('data:');
      if (content.kind !== 'nothing' && !isOurs) restore();
    });
    webContents.on('did-fail-load', (_event, code, _text, _url, isMainFrame) => {
      if (!isMainFrame || code === ERR_ABORTED) return;
      if (content.kind === 'failure') restore();
      if (content.kind !== 'console') return;
      // The link worked, but the console's page did not load, for example because the network changed. If the link itself
      // fails, `entering` rejects.
      const failed = content;
      failed.entering?.then(
        () => {
          failed.entering = undefined;
          loadLater(made);
        },
        () => {},
      );
    });
  }

  /** Loads the window's content, unless another call has already done so. */
  async function load(into: BrowserWindow): Promise<void> {
    if (content.kind === 'failure') await into.loadURL(content.page);
    if (content.kind === 'console' && content.entering === undefined) await signIn(into);
  }

  /** Signs in to the console with a new one-time link. */
  async function signIn(into: BrowserWindow, path?: string): Promise<void> {
    // Keeps the known origin. Until the console's new page replaces it, the page on screen may call the app.
    const origin = content.kind === 'console' ? content.origin : undefined;
    const mine: Content = { kind: 'console', origin, entering: undefined };
    content = mine;
    const comeIn = async (): Promise<void> => {
      const link = await options.createLink();
      mine.origin = new URL(link).origin;
      await into.loadURL(path === undefined ? link : `${link}&to=${encodeURIComponent(path)}`);
    };
    mine.entering = comeIn();
    try {
      await mine.entering;
    } catch (error) {
      mine.entering = undefined;
      throw error;
    }
  }

  /** Whether the session of the window is still valid. False after a sign-out, and if the session expired unused. */
  async function isSignedIn(into: Content & { kind: 'console' }): Promise<boolean> {
    await into.entering; // this sets `into.origin`
    return into.origin !== undefined && options.isSignedIn(into.origin).catch(() => false);
  }

  function reveal(made: BrowserWindow): void {
    if (made.isMinimized()) made.restore();
    made.show();
    made.focus();
  }

  return {
    prepare: () => void (window ??= make()),
    async show(path) {
      isWanted = true;
      const made = (window ??= make());
      const before = content;
      if (before.kind !== 'console' || before.entering === undefined) {
        await signIn(made, path);
        return reveal(made);
      }
      reveal(made);
      if (!(await isSignedIn(before))) await signIn(made, path);
      else if (path !== undefined) await made.loadURL(new URL(path, before.origin).href);
    },
    async showFailure(page, isShown) {
      isWanted ||= isShown;
      const made = (window ??= make());
      content = { kind: 'failure', page };
      await made.loadURL(page);
      if (isShown) reveal(made);
    },
    async signInAgain() {
      if (window !== undefined && content.kind !== 'nothing') await signIn(window);
    },
    isOwn: (sender, url) => sender === window?.webContents && isOwnPage(url),
  };
}

/** Restricts navigation to the gateway of this app. Forbids new windows and embedded pages. */
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

/** Denies every page all permissions, such as camera and location, except writing to the clipboard. */
export function denyPermissions(
  session: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>,
): void {
  // True for the permission to write to the clipboard, so that a click in the console can copy a key. Reading stays forbidden.
  const isCopying = (permission: string): boolean => permission === 'clipboard-sanitized-write';
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(isCopying(permission)));
  session.setPermissionCheckHandler((_contents, permission) => isCopying(permission));
  session.setDevicePermissionHandler(() => false);
}
