// The app's menus: editing, zoom and the window, and the context menu of text. None reloads the page or looks into it. The menu
// bar stays hidden on Windows and Linux until somebody presses Alt; its shortcuts always work.

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
        // Plus is Shift and = on many keyboards; both zoom.
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

/** The context menu at a place of the page; empty where there is no text to edit or to copy. */
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
