// Calls across a thread border: a named operation with its arguments goes over, its result or error comes back.
// Operations run one at a time, in the order they were called. An error keeps its code, so that it can be
// classified on this side too.

import { extname } from 'node:path';
import { type MessagePort, parentPort, type Transferable, Worker, workerData } from 'node:worker_threads';

/** Arguments and results are what structured clone carries. Each thread has an operations type of its own. */
export type Operations = Record<string, (...args: never[]) => unknown>;

interface Request {
  readonly id: number;
  readonly operation: string;
  readonly args: unknown[];
}

type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: FailureText };

interface FailureText {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly stack: string | undefined;
}

/** An error that happened in the other thread: `code` is the one it had there (`SQLITE_FULL`, …). */
class ThreadError extends Error {
  readonly code: string | undefined;
  constructor(text: FailureText) {
    super(text.message);
    this.name = text.name;
    this.code = text.code;
    if (text.stack !== undefined) this.stack = text.stack;
  }
}

const MAX_CLOSE_MS = 2000;

export interface Thread<T extends Operations> {
  /** Runs one operation there. `transfer` lists buffers that change hands. Rejects with a ThreadError, or once the thread is dead with its death. */
  call<K extends keyof T & string>(
    operation: K,
    args: Parameters<T[K]>,
    transfer?: readonly Transferable[],
  ): Promise<Awaited<ReturnType<T[K]>>>;
  /** Ends the thread after the operations called so far, or two seconds later in the middle of one; safe to call twice. */
  close(): Promise<void>;
  /** Called once if the thread ends without having been asked to. */
  onDeath(listener: (cause: Error) => void): void;
}

/**
 * Starts the module `name` beside this one as a thread and resolves when it answers. The extension follows this
 * file's own, so that source and bundle both find it.
 */
export async function startThread<T extends Operations>(
  name: 'writer' | 'reader' | 'comparer' | 'examiner' | 'copier',
  data: unknown,
  memoryMiB: number,
): Promise<Thread<T>> {
  const extension = extname(import.meta.filename);
  const worker = new Worker(new URL(`./${name}${extension}`, import.meta.url), {
    name: `counterfoil-${name}`,
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: memoryMiB, maxYoungGenerationSizeMb: 16 },
  });
  const calls = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  const deathListeners: ((cause: Error) => void)[] = [];
  let lastId = 0;
  let death: Error | undefined;
  let isClosing = false;

  const die = (cause: Error): void => {
    if (death !== undefined) return;
    death = cause;
    for (const call of calls.values()) call.reject(cause);
    calls.clear();
    if (!isClosing) for (const listener of deathListeners) listener(cause);
  };

  await new Promise<void>((resolve, reject) => {
    worker.on('message', (answer: Answer) => {
      if (answer.kind === 'ready') return resolve();
      const call = calls.get(answer.id);
      calls.delete(answer.id);
      if (answer.kind === 'result') call?.resolve(answer.result as never);
      else call?.reject(new ThreadError(answer.error));
    });
    worker.on('error', (error) => {
      die(error instanceof Error ? error : new Error(`the ${name} thread failed`, { cause: error }));
      reject(death);
    });
    worker.on('exit', (code) => {
      die(new Error(`the ${name} thread ended with code ${code}`));
      reject(death);
    });
  });

  return {
    call(operation, args, transfer = []) {
      if (death !== undefined) return Promise.reject(death);
      return new Promise((resolve, reject) => {
        lastId += 1;
        calls.set(lastId, { resolve, reject });
        worker.postMessage({ id: lastId, operation, args } satisfies Request, transfer);
      });
    },
    async close() {
      if (death !== undefined || isClosing) return;
      isClosing = true;
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.postMessage({ id: 0, operation: 'close', args: [] } satisfies Request);
      // What is committed is safe, so a thread that is stuck in something may as well be cut off as a process may.
      const timer = setTimeout(() => void worker.terminate(), MAX_CLOSE_MS);
      await ended;
      clearTimeout(timer);
    },
    onDeath(listener) {
      deathListeners.push(listener);
    },
  };
}

/** In the thread: says it is ready, then answers calls with `operations` until `close` was called and has run. */
export function answerCalls(operations: Operations & { close: () => void }): void {
  const port = parentPort as MessagePort; // only ever called in a thread that startThread began
  port.on('message', ({ id, operation, args }: Request) => {
    try {
      const result = (operations[operation] as (...args: unknown[]) => unknown)(...args);
      port.postMessage({ kind: 'result', id, result } satisfies Answer);
    } catch (error) {
      port.postMessage({ kind: 'failure', id, error: describeFailure(error) } satisfies Answer);
    }
    if (operation === 'close') port.close();
  });
  port.postMessage({ kind: 'ready' } satisfies Answer);
}

/** In the thread: what startThread was given as `data`. */
export function threadData<T>(): T {
  return workerData as T;
}

function describeFailure(error: unknown): FailureText {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), code: undefined, stack: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { name: error.name, message: error.message, code, stack: error.stack };
}
