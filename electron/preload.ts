// Runs in the window before the page is loaded. It gives the page the calls of the desktop app, and nothing else.

import { contextBridge, ipcRenderer } from 'electron';

import { DESKTOP_CHANNEL, type DesktopApi, type DesktopCall, type DesktopView } from './desktop-api.ts';

const call = (name: DesktopCall, ...args: unknown[]): Promise<unknown> =>
  ipcRenderer.invoke(DESKTOP_CHANNEL, name, ...args);

const api: DesktopApi = {
  getView: () => call('getView') as Promise<DesktopView>,
  setStartAtLogin: (isOn) => call('setStartAtLogin', isOn) as Promise<DesktopView>,
  showFiles: (what) => call('showFiles', what) as Promise<void>,
  restartGateway: () => call('restartGateway') as Promise<void>,
  quit: () => call('quit') as Promise<void>,
};

contextBridge.exposeInMainWorld('desktop', api);
