// Restoring a backup in the console. A manager chooses a backup, the gateway checks a copy of it, and after the manager's
// confirmation the gateway restarts on the restored data.

import type { Mode } from './codes.ts';

/** A backup in the folder of backups. */
export interface BackupOnDisk {
  /** The file name. */
  readonly name: string;
  /** When the backup was made, in epoch milliseconds. For a file of unknown origin, when the file was last changed. */
  readonly at: number;
  readonly bytes: number;
  /** Number of records; null if this gateway does not know the file. */
  readonly records: number | null;
  /** Whether this gateway made the file, checked it then, and nobody has changed it since. */
  readonly isChecked: boolean;
}

/** Answer of GET /api/restore/backups. */
export interface RestorableView {
  /** The folder of backups; null if no setting names one. */
  readonly folder: string | null;
  readonly backups: readonly BackupOnDisk[];
  /** Whether the folder could be read. */
  readonly isReadable: boolean;
}

export type CheckProgress =
  | { readonly step: 'copy'; readonly done: number; readonly total: number }
  | { readonly step: 'structure' }
  | { readonly step: 'records'; readonly done: number; readonly total: number }
  | { readonly step: 'counts' }
  | { readonly step: 'migrate' };

/**
 * Why a backup cannot be restored. `foreign`: it is not a backup of Counterfoil, or has parts of another program. `newer`: a
 * newer version made it. `full`: the disk has too little space for the copy. `unreadable`: the file is missing, or the gateway
 * may not read it.
 */
export const CHECK_FAULTS = ['foreign', 'damaged', 'newer', 'full', 'unreadable', 'other'] as const;

export type CheckFault = (typeof CHECK_FAULTS)[number];

/** The records that the present data have and the backup lacks. */
export interface RecordsSince {
  readonly records: number;
  /** Number of these records that are not upstream: they wait, are held or were set aside. */
  readonly notUpstream: number;
  /** Whether the backup is an earlier state of the present data. Otherwise it comes from another gateway. */
  readonly areSameData: boolean;
}

/** The content of a checked backup. Times are epoch milliseconds. */
export interface CheckedContent {
  /** When the backup was made; null if unknown. */
  readonly madeAt: number | null;
  readonly records: number;
  /** When the oldest and the newest record arrived; null without records. */
  readonly oldestReceivedAt: number | null;
  readonly newestReceivedAt: number | null;
  /** Whether an earlier version made the backup. The copy has been migrated. */
  readonly isMigrated: boolean;
  /** Number of archive files of the backup that are missing or damaged. */
  readonly missingArchiveFiles: number;
  /** Names of the settings that the backup carries. A restore in the console leaves the settings as they are. */
  readonly settings: readonly string[];
  /** Number of secrets that only the keyring of another machine may be able to decrypt. */
  readonly sealedSecrets: number;
}

/** The records that an upstream has from after the backup. */
export interface UpstreamSince {
  readonly administration: string;
  readonly mode: Mode;
  /** Null if the upstream did not tell. */
  readonly records: number | null;
  /** Whether the upstream was not asked, because its key in the backup is encrypted. */
  readonly isKeySealed: boolean;
}

export type RestoreState =
  | { readonly kind: 'none' }
  /** `progress` is null until the check has begun. */
  | { readonly kind: 'checking'; readonly file: string; readonly progress: CheckProgress | null }
  | { readonly kind: 'refused'; readonly file: string; readonly fault: CheckFault; readonly detail: string }
  | {
      readonly kind: 'checked';
      readonly file: string;
      readonly content: CheckedContent;
      readonly since: RecordsSince;
      /** Null until every upstream has answered or did not tell in time. */
      readonly upstreams: readonly UpstreamSince[] | null;
    }
  | { readonly kind: 'restoring'; readonly file: string };

/** How the last restore since the start of the gateway's process ended. */
export type LastRestore =
  /** The restored data are in use. `setAside` is the file name of the previous data. */
  | { readonly kind: 'done'; readonly setAside: string }
  /** The previous data are in use. `detail` says why, in English. */
  | { readonly kind: 'failed'; readonly detail: string };

/** Answer of GET /api/restore, and of each act except the restore itself. */
export interface RestoreView {
  readonly state: RestoreState;
  readonly last: LastRestore | null;
}

/** Body of POST /api/restore/check. */
export interface RestoreCheckRequest {
  /** The name of a file in the folder of backups, or of the uploaded file. */
  readonly name: string;
  readonly isUploaded: boolean;
}

/**
 * Maximum number of upstreams that are asked at the same time. A backup from a stranger may name thousands, and their connections
 * would use up all files that the process may open.
 */
export const MAX_ASKED_AT_ONCE = 8;

/** Maximum bytes of a part in POST /api/restore/upload. A part must arrive within ten seconds. */
export const MAX_UPLOAD_PART_BYTES = 1024 * 1024;

/** Body of POST /api/restore. `isOnlyGateway` means that no other gateway uses these data, so that this one may forward. */
export interface RestoreRequest {
  readonly isOnlyGateway: boolean;
}

/** Answer of POST /api/restore. The restart ends all sessions. `link` is the code of a one-time link into the restored gateway. */
export interface RestoreBegunView {
  readonly link: string;
}
