// The program of a reused thread (reused-threads.ts): calls the function of a bundle for each use. It reports the end of a use
// when the bundle closes its port.

import { parentPort } from 'node:worker_threads';

/** @typedef {{ bundle: string, port: import('node:worker_threads').MessagePort, data: unknown }} Use */

/** @param {Use} use */
async function begin({ bundle, port, data }) {
  port.on('close', () => parentPort?.postMessage('closed'));
  Object.assign(globalThis, { threadInUse: { parentPort: port, workerData: data } });
  /** @type {{ default: () => void }} */
  const { default: use } = await import(bundle);
  use();
}

// If a use fails, the thread ends with the error, as a thread of its own would.
parentPort?.on('message', (/** @type {Use} */ use) => void begin(use));
