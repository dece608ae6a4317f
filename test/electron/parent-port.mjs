// Runs a program in a forked Node process that looks like Electron's utility process. It sets the values that libraries read:
// the port to the parent, Electron's version and the kind of process. The port keeps messages until somebody listens. An open
// port keeps the process alive. The first argument is the path of the program. Node's option --import would load this file in
// every thread of the program too, which doubles the processor time of a start.

import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';

const parentPort = Object.assign(new EventEmitter(), {
  /** @param {unknown} message */
  postMessage: (message) => void process.send?.(message),
});
parentPort.once('newListener', () => process.on('message', (data) => parentPort.emit('message', { data })));
Object.assign(process, { parentPort });
process.channel?.ref();
// Only Electron's main process has `process.defaultApp`, so this file does not set it.
Object.defineProperty(process.versions, 'electron', { value: '45.4.1', enumerable: true });
Object.defineProperty(process, 'type', { value: 'utility', enumerable: true });

process.argv.splice(1, 1);
const [, program = ''] = process.argv;
await import(pathToFileURL(program).href);
