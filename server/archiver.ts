// Packs bodies after a day, and archives settled store days when they are older than the setting `archiveMonths`. It archives whole
// calendar months, so that few files arise. It works in slices, fast while no till sends and slowly at other times. Tills wait for no
// file, and for at most one block of bodies.

import type { Clock } from './lib/clock.ts';
import type { Days } from './reconcile/days.ts';
import { listSettled } from './reconcile/settled.ts';
import type { DayToArchive } from './store/archive/ledger.ts';
import type { Store } from './store/store.ts';

const DAY_MS = 86_400_000;
/** Delay of the first look after a start. */
const FIRST_MS = 120_000;
/** Interval at which to look whether all files can be read, and whether bodies can be packed. */
const LOOK_MS = 10 * 60_000;
/** Interval at which to look for days that are due. Reading all store days takes a moment. */
const DUE_MS = 6 * 3_600_000;
/** Pause between two slices: `quiet` while no till sends, `busy` at other times. */
const PAUSE_MS = { quiet: 50, busy: 5000 };
/** Interval at which to look whether tills are quiet. */
const QUIET_POLL_MS = 60_000;
const RETRY_MS = 15 * 60_000;

export interface Archiver {
  close(): void;
}

export function openArchiver(parts: {
  readonly store: Store;
  readonly days: Pick<Days, 'list'>;
  readonly clock: Clock;
  /** Undefined if no bodies are archived. Files of earlier are still read. */
  readonly months: number | undefined;
  readonly folder: string | undefined;
  /** Called when a fault of a file, or a failure to archive, begins or ends. */
  readonly onChange: () => void;
  readonly onFault: (error: unknown) => void;
}): Archiver {
  const { store, clock, months, folder, onChange, onFault } = parts;
  const { archive } = store;
  let isClosed = false;
  let areSettingsStored = false;
  let hadFault = false;
  /** Whether the store has the failure of an attempt. Unknown at first, because the last process may have stored one. */
  let hasFailure = true;
  /** The last request that was carried out, in epoch milliseconds. */
  let answeredAt: number | null = null;
  let isQuiet = false;
  let isWorking = false;
  /** Monotonic times of the last looks. */
  let lookedAt = -Infinity;
  let inspectedAt = -Infinity;
  let searchedAt = -Infinity;
  /** Monotonic time before which nothing is archived, because an attempt has failed. Bodies are packed meanwhile. */
  let retryAt = -Infinity;

  /** Stores the settings, because commands read them from the store. */
  async function storeSettings(): Promise<void> {
    if (areSettingsStored) return;
    await archive.useSettings({ folder, months });
    areSettingsStored = true;
  }

  async function findPause(): Promise<number> {
    if (clock.monotonic() - lookedAt >= QUIET_POLL_MS) {
      lookedAt = clock.monotonic();
      isQuiet = await store.glance.isQuiet();
    }
    return isQuiet ? PAUSE_MS.quiet : PAUSE_MS.busy;
  }

  async function inspect(): Promise<void> {
    inspectedAt = clock.monotonic();
    await archive.inspect();
    const { fault } = await archive.readSummary();
    if ((fault !== null) === hadFault) return;
    hadFault = fault !== null;
    onChange();
  }

  /** A failure is only logged, because the bodies stay in their rows and the next look tries again. */
  async function pack(): Promise<boolean> {
    try {
      return await archive.packSlice();
    } catch (error) {
      onFault(error);
      return false;
    }
  }

  /** Lists the days of the first month that has days to archive, in date order. Empty if none is due. */
  async function listDue(before: string): Promise<DayToArchive[]> {
    const due: DayToArchive[] = [];
    for (const journalId of new Set(store.outbox.lanes().map((lane) => lane.journalId))) {
      const archived = await archive.listDays(journalId);
      for await (const day of listSettled(parts, journalId, before))
        if (archived.get(day.date) !== day.signedAt) due.push({ ...day, journalId });
    }
    const sorted = due.toSorted((a, b) => a.date.localeCompare(b.date));
    return sorted.filter(({ date }) => monthOf(date) === monthOf(sorted[0]?.date ?? ''));
  }

  /** Does the next step of the archive. Resolves to whether it did one. */
  async function archiveNext(): Promise<boolean> {
    await storeSettings();
    if (clock.monotonic() - inspectedAt >= LOOK_MS) await inspect();
    // Also without the setting: a file that was begun before must not stay half done.
    if (await archive.moveSlice()) return true;
    if (months === undefined || clock.monotonic() - searchedAt < DUE_MS) return false;
    const due = await listDue(startOfMonth(clock.now() - DAY_MS, months));
    if (due.length > 0) {
      await archive.write(monthOf(due[0]?.date ?? ''), due);
      return true;
    }
    searchedAt = clock.monotonic();
    await archive.noteEnd();
    return false;
  }

  /** Like `archiveNext`. After a failure, it does nothing for a while. */
  async function tryArchive(): Promise<boolean> {
    if (clock.monotonic() < retryAt) return false;
    try {
      const isDone = await archiveNext();
      await noteFailure();
      return isDone;
    } catch (error) {
      if (isClosed) return false;
      onFault(error);
      retryAt = clock.monotonic() + RETRY_MS;
      await noteFailure(error).catch(onFault);
      return false;
    }
  }

  /** Does the next step. Resolves to the milliseconds until the step after it. */
  async function work(): Promise<number> {
    // The archive comes first: packs may take days in a busy store, and a body that will be archived need not be packed.
    if ((await tryArchive()) || (await pack())) return findPause();
    const untilRetry = retryAt - clock.monotonic();
    return untilRetry > 0 ? Math.min(untilRetry, LOOK_MS) : LOOK_MS;
  }

  /** Stores why an attempt failed; undefined after a good one. */
  async function noteFailure(error?: unknown): Promise<void> {
    const isFailure = error !== undefined;
    if (!isFailure && !hasFailure) return;
    await archive.noteFailure(error);
    hasFailure = isFailure;
    onChange();
  }

  function step(): void {
    isWorking = true;
    void work()
      .catch((error: unknown) => {
        if (!isClosed) onFault(error);
        return RETRY_MS;
      })
      .then((ms) => {
        isWorking = false;
        if (!isClosed) callOff = clock.after(ms, step);
      });
  }
  storeSettings().catch(() => {}); // the first step tries again
  let callOff = clock.after(FIRST_MS, step);

  /** Starts a run that a person has requested since the last look. */
  async function look(): Promise<void> {
    const requestedAt = await archive.findRequest();
    if (requestedAt === null || requestedAt === answeredAt || isClosed) return;
    answeredAt = requestedAt;
    searchedAt = -Infinity;
    retryAt = -Infinity;
    if (isWorking) return; // it continues until no day is due
    callOff();
    step();
  }
  store.watch({
    setupChanged() {
      if (months !== undefined) look().catch(onFault);
    },
  });

  return {
    close() {
      isClosed = true;
      callOff();
    },
  };
}

function monthOf(date: string): string {
  return date.slice(0, 7);
}

/** The first day of the month that is `months` months before an instant. */
function startOfMonth(now: number, months: number): string {
  const at = new Date(now);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months, 1)).toISOString().slice(0, 10);
}
