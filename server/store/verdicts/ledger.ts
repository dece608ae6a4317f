// Verdicts about store days, their findings, and signatures. All are appended and never changed. The newest verdict and the
// newest signature of a day are in force.

import type { Amount } from '../../contract/amounts.ts';
import type { DayEntry, Finding, FindingKind, StoreDay } from '../../contract/days.ts';
import type { CheckBasis, Note, Reason, Verdict } from '../../contract/verdicts.ts';
import type { DatesQuery } from '../days/ledger.ts';

export interface VerdictLedger {
  /** Appends a verdict. Resolves to its id. */
  add(verdict: NewVerdict): Promise<number>;
  /**
   * Appends findings to a verdict. Skips records that the verdict already has. Pass short lists, because tills wait for the
   * same disk.
   */
  addFindings(verdictId: number, findings: readonly NewFinding[]): Promise<void>;
  /** Signs a day off, or withdraws the signature in force. Logs the act. */
  addSignOff(signOff: NewSignOff): Promise<void>;
  /**
   * Reads the verdicts and signatures in force for the days of a range, by date. Leaves out days without a verdict or
   * signature.
   */
  listKnown(query: DatesQuery): Promise<ReadonlyMap<string, KnownDay>>;
  /** Finds the first date, from the date `from` on, with a verdict. Undefined without one. */
  findDate(journalId: number, from: string): Promise<string | undefined>;
  /** Lists all verdicts and signatures of a day, newest first. */
  listEntries(journalId: number, date: string): Promise<DayEntry[]>;
  /** Lists one page of the findings of one kind of a verdict, sorted by external id. */
  listFindings(query: FindingsQuery): Promise<Finding[]>;
}

export interface FindingsQuery {
  readonly verdictId: number;
  readonly kind: FindingKind;
  readonly limit: number;
  /** The last external id of the page before. Undefined for the first page. */
  readonly after?: string | undefined;
}

export interface NewVerdict {
  readonly journalId: number;
  /** The store day, as its rule defined it when the verdict was made. */
  readonly day: StoreDay;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly verdict: Verdict;
  readonly isProvisional: boolean;
  readonly reasons: readonly Reason[];
  /** Findings of a check that people should know, but that do not change the verdict. */
  readonly notes: readonly Note[];
  readonly basis: CheckBasis | null;
  /** The base address of the upstream; null if none was set. */
  readonly url: string | null;
  /** Number of NEW records of the current interface on this gateway. */
  readonly here: number;
  /** Number of records of `here` that were not delivered yet. */
  readonly open: number;
  /** Number of records that the upstream has, on the current interface; null if nothing was compared. */
  readonly upstream: number | null;
  /** Number of NEW records of the earlier interface. */
  readonly earlier: number;
  /** Number of records of `earlier` that the upstream accepted. */
  readonly earlierTaken: number;
  readonly declared: number | null;
}

export interface StoredVerdict extends NewVerdict {
  readonly id: number;
}

/** A finding: a record that explains a verdict. */
export interface NewFinding {
  readonly kind: FindingKind;
  readonly externalId: string;
  /** The id of the record on this gateway. Null if only the upstream has the record. */
  readonly recordId: number | null;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
}

export interface NewSignOff extends SignedState {
  readonly journalId: number;
  readonly date: string;
  readonly kind: 'sign off' | 'take back';
  readonly earlier: number;
}

/** A signature in force. */
export interface StoredSignOff extends SignedState {
  /** Number of NEW records of the earlier interface; null if the day was signed before verdicts counted these records. */
  readonly earlier: number | null;
}

/** Who signed, and the state of the day at that moment. */
interface SignedState {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: string;
  /** The name of the person who signs. */
  readonly name: string;
  readonly note: string;
  readonly verdict: Verdict;
  /** Number of NEW records of the current interface. */
  readonly here: number;
  readonly declared: number | null;
  /** The declared amounts that were signed. Empty if none were declared, or if an earlier version stored the signature. */
  readonly declaredAmounts: readonly Amount[];
  readonly reasons: readonly Reason[];
}

/** The verdict and the signature that are in force for a day. */
export interface KnownDay {
  readonly verdict: StoredVerdict | undefined;
  /** The newest verdict whose check compared every id. */
  readonly pass: StoredVerdict | undefined;
  /** When the verdict `pass` was made, in epoch milliseconds. */
  readonly passedAt: number | undefined;
  readonly signOff: StoredSignOff | undefined;
}
