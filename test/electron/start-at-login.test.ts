// Starting with the session of whoever logs in, by the setting of the system.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { openStartAtLogin } from '../../electron/start-at-login.ts';
import { temporaryFolder } from '../support/temp-store.ts';

test.each([
  ['win32', { args: ['--in-tray'] }], // which Windows also looks for its entry by
  ['darwin', {}],
] as const)('on %s the system is told, with what it starts the app with', (platform, options) => {
  const app = {
    getLoginItemSettings: vi.fn<() => object>(() => ({ openAtLogin: true })),
    setLoginItemSettings: vi.fn<() => void>(),
  };
  const login = openStartAtLogin(app as never, { platform, configDir: '/nowhere', executable: '/app' });
  expect(login.get()).toBe(true);
  expect(app.getLoginItemSettings).toHaveBeenCalledWith(options);
  login.set(false);
  expect(app.setLoginItemSettings).toHaveBeenCalledWith({ openAtLogin: false, ...options });
});

test('on Linux it is a file, which is made and taken away', () => {
  const configDir = temporaryFolder();
  const executable = '/opt/a "b" $c 100%/counterfoil';
  const login = openStartAtLogin({} as never, { platform: 'linux', configDir, executable });
  const file = join(configDir, 'autostart/counterfoil.desktop');
  expect(login.get()).toBe(false);
  login.set(true);
  expect(login.get()).toBe(true);
  // As the specification of desktop entries has it: quoted, and escaped once more as any of their texts.
  expect(readFileSync(file, 'utf8')).toContain(String.raw`Exec="/opt/a \\"b\\" \\$c 100%%/counterfoil" --in-tray`);
  openStartAtLogin({} as never, { platform: 'linux', configDir, executable: '/opt/moved' });
  expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/moved" --in-tray');
  login.set(false);
  login.set(false);
  expect([login.get(), existsSync(file)]).toEqual([false, false]);
});
