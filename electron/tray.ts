// The tray icon: shows the shop's state, and whether the computer can be switched off.

import type { Menu, MenuItemConstructorOptions, NativeImage, Tray } from 'electron';

import type { ShopStatus, TrayState } from './shop.ts';
import type { VersionChoices } from './updates.ts';
import { say, type Words } from './words.ts';

export interface TrayOptions {
  readonly create: (icon: NativeImage) => Tray;
  readonly icon: (state: TrayState) => NativeImage;
  readonly makeMenu: (items: MenuItemConstructorOptions[]) => Menu;
  readonly words: Words;
  readonly onOpen: () => void;
  readonly onRestart: () => void;
  readonly onOpenLogs: () => void;
  readonly onSaveDiagnostics: () => void;
  readonly onUpdate: () => void;
  readonly onGoBack: () => void;
  readonly onQuit: () => void;
}

/** Shows the shop's state, and the versions that the user can install. */
export type TrayShow = (status: ShopStatus, choices: VersionChoices) => void;

/** Returns a function that shows a state. An equal state changes nothing, so that an open menu stays open. */
export function openTray(options: TrayOptions): TrayShow {
  const { create, icon, makeMenu, words, onOpen, onRestart, onUpdate, onGoBack, onQuit } = options;
  let state: TrayState = 'stopped';
  const tray = create(icon(state));
  tray.on('click', onOpen);
  let said: string | undefined;
  return ({ state: next, sentence }, { update, previous }) => {
    if (next !== state) tray.setImage(icon(next));
    state = next;
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
        { label: words.openLogs, click: options.onOpenLogs },
        { label: words.saveDiagnostics, click: options.onSaveDiagnostics },
        { type: 'separator' },
        { label: words.quit, click: onQuit },
      ]),
    );
  };
}
