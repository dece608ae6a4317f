// Calls operations of another thread by name. They begin in the order of the calls. An operation that returns a promise may
// still run when the next one begins. An error keeps its code, so that the caller can classify it.

import { extname } from 'node:path';
import { type MessagePort, parentPort, type Transferable, Worker, workerData } from 'node:worker_threads';

/** The operations of a thread, by name. Arguments and results must survive a structured clone. */
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

/** An error that the other thread reported. It keeps its code, such as `SQLITE_FULL`. */
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
  /**
   * Runs an operation in the thread. `transfer` lists buffers to transfer. Rejects with a ThreadError or, if the thread has
   * died, with the reason.
   */
  call<K extends keyof T & string>(
    operation: K,
    args: Parameters<T[K]>,
    transfer?: readonly Transferable[],
  ): Promise<Awaited<ReturnType<T[K]>>>;
  /** Ends the thread after all operations called so far, or after two seconds at the latest. Safe to call twice. */
  close(): Promise<void>;
  /** Called once if the thread ends unexpectedly. */
  onDeath(listener: (cause: Error) => void): void;
}

type ThreadName =
  | 'writer'
  | 'reader'
  | 'command'
  | 'comparer'
  | 'examiner'
  | 'copier'
  | 'keeper'
  | 'archiver'
  | 'restorer'
  | 'updater';

/**
 * Starts the module `name` in this folder as a thread, and resolves when it answers. The module has the same file extension as
 * this file, so this works from the source and from the bundle.
 */
export async function startThread<T extends Operations>(
  name: ThreadName,
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
      // Terminating a stuck thread is safe, because committed data stay.
      const timer = setTimeout(() => void worker.terminate(), MAX_CLOSE_MS);
      await ended;
      clearTimeout(timer);
    },
    onDeath(listener) {
      deathListeners.push(listener);
    },
  };
}

/** A thread that starts when it is first needed, because most shops do not need it. If it dies, the next call starts another. */
export interface LazyThread<T extends Operations> {
  get(): Promise<Thread<T>>;
  /** Ends the thread. Waits at most two seconds, also for a thread that does not answer. */
  close(): Promise<void>;
}

export function openLazyThread<T extends Operations>(
  name: ThreadName,
  data: unknown,
  memoryMiB: number,
): LazyThread<T> {
  let starting: Promise<Thread<T>> | undefined;
  const forget = (): void => void (starting = undefined);
  async function start(): Promise<Thread<T>> {
    try {
      const thread = await startThread<T>(name, data, memoryMiB);
      thread.onDeath(forget);
      return thread;
    } catch (error) {
      forget();
      throw error;
    }
  }
  return {
    get: () => (starting ??= start()),
    async close() {
      const thread = await starting?.catch(() => undefined);
      forget();
      if (thread === undefined) return;
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const timer = setTimeout(end, MAX_CLOSE_MS);
      await Promise.race([thread.close(), isOver]);
      clearTimeout(timer);
    },
  };
}

/** Called in the thread. Reports that the thread is ready, then answers calls with `operations` until `close` has run. */
export function answerCalls(operations: Operations & { close: () => void }): void {
  const port = parentPort as MessagePort; // this function runs only in a thread that `startThread` began
  const answer = (id: number, result: unknown): void =>
    port.postMessage({ kind: 'result', id, result } satisfies Answer);
  const fail = (id: number, error: unknown): void =>
    port.postMessage({ kind: 'failure', id, error: describeFailure(error) } satisfies Answer);
  port.on('message', ({ id, operation, args }: Request) => {
    try {
      const result = (operations[operation] as (...args: unknown[]) => unknown)(...args);
      if (result instanceof Promise)
        result.then(
          (value) => answer(id, value),
          (error: unknown) => fail(id, error),
        );
      else answer(id, result);
    } catch (error) {
      fail(id, error);
    }
    if (operation === 'close') port.close();
  });
  port.postMessage({ kind: 'ready' } satisfies Answer);
}

/** In the thread: returns the `data` that was passed to startThread. */
export function threadData<T>(): T {
  return workerData as T;
}

function describeFailure(error: unknown): FailureText {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), code: undefined, stack: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { name: error.name, message: error.message, code, stack: error.stack };
}
