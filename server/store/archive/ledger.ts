// Where the bodies of older records are. After a day, they are packed together within the database. The archive, which is off by
// default, has them in compressed files: a body leaves the database only after its file was synced, read back and compared.
// Everything else about the record stays in its row.

import type { ArchiveSummary } from '../../contract/archive.ts';

export interface ArchiveLedger {
  /** Stores the settings: the folder of new files, undefined for the folder "archive" beside the database, and the age in months. */
  useSettings(settings: { readonly folder?: string | undefined; readonly months?: number | undefined }): Promise<void>;
  /** The days of a journal that are archived, with the time of the signature for which they were archived. */
  listDays(journalId: number): Promise<ReadonlyMap<string, number>>;
  /**
   * Writes the bodies of days into a new file. Bodies stay in the database until `moveSlice`. Takes days in order until the
   * file is large enough. `name` begins the name of the file. Leaves out records that are not delivered, that are in conflict, or
   * whose bytes are damaged. Rejects if the folder cannot be written, or if its disk would keep too little space for tills; no part
   * of the file then remains.
   */
  write(name: string, days: readonly DayToArchive[]): Promise<void>;
  /**
   * Removes the bodies of one block of a written file from the database, in one short transaction. The first call reads the file
   * back and compares it, and each call reads its block again. Rejects if that fails, or if the disk has too little space for tills;
   * the bodies then stay. If the whole file cannot be read, the next call gives it up, and its remaining days are due again. Resolves to true if more remain. Continues after a
   * crash, and first deletes files that were not complete. The caller pauses between two calls, so that tills get the write lock.
   */
  moveSlice(): Promise<boolean>;
  /**
   * Packs the bodies of the next records that are older than a day, in one short transaction. Does nothing if the disk has too little
   * space for tills. Resolves to true if more may remain. The caller pauses between two calls.
   */
  packSlice(): Promise<boolean>;
  /** Looks whether each file is complete, and notes the result. Reads a file completely if it had a fault. */
  inspect(): Promise<void>;
  readSummary(): Promise<ArchiveSummary>;
  /** Stores why bodies cannot be archived; undefined after a good attempt. */
  noteFailure(error: unknown): Promise<void>;
  /** Stores that all days that were due are archived. */
  noteEnd(): Promise<void>;
  /** Requests a run of the gateway. Without a running gateway, the next one starts it. */
  requestRun(): Promise<void>;
  /** When a run was requested that has not ended yet, in epoch milliseconds; null without such a request. */
  findRequest(): Promise<number | null>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** A settled store day. Times are epoch seconds, except `signedAt`, which is in epoch milliseconds. */
export interface DayToArchive {
  readonly journalId: number;
  readonly date: string;
  readonly from: number;
  readonly to: number;
  readonly signedAt: number;
}
