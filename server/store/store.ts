// Everything on disk, behind asynchronous operations that take and return domain values: a ledger for each subject. After an
// error of the disk a store takes nothing until it has proved that it can write again, and then goes on by itself.

import type { Interface } from '../contract/codes.ts';
import type { StoreTrouble } from '../contract/machine.ts';
import type { CheckLedger } from './checks/ledger.ts';
import type { DayLedger } from './days/ledger.ts';
import type { DeclaredLedger } from './declared/ledger.ts';
import type { Glance } from './glance/ledger.ts';
import type { Health, ReadSpace } from './health/ledger.ts';
import type { Outbox } from './outbox/ledger.ts';
import type { People } from './people/ledger.ts';
import type { RecordLedger } from './records/ledger.ts';
import type { Setup } from './setup/ledger.ts';
import type { VerdictLedger } from './verdicts/ledger.ts';

export interface Store {
  readonly records: RecordLedger;
  readonly outbox: Outbox;
  readonly days: DayLedger;
  readonly verdicts: VerdictLedger;
  readonly declared: DeclaredLedger;
  readonly checks: CheckLedger;
  readonly setup: Setup;
  readonly people: People;
  readonly glance: Glance;
  readonly health: Health;
  /** Tells a watcher, from now on, what has changed; it must be quick. */
  watch(watcher: Partial<StoreWatcher>): void;
  /** Commits what waits, then lets go of the files; to be called once. */
  close(): Promise<void>;
}

export interface StoreOptions extends Partial<StoreEvents> {
  readonly dataDir: string;
  /** Refuse a data directory that holds no data, instead of making one. */
  readonly mustExist?: boolean;
  /** The gateway owns the data directory; a command works beside a running gateway. */
  readonly role: 'gateway' | 'command';
  /** 32 bytes that secrets are sealed with; undefined where there is no keyring to keep them in. */
  readonly sealKey?: Uint8Array | undefined;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** When this program was built, in epoch milliseconds: a clock before it is wrong. */
  readonly builtAt?: number;
  /** Reads how much space the disk has; undefined for the machine's own. */
  readonly readSpace?: ReadSpace | undefined;
}

/** What happens to the store by itself; whoever opens it may want to log it. */
export interface StoreEvents {
  /** Trouble began, or ended (undefined). */
  onTrouble(trouble: StoreTrouble | undefined, cause: unknown): void;
  /** Something in the background failed: a checkpoint, the notes, looking for a changed set-up. */
  onFault(doing: string, error: unknown): void;
  /** A thread died; the store is of no more use. */
  onDeath(cause: Error): void;
  /** The data are a copy, were moved or come from an earlier version: all of it is read first, which may take minutes. */
  onExamination(): void;
}

/** Told what this process has done, and `setupChanged` also what others have; called as often as it happens. */
export interface StoreWatcher {
  /** Records of this interface were added to this journal, the newest of them with this id. */
  recordsAdded(journalId: number, by: Interface, newestId: number): void;
  /** Deliveries of this lane were settled. */
  deliveriesSettled(laneId: number): void;
  /** What is to be said of this lane was noted. */
  laneNoted(laneId: number): void;
  /** A verdict, a signature, a declared total or a check of store days has changed. */
  daysChanged(): void;
  /** Somebody asks for a check of days of this journal. */
  checkRequested(journalId: number): void;
  /** Refusals were added to the log. */
  refusalsNoted(): void;
  /** Somebody changed a key, an administration, a lane or a user, or what becomes of records that were held. */
  setupChanged(): void;
}
