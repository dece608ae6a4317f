// Scrubs the store once a week: fast in hours in which tills send nothing, and slowly at all others, so that a shop that never
// closes is read through as well. What is cut off goes on where it was.

import type { Clock } from './lib/clock.ts';
import type { Glance } from './store/glance/ledger.ts';
import type { Health } from './store/health/ledger.ts';

const EVERY_MS = 7 * 86_400_000;
/** Between two slices. */
const PAUSE_MS = { quiet: 50, busy: 5000 };
/** How often it is looked whether tills are quiet. */
const QUIET_LOOK_MS = 60_000;
/** A gateway that starts has other things to do first. */
const FIRST_MS = 120_000;
/** When the store failed. */
const RETRY_MS = 60_000;

export function openScrubber(parts: {
  readonly store: {
    readonly health: Pick<Health, 'readScrub' | 'scrubSlice'>;
    readonly glance: Pick<Glance, 'isQuiet'>;
  };
  readonly clock: Clock;
  /** A slice has damaged records. */
  readonly onDamage: () => void;
  readonly onFault: (error: unknown) => void;
}): { close(): void } {
  const { store, clock, onDamage, onFault } = parts;
  let isClosed = false;
  let callOff = clock.after(FIRST_MS, step);
  let isQuiet = false;
  /** Monotonic. */
  let lookedAt = -Infinity;

  async function findPause(): Promise<number> {
    if (clock.monotonic() - lookedAt >= QUIET_LOOK_MS) {
      lookedAt = clock.monotonic();
      isQuiet = await store.glance.isQuiet();
    }
    return isQuiet ? PAUSE_MS.quiet : PAUSE_MS.busy;
  }

  /** Resolves to when to go on, in milliseconds from now. */
  async function work(): Promise<number> {
    const now = clock.now();
    const { begunAt, endedAt } = await store.health.readScrub();
    // A clock that was set back must not keep it from beginning.
    if (begunAt !== null && endedAt !== null && endedAt <= now && now < begunAt + EVERY_MS)
      return begunAt + EVERY_MS - now;
    const { hasMore, hasDamage } = await store.health.scrubSlice();
    if (hasDamage) onDamage();
    return hasMore ? findPause() : 0; // the next step says when the next scrub is due
  }

  function step(): void {
    void work()
      .catch((error: unknown) => {
        onFault(error);
        return RETRY_MS;
      })
      .then((ms) => {
        if (!isClosed) callOff = clock.after(ms, step);
      });
  }

  return {
    close() {
      isClosed = true;
      callOff();
    },
  };
}
