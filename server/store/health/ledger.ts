// The health of the store and its machine: trouble, damage, load and the clock.

import type { ArchiveFileFault } from '../../contract/archive.ts';
import type { MachineState, Sleep, StoreTrouble } from '../../contract/machine.ts';
import type { DeliveryFault } from '../outbox/ledger.ts';
import type { AmountFault, CountFault, Range } from '../records/ledger.ts';

export interface HealthLedger {
  /**
   * Reads and checks all data. Queries wait until the check has ended. Calls `onProgress` at each step, and again after each
   * percent of the records.
   */
  check(onProgress?: (progress: DataCheckProgress) => void): Promise<CheckResult>;
  /** Lists the sleeps of this machine that overlap a range, in order of time. */
  listSleeps(range: Range): Promise<Sleep[]>;
  /** Stores when this machine slept. */
  noteSleep(sleep: Sleep): Promise<void>;
  /** When the last good backup was made, in epoch milliseconds; null without a backup. */
  lastBackupAt(): Promise<number | null>;
  /**
   * Stores that a good backup was made now. `newestRecordId` is the newest record in it. Give 0 if it has no records,
   * or is on the disk of the data.
   */
  noteBackup(newestRecordId: number): Promise<void>;
  /** Why the store accepts no records now; undefined while it accepts them. */
  trouble(): StoreTrouble | undefined;
  /** The schema of the data and the size of its files. */
  readDatabase(): Promise<DatabaseFacts>;
  /** Describes the tables, and nothing of their content. Counts every row, which takes seconds for many records. */
  describeTables(): Promise<TableFacts>;
  /** The progress of the scrub. */
  readScrub(): Promise<ScrubState>;
  /** Scrubs the next slice of records. Begins a new scrub if the last scrub has ended. */
  scrubSlice(): Promise<{ readonly hasMore: boolean; readonly hasDamage: boolean }>;
  /** The present state of the machine. */
  readMachine(): Promise<MachineState>;
  /**
   * Call it when another machine's clock agrees with ours. If the newest record has a later time than our clock, the store now
   * believes our clock and not the time of that record. Safe to call twice.
   */
  confirmClock(): Promise<void>;
  /**
   * The load of the writer. `waiting`: records that wait for the writer. `unanswered`: records whose tills wait for an answer.
   * `walPages`: pages in the WAL at the last checkpoint.
   */
  load(): { readonly waiting: number; readonly unanswered: number; readonly walPages: number };
}

/** Reads how much disk space this user has where a folder is; undefined if the system does not report it. */
export type ReadSpace = (folder: string) => Promise<Space | undefined>;

/** The progress of a data check. */
export type DataCheckProgress =
  | { readonly step: 'structure' | 'counts' }
  | { readonly step: 'records'; readonly done: number; readonly total: number };

/** The result of a data check. The store is sound if all lists are empty. Each list has at most a hundred entries. */
export interface CheckResult {
  /** Faults in the structure of the database file. */
  readonly structure: readonly string[];
  /** Ids of records whose bytes do not match their SHA-256. */
  readonly damagedRecords: readonly number[];
  /** Archive files that cannot be read. Their records count as sound. */
  readonly archiveFaults: readonly ArchiveFileFault[];
  readonly countFaults: readonly CountFault[];
  /** Records whose place in the order of sale is missing or wrong. */
  readonly saleFaults: readonly number[];
  /** Records whose stored amount differs from the amount in their bytes. */
  readonly wrongAmounts: readonly number[];
  readonly amountFaults: readonly AmountFault[];
  readonly deliveryFaults: readonly DeliveryFault[];
  readonly records: number;
}

export interface DatabaseFacts {
  /** The schema version of the data. */
  readonly schema: number;
  /** The newest schema version that this program knows. */
  readonly programSchema: number;
  /** The size of the database file and its write-ahead log. */
  readonly bytes: number;
}

export interface TableFacts {
  /** The statements that make the tables and indexes. */
  readonly schema: string;
  /** The number of rows of each table; null if the table cannot be read. */
  readonly rows: readonly { readonly table: string; readonly rows: number | null }[];
}

export interface ScrubState {
  /** When the scrub began, in epoch milliseconds; null before the first scrub. */
  readonly begunAt: number | null;
  /** When the scrub ended, in epoch milliseconds; null while it runs. */
  readonly endedAt: number | null;
  /** The id of the last record that was read. */
  readonly afterId: number;
}

export interface Space {
  readonly freeBytes: number;
  readonly totalBytes: number;
}
