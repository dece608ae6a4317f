// Takes the place of `node:worker_threads` in the bundles of threads: the port and the data of this use (thread-host.mjs). A
// thread that this thread starts is not reused, and runs from its source.

import { basename } from 'node:path';

export const { parentPort, workerData } = Reflect.get(globalThis, 'threadInUse');

const { Worker: NewThread } = process.getBuiltinModule('node:worker_threads');

export class Worker extends NewThread {
  /**
   * @param {URL} bundle
   * @param {import('node:worker_threads').WorkerOptions} options
   */
  constructor(bundle, options) {
    // The path also fits the folder of the bundles, because a bundle contains this module.
    super(
      new URL(`../../server/store/sqlite/engine/${basename(bundle.pathname, '.mjs')}.ts`, import.meta.url),
      options,
    );
  }
}
