// The store: everything on disk, as one ledger per subject with asynchronous operations on domain values. After a disk error it
// accepts no records and repeats a test write until that succeeds.

import type { Interface } from '../contract/codes.ts';
import type { StoreTrouble } from '../contract/machine.ts';
import type { AlertLedger } from './alerts/ledger.ts';
import type { AmountLedger } from './amounts/ledger.ts';
import type { CertificationLedger } from './certifications/ledger.ts';
import type { CheckLedger } from './checks/ledger.ts';
import type { DayLedger } from './days/ledger.ts';
import type { DeclaredLedger } from './declared/ledger.ts';
import type { GlanceLedger } from './glance/ledger.ts';
import type { HealthLedger, ReadSpace } from './health/ledger.ts';
import type { NetworkLedger } from './network/ledger.ts';
import type { OutboxLedger } from './outbox/ledger.ts';
import type { PeopleLedger } from './people/ledger.ts';
import type { RecordLedger } from './records/ledger.ts';
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
  /** Refuse a data directory without data instead of creating it. */
  readonly mustExist?: boolean;
  /** The gateway owns the data directory; a command works beside a running gateway. */
  readonly role: 'gateway' | 'command';
  /** Key of 32 bytes to seal secrets with; undefined without a keyring. */
  readonly sealKey?: Uint8Array | undefined;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Build time of this program in epoch milliseconds: a clock before it is wrong. */
  readonly builtAt?: number;
  /** Reads the free space of the disk; undefined for the machine's own reading. */
  readonly readSpace?: ReadSpace | undefined;
}

/** Events of the store itself, which its opener may log. */
export interface StoreEvents {
  /** Trouble began, or ended (undefined). */
  onTrouble(trouble: StoreTrouble | undefined, cause: unknown): void;
  /** A background task failed: a checkpoint, deferred writes, or the check for a changed set-up. */
  onFault(doing: string, error: unknown): void;
  /** A thread died, so the store cannot be used any more. */
  onDeath(cause: Error): void;
  /**
   * Called before the data are read completely, which may take minutes. The reason: they are a copy, were moved, or come from
   * an earlier version.
   */
  onExamination(): void;
}

/** Callbacks for changes by this process; `setupChanged` also reports changes by others. Each may be called often. */
export interface StoreWatcher {
  /** Records of an interface were added to a journal; `newestId` is the newest. */
  recordsAdded(journalId: number, by: Interface, newestId: number): void;
  /** Deliveries of this lane were settled. */
  deliveriesSettled(laneId: number): void;
  /** A report about this lane was stored. */
  laneNoted(laneId: number): void;
  /** A verdict, a signature, a declared total or a check of store days has changed. */
  daysChanged(): void;
  /** A check of days of this journal was requested. */
  checkRequested(journalId: number): void;
  /** The amounts of all old records have been read, after a rule was set. */
  amountsFilled(): void;
  /** Refusals were added to the refusal log. */
  refusalsNoted(): void;
  /** Somebody changed a key, an administration, a lane, a user or the network, or moved held records. */
  setupChanged(): void;
}
