// Runs a copy of the desktop app in its own process, as Electron does. The process reports the app's calls to the stand-in as
// messages. Messages to the process trigger events. Arguments: the folder of the copy, and the options of the stand-in.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { StandIn } from './app-copy.ts';

const [folder = '', given = '{}'] = process.argv.slice(2);
const load = (path: string): Promise<unknown> => import(pathToFileURL(join(folder, path)).href);
const standIn = (await load('electron-stand-in.ts')) as StandIn;

Object.assign(standIn.given, JSON.parse(given));
standIn.told.on('call', (name: string, ...what: unknown[]) => {
  if (!process.connected) return;
  process.send?.([name, ...what]);
  if (name !== 'exit') return;
  process.exitCode = Number(what[0]);
  process.disconnect();
});
process.on('message', (name: string) => standIn.app.emit(name, { preventDefault() {} }));
process.channel?.unref(); // the channel must not keep the process alive
await load('electron/main.ts');
