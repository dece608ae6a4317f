// What Electron gives a utility process, for one that a stand-in has forked: the port to whoever started it. As Electron's does,
// it keeps what is sent to it until somebody listens.

import { EventEmitter } from 'node:events';

const parentPort = new EventEmitter();
parentPort.once('newListener', () => {
  process.on('message', (data) => parentPort.emit('message', { data }));
  process.channel?.unref(); // it keeps no process alive
});
Object.assign(process, { parentPort });
process.channel?.unref();
