// Threads of the store that tests use one after the other. Starting a thread takes a tenth of a second of processor time, and
// most tests open a store. So when a store has closed, its threads wait for the next store. For each use, a thread runs the
// statements of its module again, with a new port and new data. vitest.config.ts puts this module in the place of `node:worker_threads` in
// engine/thread.ts. Programs that tests start have real threads.

import { EventEmitter, once } from 'node:events';
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MessagePort, Transferable, Worker as Thread, WorkerOptions } from 'node:worker_threads';

/** An import of the module would find this file instead. */
const { MessageChannel, parentPort, Worker: NewThread, workerData } = process.getBuiltinModule('node:worker_threads');
export { MessageChannel, parentPort, workerData };

/** The folder in which thread-bundles.ts writes. */
const BUNDLES = join(import.meta.dirname, '../../test-results/threads');

/** The threads that wait, by their options. */
const waiting = new Map<string, Thread[]>();

/** A `Worker` as far as engine/thread.ts uses it. */
export class Worker extends EventEmitter {
  readonly #thread: Thread;
  readonly #port: MessagePort;

  constructor(source: URL, { workerData: data, ...options }: WorkerOptions) {
    super();
    const kind = JSON.stringify(options);
    const known = waiting.get(kind)?.pop();
    const thread = known ?? start(kind, options);
    this.#thread = thread;
    const { port1: port, port2 } = new MessageChannel();
    this.#port = port;

    let isOver = false;
    const fail = (error: unknown): void => void this.emit('error', error);
    const end = (code: number): void => {
      isOver = true;
      thread.off('error', fail).off('exit', end);
      port.close();
      this.emit('exit', code);
    };
    thread.on('error', fail).on('exit', end).ref();
    port.on('message', (message: unknown) => this.emit('message', message));
    // The port closes after its last message. The thread then says that it can be used again.
    Promise.all([once(port, 'close'), once(thread, 'message')]).then(
      () => {
        if (isOver) return;
        thread.unref(); // a thread that waits does not keep the process running
        waiting.set(kind, [...(waiting.get(kind) ?? []), thread]);
        end(0);
      },
      () => {}, // the thread failed, which `fail` has reported
    );
    const path = join(BUNDLES, `${basename(source.pathname, '.ts')}.mjs`);
    // In watch mode, a bundle changes between two uses of a thread.
    const bundle = `${pathToFileURL(path).href}?built=${statSync(path).mtimeMs}`;
    thread.postMessage({ bundle, port: port2, data }, [port2]);
    if (known !== undefined) process.emit('worker', this as never); // Node does this for a new thread
  }

  postMessage(message: unknown, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  terminate(): Promise<number> {
    return this.#thread.terminate();
  }
}

function start(kind: string, options: WorkerOptions): Thread {
  const thread = new NewThread(new URL('thread-host.mjs', import.meta.url), options);
  // A thread that has ended does not wait for another use.
  thread.once('exit', () =>
    waiting.set(
      kind,
      (waiting.get(kind) ?? []).filter((each) => each !== thread),
    ),
  );
  return thread;
}
