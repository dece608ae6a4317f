// Scheduled backups.

/**
 * Why a backup could not be made. `unreachable`: its folder does not exist or does not answer. `full`: its disk is full.
 * `forbidden`: the gateway may not write there. `read_only`: its disk is read-only.
 */
export const BACKUP_FAULTS = ['unreachable', 'full', 'forbidden', 'read_only', 'other'] as const;

export type BackupFault = (typeof BACKUP_FAULTS)[number];
