// The store of all data on disk. It has one ledger per subject, with asynchronous operations on domain values. After a disk
// error, it repeats a test write, and accepts no records until the write succeeds.

import type { Interface } from '../contract/codes.ts';
import type { StoreTrouble } from '../contract/machine.ts';
import type { AlertLedger } from './alerts/ledger.ts';
import type { AmountLedger } from './amounts/ledger.ts';
import type { ArchiveLedger } from './archive/ledger.ts';
import type { BackupLedger } from './backups/ledger.ts';
import type { CertificationLedger } from './certifications/ledger.ts';
import type { CheckLedger } from './checks/ledger.ts';
import type { DayLedger } from './days/ledger.ts';
import type { DeclaredLedger } from './declared/ledger.ts';
import type { GlanceLedger } from './glance/ledger.ts';
import type { HealthLedger, ReadSpace } from './health/ledger.ts';
import type { EarlierNetwork, NetworkLedger } from './network/ledger.ts';
import type { OutboxLedger } from './outbox/ledger.ts';
import type { PeopleLedger } from './people/ledger.ts';
import type { RecordLedger } from './records/ledger.ts';
import type { RestoreLedger, SettledRestore } from './restores/ledger.ts';
import type { SetupLedger } from './setup/ledger.ts';
import type { TaskLedger } from './tasks/ledger.ts';
import type { VerdictLedger } from './verdicts/ledger.ts';

export interface Store {
  readonly records: RecordLedger;
  readonly amounts: AmountLedger;
  readonly outbox: OutboxLedger;
  readonly days: DayLedger;
  readonly verdicts: VerdictLedger;
  readonly declared: DeclaredLedger;
  readonly checks: CheckLedger;
  readonly setup: SetupLedger;
  readonly people: PeopleLedger;
  readonly network: NetworkLedger;
  readonly backups: BackupLedger;
  readonly restores: RestoreLedger;
  readonly archive: ArchiveLedger;
  readonly certifications: CertificationLedger;
  readonly glance: GlanceLedger;
  readonly health: HealthLedger;
  readonly tasks: TaskLedger;
  readonly alerts: AlertLedger;
  /** Adds a watcher for later changes. Its callbacks must be fast. */
  watch(watcher: Partial<StoreWatcher>): void;
  /** Commits all waiting writes, then closes the files. Call it once. */
  close(): Promise<void>;
}

export interface StoreOptions extends Partial<StoreEvents> {
  readonly dataDir: string;
  /** Whether to refuse a data directory that has no data. Otherwise the store creates the data. */
  readonly mustExist?: boolean;
  /** The role of the process. The gateway owns the data directory; a command works beside a running gateway. */
  readonly role: 'gateway' | 'command';
  /** Key of 32 bytes that seals secrets; undefined without a keyring. */
  readonly sealKey?: Uint8Array | undefined;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Build time of this program in epoch milliseconds. A clock that shows an earlier time is wrong. */
  readonly builtAt?: number;
  /** Reads the free space of the disk. If undefined, the store asks the operating system. */
  readonly readSpace?: ReadSpace | undefined;
}

/** Events of the store itself. The code that opens the store may log them. */
export interface StoreEvents {
  /** Trouble has begun; if `trouble` is undefined, it has ended. */
  onTrouble(trouble: StoreTrouble | undefined, cause: unknown): void;
  /** Work in the background failed: a checkpoint, deferred writes, or the check for a changed set-up. */
  onFault(doing: string, error: unknown): void;
  /** A thread died, so the store cannot be used any more. */
  onDeath(cause: Error): void;
  /**
   * Called before all data are read, which may take minutes. The store reads all data if they are a copy, were moved, or come
   * from an earlier version.
   */
  onExamination(): void;
  /**
   * Called with the step 0 before data of an earlier version are backed up and migrated. Then called every ten seconds of the
   * migration, with its step.
   */
  onUpdate(step: number, steps: number): void;
  /** Called once before data of an earlier version are backed up and migrated, unless their network cannot be read. */
  onEarlierNetwork(network: EarlierNetwork): void;
  /** The start carried out a planned restore, or found an interrupted one. */
  onRestore(settled: SettledRestore): void;
  /** The data were migrated to this version. */
  onUpdateBackup(backup: UpdateBackup): void;
}

/** The backup that was made before a migration of the data. If it failed, the data were migrated without it. */
export type UpdateBackup =
  | { readonly kind: 'made'; readonly path: string }
  | { readonly kind: 'failed'; readonly path: string; readonly cause: unknown };

/**
 * Callbacks for changes by this process. Only `setupChanged` also reports changes by other processes. Each callback may be
 * called often.
 */
export interface StoreWatcher {
  /** Records of an interface were added to a journal; `newestId` is the id of the newest. */
  recordsAdded(journalId: number, by: Interface, newestId: number): void;
  /** A group of records is on disk and synced. `ms` is the time from handing it to the writer. */
  groupStored(ms: number): void;
  /** Outcomes of deliveries of this lane were stored. */
  deliveriesSettled(laneId: number): void;
  /** A report about this lane was stored. */
  laneNoted(laneId: number): void;
  /** A verdict, a signature, a declared total or a check of store days has changed. */
  daysChanged(): void;
  /** A check of days of this journal was requested. */
  checkRequested(journalId: number): void;
  /** Called after a rule was set, when the amounts of all old records have been read. */
  amountsFilled(): void;
  /** Refusals were added to the refusal log. */
  refusalsNoted(): void;
  /** Somebody changed a key, an administration, a lane, a user or the network, or moved held records. */
  setupChanged(): void;
}
