// The program of a reused thread (reused-threads.ts): evaluates a bundle once for each use. It reports the end of a use when
// the bundle closes its port.

import { parentPort } from 'node:worker_threads';

let uses = 0;

/** @param {{ bundle: string, port: import('node:worker_threads').MessagePort, data: unknown }} use */
function begin({ bundle, port, data }) {
  uses += 1;
  port.on('close', () => parentPort?.postMessage('closed'));
  Object.assign(globalThis, { threadInUse: { parentPort: port, workerData: data } });
  // If this fails, the thread ends with the error, as a thread of its own would.
  void import(`${bundle}?use=${uses}`);
}

parentPort?.on('message', begin);
