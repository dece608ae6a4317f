// Backups that the gateway makes in a folder. A separate thread does all work in the folder, because a network share may not
// answer for minutes.

import type { BackupProgress } from '../../contract/backups.ts';

export interface BackupLedger {
  /**
   * Makes a backup in a folder, checks it, and stores that it was made. Resolves when it is complete. Rejects with a
   * BackupError if the folder or its disk is the reason. No part of the backup then remains.
   */
  make(folder: string, onProgress: (progress: BackupProgress) => void): Promise<MadeBackup>;
  /**
   * Deletes the oldest backups of a folder until `keep` remain. Deletes only files that `make` has written and that are still
   * the same.
   */
  rotate(folder: string, keep: number): Promise<void>;
  /** Lists the complete backups that `make` has written to a folder, newest first. */
  list(folder: string): Promise<BackupFile[]>;
  /**
   * Counts the records of a journal that exist only here. They wait, are held or set aside, and arrived after the last backup. A
   * backup on the disk of the data does not count.
   */
  countOnlyHere(journalId: number): Promise<number>;
  /** Ends the thread. Waits at most two seconds. */
  close(): Promise<void>;
}

export interface MadeBackup extends BackupFile {
  /** Whether the backup is on the disk of the data, so that one broken disk destroys both. */
  readonly isOnDataDisk: boolean;
}

export interface BackupFile {
  readonly path: string;
  /** When the backup began, in epoch milliseconds. */
  readonly begunAt: number;
  readonly bytes: number;
}
