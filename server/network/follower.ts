// Applies the state of the world again after each change: one application at a time, and again later while something is missing.

import type { Clock } from '../lib/clock.ts';

/** Interval of attempts while something is missing. */
const RETRY_MS = 10_000;

export interface Follower {
  /** Applies for the first time. Rejects if that fails. */
  start(): Promise<void>;
  /** Begins to apply, until nothing has changed meanwhile. */
  follow(): void;
  /** Like `follow`, and resolves when that has ended. */
  settle(): Promise<void>;
  /** Ends the attempts, and waits for the present one. */
  close(): Promise<void>;
}

export function openFollower({
  apply,
  isToRepeat,
  onFault,
  clock,
}: {
  readonly apply: () => Promise<void>;
  /** Whether to apply again later without a change. */
  readonly isToRepeat: () => boolean;
  /** Called when `apply` has rejected. */
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

  /** Returns false after a fault. At the start, it rejects instead. */
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
    run().catch(() => {}); // only at the start, which rejects with the same error
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
