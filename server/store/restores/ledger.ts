// Restores a backup while the gateway runs: checks a copy beside the data, then plans that the next start replaces the data with
// it. A separate thread does the work, because a copy may have gigabytes and a network share may not answer.

import type { Mode } from '../../contract/codes.ts';
import type { BackupOnDisk, CheckedContent, CheckFault, CheckProgress, RecordsSince } from '../../contract/restores.ts';
import type { Upstream } from '../outbox/ledger.ts';

export interface RestoreLedger {
  /** Lists the backups of a folder, newest first. Rejects if the folder cannot be read. */
  list(folder: string): Promise<BackupOnDisk[]>;
  /**
   * Stores the next part of a backup of `total` bytes. Offset 0 begins another backup and deletes the copy of an earlier check.
   * Resolves to false if a part before it is missing, or if the parts have more than `total` bytes.
   */
  receive(offset: number, part: Uint8Array, total: number): Promise<boolean | CheckRefusal>;
  /**
   * Copies a backup beside the data and checks the copy. Deletes the copy of an earlier check. The data stay as they are.
   * `archiveFolder` is the setting of that name.
   */
  check(
    backup: ChosenBackup,
    archiveFolder: string | undefined,
    onProgress: (progress: CheckProgress) => void,
  ): Promise<CheckOutcome>;
  /** Deletes every copy. A running check is ended and rejects. */
  discard(): Promise<void>;
  /**
   * Plans that the next start replaces the data with the checked copy. Resolves to the path to which that start moves the present
   * data. Rejects without a checked copy; nothing is planned then.
   */
  plan(order: RestoreOrder): Promise<string>;
  /** Ends the thread and deletes the checked copy, unless it is planned. Waits at most two seconds. */
  close(): Promise<void>;
}

/** A file of the folder of backups, or the backup that has arrived in parts. `name` is its name for messages. */
export type ChosenBackup =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'arrived'; readonly name: string };

export type CheckOutcome =
  | {
      readonly kind: 'sound';
      readonly content: CheckedContent;
      readonly since: RecordsSince;
      readonly upstreams: readonly BackupUpstream[];
    }
  | CheckRefusal;

/** An upstream of the current interface that a backup has. */
export interface BackupUpstream {
  readonly administration: string;
  readonly mode: Mode;
  /** Null if its key is encrypted. */
  readonly upstream: Upstream | null;
}

/** The backup cannot be restored. `detail` says why and what to do, in English. */
export interface CheckRefusal {
  readonly kind: 'refused';
  readonly fault: CheckFault;
  readonly detail: string;
}

/** Who restores. `isConfirmed` means that no other gateway forwards these data, so that the restored gateway may. */
export interface RestoreOrder {
  readonly actor: string;
  readonly isConfirmed: boolean;
}

/** How a planned or interrupted restore ended at the start. */
export type SettledRestore =
  /** The new data are in use. `asidePath` is the path of the previous database. */
  | { readonly kind: 'completed'; readonly asidePath: string }
  /** The new file was not complete or could not be put in place, so it was deleted. The previous data are in use. */
  | { readonly kind: 'abandoned'; readonly cause?: Error };
