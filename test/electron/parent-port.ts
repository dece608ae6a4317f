// Makes a forked Node process look like Electron's utility process: the port to its parent, Electron's version and the kind
// of process, which libraries read. The port keeps messages until somebody listens, and keeps the process alive until it exits.

import { EventEmitter } from 'node:events';

const parentPort = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void process.send?.(message),
});
parentPort.once('newListener', () => process.on('message', (data) => parentPort.emit('message', { data })));
Object.assign(process, { parentPort });
process.channel?.ref();
// A utility process has no `process.defaultApp`.
Object.defineProperty(process.versions, 'electron', { value: '45.4.1', enumerable: true });
Object.defineProperty(process, 'type', { value: 'utility', enumerable: true });
