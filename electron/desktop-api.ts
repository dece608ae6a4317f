// All calls that the console's window may make to the desktop app. Data use HTTP, as in any browser.

/** Information about the app. */
export interface DesktopView {
  readonly version: string;
  readonly startsAtLogin: boolean;
  /** False in a checkout, which cannot start at login. */
  readonly canStartAtLogin: boolean;
  /** Folder of the records. */
  readonly dataDir: string;
  /** Whether this system has a usable keyring. It seals our upstream keys. */
  readonly hasKeyring: boolean;
}

/** What to show in the file manager: a folder, or a diagnostics file that is saved first. */
export const SHOWN_FILES = ['data', 'logs', 'diagnostics'] as const;
export type ShownFiles = (typeof SHOWN_FILES)[number];

/** `window.desktop` in the app's own window; a browser has none. */
export interface DesktopApi {
  getView(): Promise<DesktopView>;
  setStartAtLogin(isOn: boolean): Promise<DesktopView>;
  showFiles(what: ShownFiles): Promise<void>;
  restartGateway(): Promise<void>;
  quit(): Promise<void>;
}

/** The channel of the calls. */
export const DESKTOP_CHANNEL = 'counterfoil:desktop';

/** A call in transit. The other side checks its arguments. */
export type DesktopCall = keyof DesktopApi;
