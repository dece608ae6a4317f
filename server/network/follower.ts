// Calls `apply` after each change, one call at a time. If `apply` fails, or if `isToRepeat` returns true, calls it again later.

import type { Clock } from '../lib/clock.ts';

/** Delay before a retry. */
const RETRY_MS = 10_000;

export interface Follower {
  /** Calls `apply` for the first time. Rejects if that fails. */
  start(): Promise<void>;
  /** Call this after a change. Calls `apply`, and calls it again if another change comes during the call. */
  follow(): void;
  /** Like `follow`, but resolves when all changes are applied. */
  settle(): Promise<void>;
  /** Ends the retries, and waits for the present call of `apply`. */
  close(): Promise<void>;
}

export function openFollower({
  apply,
  isToRepeat,
  onFault,
  clock,
}: {
  readonly apply: () => Promise<void>;
  /** Whether to call `apply` again later even without a change, because something is still missing. */
  readonly isToRepeat: () => boolean;
  /** Called with the error when `apply` rejects, except at the start. */
  readonly onFault: (error: unknown) => void;
  readonly clock: Pick<Clock, 'after'>;
}): Follower {
  let isAskedAgain = false;
  let isStarted = false;
  let isClosed = false;
  let running: Promise<void> | undefined;
  let cancelRetry = (): void => {};

  function run(): Promise<void> {
    isAskedAgain = true;
    return (running ??= followAll().finally(() => (running = undefined)));
  }

  async function followAll(): Promise<void> {
    cancelRetry();
    let isApplied = true;
    while (isAskedAgain && !isClosed) {
      isAskedAgain = false;
      isApplied = await tryToApply();
    }
    if ((!isApplied || isToRepeat()) && !isClosed) cancelRetry = clock.after(RETRY_MS, () => follow());
  }

  /** Returns false if `apply` failed. During `start`, it rejects with the error instead. */
  async function tryToApply(): Promise<boolean> {
    try {
      await apply();
      return true;
    } catch (error) {
      if (!isStarted) throw error;
      onFault(error);
      return false;
    }
  }

  function follow(): void {
    run().catch(() => {}); // `run` rejects only during `start`, which reports the same error
  }

  return {
    async start() {
      await run();
      isStarted = true;
    },
    follow,
    settle: run,
    async close() {
      isClosed = true;
      cancelRetry();
      await running;
    },
  };
}
