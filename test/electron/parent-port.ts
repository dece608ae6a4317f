// What Electron gives a utility process, for one that a stand-in has forked: the port to whoever started it. As Electron's does,
// it keeps what is sent to it until somebody listens.

import { EventEmitter } from 'node:events';

const parentPort = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void process.send?.(message),
});
parentPort.once('newListener', () => {
  process.on('message', (data) => parentPort.emit('message', { data }));
  process.channel?.ref(); // whoever listens stays
});
Object.assign(process, { parentPort });
process.channel?.unref();
