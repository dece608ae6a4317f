// The icon beside the clock, which says how the shop stands: whether all is well, and whether the machine may be switched off.

import type { Menu, MenuItemConstructorOptions, Tray } from 'electron';

import type { Outlook } from './outlook.ts';
import type { Words } from './words.ts';

export interface TrayOptions {
  readonly create: () => Tray;
  readonly makeMenu: (items: MenuItemConstructorOptions[]) => Menu;
  readonly words: Words;
  readonly onOpen: () => void;
  readonly onRestart: () => void;
  readonly onQuit: () => void;
}

/** Returns what says something new. A tray that is told the same again stays as it is, so that an open menu stays open. */
export function openTray({
  create,
  makeMenu,
  words,
  onOpen,
  onRestart,
  onQuit,
}: TrayOptions): (outlook: Outlook) => void {
  const tray = create();
  tray.on('click', onOpen);
  let said: string | undefined;
  return ({ sentence }) => {
    if (sentence === said) return;
    said = sentence;
    tray.setToolTip(`Counterfoil: ${sentence}`);
    tray.setContextMenu(
      makeMenu([
        { label: sentence, enabled: false },
        { type: 'separator' },
        { label: words.open, click: onOpen },
        { label: words.restart, click: onRestart },
        { type: 'separator' },
        { label: words.quit, click: onQuit },
      ]),
    );
  };
}
