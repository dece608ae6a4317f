// The archive: the bodies of old records in compressed files. A body leaves the database only after its file was synced, read back
// and compared. Everything else about the record stays in the database.

import type { ArchiveSummary } from '../../contract/archive.ts';

export interface ArchiveLedger {
  /** Sets the folder of new files; undefined for the folder "archive" beside the database. */
  useFolder(folder: string | undefined): Promise<void>;
  /** The days of a journal that are archived, with the time of the signature for which they were archived. */
  listDays(journalId: number): Promise<ReadonlyMap<string, number>>;
  /**
   * Writes the bodies of days into a new file. Bodies stay in the database until `moveSlice`. Takes days in order until the
   * file is large enough. `name` begins the name of the file. Leaves out records that are not delivered, that are in conflict, or
   * whose bytes are damaged. Rejects if the folder cannot be written; no part of the file then remains.
   */
  write(name: string, days: readonly DayToArchive[]): Promise<void>;
  /**
   * Removes the bodies of one block of a written file from the database, in one short transaction. The first call reads the file
   * back and compares it, and each call reads its block again. Rejects if that fails; the bodies then stay. If the whole file
   * fails too, the next call gives it up, and its remaining days are due again. Resolves to true if more remain. Continues after a
   * crash, and first deletes files that were not complete. The caller pauses between two calls, so that tills get the write lock.
   */
  moveSlice(): Promise<boolean>;
  /** Looks whether each file is complete, and notes the result. Reads a file completely if it had a fault. */
  inspect(): Promise<void>;
  readSummary(): Promise<ArchiveSummary>;
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
