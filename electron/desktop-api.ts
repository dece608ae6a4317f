// All calls that the console's window may make to the desktop app. The window reads sales and settings by HTTP, as any browser does.

/** Information about the app. */
export interface DesktopView {
  readonly version: string;
  readonly startsAtLogin: boolean;
  /** Whether the app can start at login. False in a checkout. */
  readonly canStartAtLogin: boolean;
  /** Folder of the records. */
  readonly dataDir: string;
  /** Whether this system has a usable keyring. If it has one, the gateway encrypts the stored keys of upstreams. */
  readonly hasKeyring: boolean;
  /**
   * Whether the app looks for updates. False if the app cannot update itself: a checkout, a package of the system, or a build
   * without an update address.
   */
  readonly looksForUpdates: boolean;
  /** The newer version; null if none is known. If `isAutomatic` is true, the app installs it when tills are quiet. */
  readonly update: { readonly version: string; readonly isAutomatic: boolean } | null;
}

/** What the app can show in the file manager: a folder, or a diagnostics file, which the app saves first. */
export const SHOWN_FILES = ['data', 'logs', 'diagnostics'] as const;
export type ShownFiles = (typeof SHOWN_FILES)[number];

/** The type of `window.desktop`, which exists only in the app's own window, not in a browser. */
export interface DesktopApi {
  getView(): Promise<DesktopView>;
  setStartAtLogin(isOn: boolean): Promise<DesktopView>;
  showFiles(what: ShownFiles): Promise<void>;
  restartGateway(): Promise<void>;
  quit(): Promise<void>;
}

/** The channel on which the window sends its calls to the app. */
export const DESKTOP_CHANNEL = 'counterfoil:desktop';

/** The name of a call, as the window sends it. The app checks name and arguments. */
export type DesktopCall = keyof DesktopApi;
