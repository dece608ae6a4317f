// The app's menus: editing, zoom, window, and the context menu of text. No menu item reloads or inspects the page. On Windows
// and Linux the menu bar is hidden until the user presses Alt; its shortcuts always work.

import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron';

import type { Words } from './words.ts';

/** The template of the application menu. */
export function applicationMenu(platform: NodeJS.Platform, { menus }: Words): MenuItemConstructorOptions[] {
  return [
    ...(platform === 'darwin' ? [{ role: 'appMenu' as const }] : []),
    {
      label: menus.edit,
      submenu: [
        { role: 'undo', label: menus.undo },
        { role: 'redo', label: menus.redo },
        { type: 'separator' },
        { role: 'cut', label: menus.cut },
        { role: 'copy', label: menus.copy },
        { role: 'paste', label: menus.paste },
        { role: 'selectAll', label: menus.selectAll },
      ],
    },
    {
      label: menus.view,
      submenu: [
        { role: 'resetZoom', label: menus.resetZoom },
        { role: 'zoomIn', label: menus.zoomIn },
        // On many keyboards, plus is typed with Shift and the = key. With this hidden item, Ctrl and = also zooms in.
        { role: 'zoomIn', label: menus.zoomIn, accelerator: 'CommandOrControl+=', visible: false },
        { role: 'zoomOut', label: menus.zoomOut },
      ],
    },
    {
      label: menus.window,
      submenu: [
        { role: 'minimize', label: menus.minimize },
        { role: 'close', label: menus.close },
      ],
    },
  ];
}

/** The context menu for a click on the page; empty if there is no text to edit or copy. */
export function textMenu(
  { isEditable, selectionText, editFlags }: Pick<ContextMenuParams, 'isEditable' | 'selectionText' | 'editFlags'>,
  { menus }: Words,
): MenuItemConstructorOptions[] {
  const copy = { role: 'copy', label: menus.copy, enabled: editFlags.canCopy } as const;
  if (isEditable)
    return [
      { role: 'cut', label: menus.cut, enabled: editFlags.canCut },
      copy,
      { role: 'paste', label: menus.paste, enabled: editFlags.canPaste },
      { type: 'separator' },
      { role: 'selectAll', label: menus.selectAll, enabled: editFlags.canSelectAll },
    ];
  return selectionText.trim() === '' ? [] : [copy];
}
