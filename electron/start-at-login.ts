// Starting with the session of whoever logs in. Windows and macOS have a setting for it; on Linux a file in a folder is one.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { App } from 'electron';

export interface StartAtLogin {
  get(): boolean;
  set(isOn: boolean): void;
}

/** `configDir` is where Linux keeps what is of the user: `~/.config`. */
export function openStartAtLogin(
  app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings'>,
  {
    platform,
    configDir,
    executable,
  }: { readonly platform: NodeJS.Platform; readonly configDir: string; readonly executable: string },
): StartAtLogin {
  if (platform !== 'linux') {
    const options = platform === 'win32' ? { args: [IN_TRAY] } : {}; // macOS says itself that it has started us
    return {
      get: () => app.getLoginItemSettings(options).openAtLogin,
      set: (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, ...options }),
    };
  }
  const folder = join(configDir, 'autostart');
  const file = join(folder, 'counterfoil.desktop');
  const get = (): boolean => existsSync(file) && !/^X-GNOME-Autostart-enabled=false$/m.test(readFileSync(file, 'utf8'));
  const set = (isOn: boolean): void => {
    if (!isOn) return rmSync(file, { force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, entryFor(executable));
  };
  try {
    if (get()) set(true); // the program may lie elsewhere by now
  } catch {
    // A home that takes nothing starts it as it did.
  }
  return { get, set };
}

/** Given where the machine starts the app, and not a person: it shows no window. */
export const IN_TRAY = '--in-tray';

/** Quoted as the desktop entry specification has it: in quotation marks, with what is special there escaped twice. */
function entryFor(executable: string): string {
  const quoted = executable
    .replaceAll(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%');
  return `[Desktop Entry]
Type=Application
Name=Counterfoil
Exec="${quoted}" ${IN_TRAY}
X-GNOME-Autostart-enabled=true
`;
}
