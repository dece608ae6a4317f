// How the store and its machine are: trouble, damage, load and the clock.

import type { MachineState, Sleep, StoreTrouble } from '../../contract/machine.ts';
import type { DeliveryFault } from '../outbox/ledger.ts';
import type { CountFault, Range } from '../records/ledger.ts';

export interface Health {
  /** Reads everything that is kept; queries wait meanwhile. */
  check(): Promise<CheckResult>;
  /** The sleeps of this machine that touch a range, in order. */
  listSleeps(range: Range): Promise<Sleep[]>;
  /** Stores that this machine slept. */
  noteSleep(sleep: Sleep): Promise<void>;
  /** Why no records are taken at present, if so. */
  trouble(): StoreTrouble | undefined;
  /** How far the scrub has come. */
  readScrub(): Promise<ScrubState>;
  /** Scrubs the next slice of records, of a new scrub where the last one has ended. */
  scrubSlice(): Promise<{ readonly hasMore: boolean; readonly hasDamage: boolean }>;
  /** What is true of the machine now. */
  readMachine(): Promise<MachineState>;
  /** Another machine's clock shows the same as ours: one before the newest record is believed. Does nothing otherwise; safe to call twice. */
  confirmClock(): Promise<void>;
  /** Records waiting for the writer, those with it too whose tills wait for an answer, pages in the WAL at the last checkpoint. */
  load(): { readonly waiting: number; readonly unanswered: number; readonly walPages: number };
}

/** What this user may still write on the disk of a folder; undefined where the system does not tell. */
export type ReadSpace = (folder: string) => Promise<Space | undefined>;

/** What the check found; all lists empty means that the store is sound. Each list ends after a hundred. */
export interface CheckResult {
  /** What SQLite says of the file's structure. */
  readonly structure: readonly string[];
  /** Records whose bytes don't match their SHA-256. */
  readonly damagedRecords: readonly number[];
  readonly countFaults: readonly CountFault[];
  readonly deliveryFaults: readonly DeliveryFault[];
  readonly records: number;
}

export interface ScrubState {
  /** Epoch milliseconds; null before the first. */
  readonly begunAt: number | null;
  /** Null while it goes on. */
  readonly endedAt: number | null;
  /** Records up to this one have been read. */
  readonly afterId: number;
}

export interface Space {
  readonly freeBytes: number;
  readonly totalBytes: number;
}
