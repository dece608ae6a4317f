// Scheduled backups.

/**
 * Why a backup could not be made. `unreachable`: its folder does not exist or does not answer. `full`: its disk is full.
 * `forbidden`: the gateway may not write there. `read_only`: its disk is read-only.
 */
export const BACKUP_FAULTS = ['unreachable', 'full', 'forbidden', 'read_only', 'other'] as const;

export type BackupFault = (typeof BACKUP_FAULTS)[number];

/**
 * The progress of a backup. `total` is the size of the database in bytes. The copy may be smaller, because it has no free
 * pages.
 */
export type BackupProgress =
  | { readonly step: 'copy'; readonly done: number; readonly total: number }
  | { readonly step: 'verify' };

/** Answer of GET and POST /api/backups. Times are epoch milliseconds. POST begins a backup now. */
export interface BackupsView {
  /** When the last good backup was made, in any folder; null if there has been none. */
  readonly lastAt: number | null;
  /** The folder of the daily backup; null if the gateway makes none. */
  readonly folder: string | null;
  /** Whether the last backup in the folder since the start is on the disk of the data. One broken disk then destroys both. */
  readonly isOnDataDisk: boolean;
  /** The progress of the running backup; null if none runs. */
  readonly progress: BackupProgress | null;
  /** Why the last attempt failed, and when the first failed attempt was. Null after a good backup. */
  readonly failure: { readonly fault: BackupFault; readonly detail: string; readonly since: number } | null;
}
