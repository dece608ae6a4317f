// Answers calls from the app's window. Accepts only calls from the app's own page, and checks their arguments.

import type { IpcMain, IpcMainInvokeEvent, WebContents } from 'electron';

import { DESKTOP_CHANNEL, type DesktopApi, SHOWN_FILES } from './desktop-api.ts';

/** Answers the window's calls to the app. Refuses calls from other pages and unknown calls. */
export function answerCalls(
  ipc: Pick<IpcMain, 'handle'>,
  api: DesktopApi,
  isOwn: (sender: WebContents, url: string) => boolean,
): void {
  ipc.handle(DESKTOP_CHANNEL, async (event: IpcMainInvokeEvent, call: unknown, ...args: unknown[]) => {
    const { sender, senderFrame } = event;
    // Only the page itself may call: no frame inside it (`parent`), and no frame that was removed (`null`).
    if (senderFrame === null || senderFrame.parent !== null || !isOwn(sender, senderFrame.url))
      throw new Error('This call comes from another page.');
    switch (call) {
      case 'getView':
      case 'restartGateway':
      case 'quit':
        if (args.length > 0) throw new Error(`${call} takes nothing.`);
        return api[call]();
      case 'setStartAtLogin': {
        const [isOn, ...more] = args;
        if (typeof isOn !== 'boolean' || more.length > 0) throw new Error(`${call} takes true or false.`);
        return api.setStartAtLogin(isOn);
      }
      case 'showFiles': {
        const [asked, ...more] = args;
        const what = SHOWN_FILES.find((each) => each === asked);
        if (what === undefined || more.length > 0) throw new Error(`${call} takes one of ${SHOWN_FILES.join(', ')}.`);
        return api.showFiles(what);
      }
      default:
        throw new Error('There is no such call.');
    }
  });
}
