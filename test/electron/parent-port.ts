// What Electron gives a utility process, for one that a stand-in has forked: the port to whoever started it.

import { EventEmitter } from 'node:events';

const parentPort = new EventEmitter();
Object.assign(process, { parentPort });
process.on('message', (data) => parentPort.emit('message', { data }));
process.channel?.unref(); // it keeps no process alive
