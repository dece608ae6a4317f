// How the app starts at the user's login: by a setting of the operating system, or by a file that the system reads.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { openStartAtLogin, startAtLoginFile } from '../../electron/start-at-login.ts';
import { temporaryFolder } from '../support/temp-store.ts';

/** Opens the setting "start at login" of an installed app. The returned `app` records what is set in the operating system. */
function open(
  platform: NodeJS.Platform,
  { home = temporaryFolder(), executable = '/app', isPackaged = true, dataDir = undefined as string | undefined } = {},
) {
  const app = {
    isPackaged,
    getLoginItemSettings: vi.fn<() => object>(() => ({ openAtLogin: true })),
    setLoginItemSettings: vi.fn<() => void>(),
  };
  const file = startAtLoginFile(platform, home, join(home, '.config'));
  return { app, file, home, login: openStartAtLogin({ app: app as never, platform, executable, dataDir, file }) };
}

test('on Windows the setting has the arguments of the start', () => {
  const { app, login } = open('win32');
  const options = { args: ['--in-tray'] }; // Windows finds the entry only with these arguments
  expect(login.get()).toBe(true);
  expect(app.getLoginItemSettings).toHaveBeenCalledWith(options);
  login.set(false);
  expect(app.setLoginItemSettings).toHaveBeenCalledWith({ openAtLogin: false, ...options });
});

test('on Linux the entry is a file that can be created and removed', () => {
  const { login, file, home } = open('linux', { executable: '/opt/a "b" $c 100%/counterfoil' });
  expect(login.get()).toBe(false);
  login.set(true);
  expect(login.get()).toBe(true);
  // The desktop entry standard requires quotes, with escapes inside them. In addition each backslash is escaped, as in every
  // text of an entry.
  expect(readFileSync(file, 'utf8')).toContain(String.raw`Exec="/opt/a \\"b\\" \\$c 100%%/counterfoil" --in-tray`);
  open('linux', { home, executable: '/opt/moved' });
  expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/moved" --in-tray');
  login.set(false);
  login.set(false);
  expect([login.get(), existsSync(file)]).toEqual([false, false]);
});

test('the entry has the data directory of this start, and later starts without one keep it', () => {
  const { login, file, home } = open('linux', { dataDir: '/srv/the shop' });
  login.set(true);
  expect(readFileSync(file, 'utf8')).toContain('Exec="/app" --in-tray --data "/srv/the shop"\n');
  open('linux', { home });
  expect(readFileSync(file, 'utf8')).toContain('--data "/srv/the shop"');
  const { app, login: onWindows } = open('win32', { dataDir: '/srv/the shop' });
  onWindows.set(true);
  const args = ['--in-tray', '--data', '/srv/the shop'];
  expect(app.setLoginItemSettings).toHaveBeenCalledWith({ openAtLogin: true, args });
});

const hasPlist = spawnSync('python3', ['-c', 'import plistlib']).status === 0;

test.skipIf(!hasPlist)(
  'on macOS the entry is a job of launchd that starts the app in the tray, in sessions with a screen',
  () => {
    const executable = '/Applications/R&D <1>.app/Contents/MacOS/Counterfoil';
    const { login, file, home } = open('darwin', { executable });
    expect(file).toBe(join(home, 'Library/LaunchAgents/shop.counterfoil.gateway.plist'));
    login.set(true);
    expect(login.get()).toBe(true);
    const read = 'import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], "rb"))))';
    expect(JSON.parse(execFileSync('python3', ['-c', read, file], { encoding: 'utf8' }))).toEqual({
      Label: 'shop.counterfoil.gateway',
      ProgramArguments: [executable, '--in-tray'],
      RunAtLoad: true,
      LimitLoadToSessionType: 'Aqua',
      ProcessType: 'Interactive',
      AssociatedBundleIdentifiers: 'shop.counterfoil.gateway',
    });
    login.set(false);
    expect(existsSync(file)).toBe(false);
  },
);

test.each(['win32', 'darwin', 'linux'] as const)('a checkout on %s does not start at login', (platform) => {
  const { app, login, file } = open(platform, { isPackaged: false });
  expect([login.isPossible, login.get()]).toEqual([false, false]);
  expect(() => login.set(true)).toThrow('Only an installed app');
  expect([app.setLoginItemSettings.mock.calls, existsSync(file)]).toEqual([[], false]);
});
