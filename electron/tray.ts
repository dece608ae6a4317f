// The icon beside the clock, which says how the shop stands: whether all is well, and whether the machine may be switched off.

import type { Menu, MenuItemConstructorOptions, Tray } from 'electron';

import type { ShopStatus } from './shop.ts';
import type { VersionChoices } from './updates.ts';
import { say, type Words } from './words.ts';

export interface TrayOptions {
  readonly create: () => Tray;
  readonly makeMenu: (items: MenuItemConstructorOptions[]) => Menu;
  readonly words: Words;
  readonly onOpen: () => void;
  readonly onRestart: () => void;
  readonly onUpdate: () => void;
  readonly onGoBack: () => void;
  readonly onQuit: () => void;
}

/** Says how the shop stands, and which versions there are to choose. */
export type TrayShow = (status: ShopStatus, choices: VersionChoices) => void;

/** Returns what says something new. A tray that is told the same again stays as it is, so that an open menu stays open. */
export function openTray({
  create,
  makeMenu,
  words,
  onOpen,
  onRestart,
  onUpdate,
  onGoBack,
  onQuit,
}: TrayOptions): TrayShow {
  const tray = create();
  tray.on('click', onOpen);
  let said: string | undefined;
  return ({ sentence }, { update, previous }) => {
    const saying = [sentence, update, previous].join('\n');
    if (saying === said) return;
    said = saying;
    const versions: MenuItemConstructorOptions[] = [];
    if (update !== undefined) versions.push({ label: say(words.update, { version: update }), click: onUpdate });
    if (previous !== undefined) versions.push({ label: say(words.goBack, { version: previous }), click: onGoBack });
    tray.setToolTip(`Counterfoil: ${sentence}`);
    tray.setContextMenu(
      makeMenu([
        { label: sentence, enabled: false },
        { type: 'separator' },
        { label: words.open, click: onOpen },
        { label: words.restart, click: onRestart },
        ...versions,
        { type: 'separator' },
        { label: words.quit, click: onQuit },
      ]),
    );
  };
}
