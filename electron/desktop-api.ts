// What the console's window may ask of the desktop app, all of it. Data go over HTTP, as in any browser.

/** What the app says of itself. */
export interface DesktopView {
  readonly version: string;
  readonly startsAtLogin: boolean;
  /** False in a checkout, which cannot start with the machine. */
  readonly canStartAtLogin: boolean;
  /** Where the records are. */
  readonly dataDir: string;
  /** Whether this system has a keyring that opens: our keys upstream are sealed with it. */
  readonly hasKeyring: boolean;
}

/** What the app shows in the system's file manager: a folder, or a file with diagnostics that it saves first. */
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

/** The channel that the calls go over. */
export const DESKTOP_CHANNEL = 'counterfoil:desktop';

/** A call as it goes over; what it takes is checked on the other side. */
export type DesktopCall = keyof DesktopApi;
