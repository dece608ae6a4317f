// The app's menus offer editing, copying and zoom on every system, and the tray has its icons.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { applicationMenu, textMenu } from '../../electron/menu.ts';
import { TRAY_STATES } from '../../electron/shop.ts';
import { wordsOf } from '../../electron/words.ts';

const ALL = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true } as Electron.EditFlags;
const rolesOf = (items: readonly Electron.MenuItemConstructorOptions[]): (string | undefined)[] =>
  items.flatMap(({ role, type }) => (type === 'separator' ? [] : [role]));

test('the context menu edits in a field, copies a selection, and does not appear elsewhere', () => {
  const words = wordsOf('en');
  const field = textMenu({ isEditable: true, selectionText: '', editFlags: ALL }, words);
  expect(rolesOf(field)).toEqual(['cut', 'copy', 'paste', 'selectAll']);
  const selection = textMenu({ isEditable: false, selectionText: 'T1-000412', editFlags: ALL }, words);
  expect(rolesOf(selection)).toEqual(['copy']);
  expect(textMenu({ isEditable: false, selectionText: ' ', editFlags: ALL }, words)).toEqual([]);
});

test.each(['win32', 'darwin', 'linux'] as const)(
  '%s has zoom, editing and closing in its application menu',
  (platform) => {
    const menu = applicationMenu(platform, wordsOf('nl'));
    const roles = menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? rolesOf(submenu) : []));
    expect(roles).toEqual(expect.arrayContaining(['copy', 'paste', 'resetZoom', 'zoomIn', 'zoomOut', 'close']));
    expect(menu.some(({ role }) => role === 'appMenu')).toBe(platform === 'darwin');
    expect(menu.at(-1)?.label).toBe('Venster');
  },
);

test.each(TRAY_STATES)('the state %s has an icon for every system', (state) => {
  const folder = join(import.meta.dirname, '../../electron/public/tray');
  for (const end of ['.png', '.ico', 'Template.png']) expect(existsSync(join(folder, `${state}${end}`))).toBe(true);
});
