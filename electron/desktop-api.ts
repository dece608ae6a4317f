// What the console's window may ask of the desktop app, all of it. Data go over HTTP, as in any browser.

/** What the app says of itself. */
export interface DesktopView {
  readonly version: string;
  readonly startsAtLogin: boolean;
  /** Where the records are. */
  readonly dataDir: string;
  /** Whether this system has a keyring that opens: our keys upstream are sealed with it. */
  readonly hasKeyring: boolean;
}

/** `window.desktop` in the app's own window; a browser has none. */
export interface DesktopApi {
  getView(): Promise<DesktopView>;
  setStartAtLogin(isOn: boolean): Promise<DesktopView>;
  openDataFolder(): Promise<void>;
  restartGateway(): Promise<void>;
  quit(): Promise<void>;
}

/** The channel that the calls go over. */
export const DESKTOP_CHANNEL = 'counterfoil:desktop';

/** A call as it goes over; what it takes is checked on the other side. */
export type DesktopCall = keyof DesktopApi;
