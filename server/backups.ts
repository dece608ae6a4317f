// Makes a backup every day at a quiet time, in the folder of the setting `backupFolder`, and deletes the oldest ones. A failed
// backup is repeated every quarter of an hour. Tills never wait for a backup.

import { isDeepStrictEqual } from 'node:util';

import { BACKUP_FAULTS, type BackupFault, type BackupProgress, type BackupsView } from './contract/backups.ts';
import type { Clock } from './lib/clock.ts';
import type { BackupLedger } from './store/backups/ledger.ts';
import type { GlanceLedger } from './store/glance/ledger.ts';

const HOUR_MS = 3_600_000;
/** At a quiet time, a backup is due when the last one is this old. */
const DUE_MS = 20 * HOUR_MS;
/** At any time, a backup is due when the last one is this old, because some shops never close. */
const OVERDUE_MS = 36 * HOUR_MS;
/** Interval at which to look whether a backup is due. */
const LOOK_MS = 10 * 60_000;
/** Delay of the first look after a start. */
const FIRST_MS = 120_000;
const RETRY_MS = 15 * 60_000;
/** A backup without progress for this time counts as failed, although it still runs: a share may never answer. */
const STALLED_MS = HOUR_MS;

/** The state of the backups in the folder. */
export interface BackupState extends Omit<BackupsView, 'lastAt'> {
  readonly folder: string;
}

export interface Backups {
  /** Undefined without the setting `backupFolder`. */
  state(): BackupState | undefined;
  /** Makes a backup now, unless one runs. Resolves when it is over, also if it fails; the state then has the failure. */
  backUpNow(): Promise<void>;
  close(): void;
}

export function openBackups(parts: {
  readonly store: {
    readonly backups: Pick<BackupLedger, 'make' | 'rotate' | 'list'>;
    readonly glance: Pick<GlanceLedger, 'isQuiet'>;
  };
  readonly clock: Clock;
  readonly folder: string | undefined;
  /** Number of backups that stay in the folder. */
  readonly keep: number;
  /** Called when the state changes, except for progress. */
  readonly onChange: () => void;
  /** Called after a backup is complete. `isOnDataDisk` says whether one disk failure would destroy both data and backup. */
  readonly onMade: (path: string, isOnDataDisk: boolean) => void;
  readonly onFault: (error: unknown) => void;
}): Backups {
  const { store, clock, folder, keep, onChange, onMade, onFault } = parts;
  let isClosed = false;
  let progress: BackupProgress | null = null;
  let failure: BackupState['failure'] = null;
  let isOnDataDisk = false;
  let running: Promise<void> | undefined;
  let callOffStall = (): void => {};

  function fail(fault: BackupFault, error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    failure = { fault, detail, since: failure?.since ?? clock.now() };
    progress = null;
    onFault(error);
    onChange();
  }

  async function make(to: string): Promise<void> {
    let latest: BackupProgress | undefined;
    let isOver = false;
    const noteProgress = (step: BackupProgress): void => {
      if (isOver || isClosed || isDeepStrictEqual(step, latest)) return;
      latest = step;
      progress = step;
      callOffStall();
      callOffStall = clock.after(STALLED_MS, () =>
        fail('unreachable', new Error(`${to} has not answered for an hour`)),
      );
    };
    noteProgress({ step: 'copy', done: 0, total: 0 });
    onChange();
    try {
      const made = await store.backups.make(to, noteProgress);
      await store.backups.rotate(to, keep); // only after the new backup was checked
      progress = null;
      failure = null;
      ({ isOnDataDisk } = made);
      onMade(made.path, made.isOnDataDisk);
      onChange();
    } catch (error) {
      fail(faultOf(error), error);
    } finally {
      isOver = true;
      callOffStall();
    }
  }

  function run(to: string): Promise<void> {
    return (running ??= make(to).finally(() => void (running = undefined)));
  }

  /** Makes a backup if it is due. Resolves to the milliseconds until the next look. */
  async function look(to: string): Promise<number> {
    const [newest] = await store.backups.list(to);
    const age = newest === undefined ? Infinity : clock.now() - newest.begunAt;
    // After the clock was set back, the last backup seems to be in the future.
    const isOverdue = age < 0 || age >= OVERDUE_MS;
    if (isOverdue || failure !== null || (age >= DUE_MS && (await store.glance.isQuiet()))) await run(to);
    return failure === null ? LOOK_MS : RETRY_MS;
  }

  function step(to: string): void {
    void look(to)
      .catch((error: unknown) => {
        onFault(error);
        return RETRY_MS;
      })
      .then((ms) => {
        if (!isClosed) callOff = clock.after(ms, () => step(to));
      });
  }
  let callOff = folder === undefined ? (): void => {} : clock.after(FIRST_MS, () => step(folder));

  return {
    state: () => (folder === undefined ? undefined : { folder, isOnDataDisk, progress, failure }),
    async backUpNow() {
      if (folder !== undefined) await run(folder);
    },
    close() {
      isClosed = true;
      callOff();
      callOffStall();
    },
  };
}

/** The fault of a BackupError, which keeps its code on the way between threads. */
function faultOf(error: unknown): BackupFault {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return BACKUP_FAULTS.find((fault) => fault === code) ?? 'other';
}
