// Takes the place of `node:worker_threads` in the bundles of threads: the port and the data of this use (thread-host.mjs). No
// thread starts another, so `Worker` is undefined.

export const { parentPort, workerData, Worker } = Reflect.get(globalThis, 'threadInUse');
