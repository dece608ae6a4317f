// Reads the whole store once a week to find damaged records. It reads fast while no till sends. At other times it reads slowly,
// but does not stop, because some shops never close. An interrupted scrub resumes where it stopped.

import type { Clock } from './lib/clock.ts';
import type { GlanceLedger } from './store/glance/ledger.ts';
import type { HealthLedger } from './store/health/ledger.ts';

const EVERY_MS = 7 * 86_400_000;
/** Pause between two slices of a scrub: `quiet` while no till sends, `busy` at other times. */
const PAUSE_MS = { quiet: 50, busy: 5000 };
/** Interval at which to check whether tills are quiet. */
const QUIET_POLL_MS = 60_000;
/** Delay of the first slice after a start. */
const FIRST_MS = 120_000;
/** Delay before a retry after the store failed. */
const RETRY_MS = 60_000;

export function openScrubber(parts: {
  readonly store: {
    readonly health: Pick<HealthLedger, 'readScrub' | 'scrubSlice'>;
    readonly glance: Pick<GlanceLedger, 'isQuiet'>;
  };
  readonly clock: Clock;
  /** Called when a slice contains damaged records. The store has already noted the damage. */
  readonly onDamage: () => void;
  readonly onFault: (error: unknown) => void;
}): { close(): void } {
  const { store, clock, onDamage, onFault } = parts;
  let isClosed = false;
  let callOff = clock.after(FIRST_MS, step);
  let isQuiet = false;
  /** Monotonic time of the last check whether tills are quiet. */
  let lookedAt = -Infinity;

  async function findPause(): Promise<number> {
    if (clock.monotonic() - lookedAt >= QUIET_POLL_MS) {
      lookedAt = clock.monotonic();
      isQuiet = await store.glance.isQuiet();
    }
    return isQuiet ? PAUSE_MS.quiet : PAUSE_MS.busy;
  }

  /** Scrubs the next slice if a scrub is due. Resolves to the milliseconds until the next step. */
  async function work(): Promise<number> {
    const now = clock.now();
    const { begunAt, endedAt } = await store.health.readScrub();
    // If the clock was set back, the last scrub seems to have ended in the future. `endedAt <= now` prevents that the gateway
    // waits until then.
    if (begunAt !== null && endedAt !== null && endedAt <= now && now < begunAt + EVERY_MS)
      return begunAt + EVERY_MS - now;
    const { hasMore, hasDamage } = await store.health.scrubSlice();
    if (hasDamage) onDamage();
    return hasMore ? findPause() : 0; // the next step finds out when the next scrub is due
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
