// Starts the app at the user's login. On Windows this is a setting; on Linux and macOS it is a file in a folder that the system
// reads. All three systems start the app with `--in-tray`. The app needs this argument: since macOS 13, it cannot find out in
// another way that the system started it.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { App } from 'electron';

/** The argument with which the system starts the app at login. The app then shows no window. */
export const IN_TRAY = '--in-tray';
/** The app's name for Windows and macOS. */
export const APP_ID = 'shop.counterfoil.gateway';

export interface StartAtLogin {
  /** Whether the app can start at login. False in a checkout, where Electron would start without the app. */
  readonly isPossible: boolean;
  get(): boolean;
  /** Turns the start at login on or off. Throws if `isPossible` is false. */
  set(isOn: boolean): void;
}

export interface StartAtLoginParts {
  readonly app: Pick<App, 'isPackaged' | 'getLoginItemSettings' | 'setLoginItemSettings'>;
  readonly platform: NodeJS.Platform;
  readonly executable: string;
  /** The value of `--data` at this start; undefined without it. A start at login must use the same value. */
  readonly dataDir: string | undefined;
  /** The file that Linux or macOS reads. */
  readonly file: string;
}

export function openStartAtLogin({ app, platform, executable, dataDir, file }: StartAtLoginParts): StartAtLogin {
  const args = [IN_TRAY, ...(dataDir === undefined ? [] : ['--data', dataDir])];
  if (!app.isPackaged)
    return {
      isPossible: false,
      get: () => false,
      set() {
        throw new Error('Only an installed app can start with the machine.');
      },
    };
  if (platform === 'win32') {
    const options = { args }; // the arguments are also needed to read the setting, because Windows finds the entry by them
    return {
      isPossible: true,
      get: () => app.getLoginItemSettings(options).openAtLogin,
      set: (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, ...options }),
    };
  }
  const makeEntry = platform === 'darwin' ? launchAgent : desktopEntry;
  const entry = makeEntry([executable, ...args]);
  /** The start of the file's text, up to `--in-tray`. It names this program, and contains no data directory. */
  const ownStart = entry.slice(0, entry.indexOf(IN_TRAY));
  const get = (): boolean => existsSync(file) && !/^X-GNOME-Autostart-enabled=false$/m.test(readFileSync(file, 'utf8'));
  const set = (isOn: boolean): void => {
    if (!isOn) return rmSync(file, { force: true });
    if (existsSync(file) && readFileSync(file, 'utf8') === entry) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, entry, { flush: true });
    renameSync(`${file}.new`, file);
  };
  try {
    if (get() && !readFileSync(file, 'utf8').startsWith(ownStart)) set(true); // the file starts the program at its old path
  } catch {
    // If the home directory is not writable, the entry stays unchanged.
  }
  return { isPossible: true, get, set };
}

/** The path where Linux or macOS reads the file. `configDir` is `~/.config`. */
export function startAtLoginFile(platform: NodeJS.Platform, home: string, configDir: string): string {
  return platform === 'darwin'
    ? `${home}/Library/LaunchAgents/${APP_ID}.plist`
    : `${configDir}/autostart/counterfoil.desktop`;
}

/**
 * Makes a desktop entry. Its command is quoted as the standard demands: in quotation marks, with special characters escaped
 * twice.
 */
function desktopEntry(command: readonly string[]): string {
  const quoted = command.map((part) => {
    const escaped = part
      .replaceAll(/["`$\\]/g, '\\$&')
      .replaceAll('\\', '\\\\')
      .replaceAll('%', '%%');
    return part.startsWith('--') ? part : `"${escaped}"`;
  });
  return `[Desktop Entry]
Type=Application
Name=Counterfoil
Exec=${quoted.join(' ')}
X-GNOME-Autostart-enabled=true
`;
}

/** The file that makes macOS start the app at login. Because of the identifier in it, System Settings shows the app's name. */
function launchAgent(command: readonly string[]): string {
  const text = (value: string): string =>
    `<string>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${text(APP_ID)}
  <key>ProgramArguments</key><array>${command.map(text).join('')}</array>
  <key>RunAtLoad</key><true/>
  <key>LimitLoadToSessionType</key>${text('Aqua')}
  <key>ProcessType</key>${text('Interactive')}
  <key>AssociatedBundleIdentifiers</key>${text(APP_ID)}
</dict>
</plist>
`;
}
