// Makes a forked Node process look like Electron's utility process. It sets the values that libraries read: the port to the
// parent, Electron's version and the kind of process. The port keeps messages until somebody listens. An open port keeps the
// process alive.

import { EventEmitter } from 'node:events';

const parentPort = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void process.send?.(message),
});
parentPort.once('newListener', () => process.on('message', (data) => parentPort.emit('message', { data })));
Object.assign(process, { parentPort });
process.channel?.ref();
// Only Electron's main process has `process.defaultApp`, so this file does not set it.
Object.defineProperty(process.versions, 'electron', { value: '45.4.1', enumerable: true });
Object.defineProperty(process, 'type', { value: 'utility', enumerable: true });
