// What Electron gives a utility process, for one that a stand-in has forked: the port to whoever started it. As Electron's does,
// it keeps what is sent to it until somebody listens, and the process stays until it says that it ends.

import { EventEmitter } from 'node:events';

const parentPort = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void process.send?.(message),
});
parentPort.once('newListener', () => process.on('message', (data) => parentPort.emit('message', { data })));
Object.assign(process, { parentPort });
process.channel?.ref();
