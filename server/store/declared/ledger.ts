// Declared totals: what a till, a file or a person says was sold on a store day. A total is added and never changed; the newest
// of each scope (date, type and till) is in force.

import type { Amount } from '../../contract/amounts.ts';
import type { Interface } from '../../contract/codes.ts';
import type {
  AmountComparison,
  AmountGap,
  DeclaredComparison,
  DeclaredSource,
} from '../../contract/declared-totals.ts';
import type { DatesQuery, DaysQuery } from '../days/ledger.ts';
import type { Range } from '../records/ledger.ts';

export interface DeclaredLedger {
  /**
   * Adds all of the totals or, if a till is unknown, none. Also logs the act, unless a till declares them. Skips a total that
   * is already in force. Resolves when the totals are on disk.
   */
  declare(journalId: number, totals: readonly NewDeclaredTotal[], by: Declarer): Promise<DeclareResult>;
  /** Lists the totals in force, sorted by date, type and till. */
  list(dates: DatesQuery): Promise<DeclaredTotal[]>;
  /**
   * Compares the totals of a day with the records here. Each list of ids has at most `maxListed` ids, by default `MAX_LISTED`,
   * and all lists together have at most `MAX_LISTED_IN_DAY`.
   */
  compareDay(day: DeclaredDay): Promise<DeclaredComparison[]>;
  /** Lists one page of the declared ids of a total that have no record here, sorted. */
  listMissing(query: DeclaredIdsQuery<string>): Promise<string[]>;
  /** Lists one page of the records here that a total does not declare: the current interface first, in the order of sale. */
  listUndeclared(query: DeclaredIdsQuery<UndeclaredId>): Promise<UndeclaredId[]>;
  /**
   * Compares the totals of each day with the records here. The keys of the result are dates; days without totals are left out.
   */
  compareDays(query: DaysQuery): Promise<ReadonlyMap<string, DeclaredFacts>>;
  /** Finds the first date, from the date `from` on, with a total in force. Undefined without one. */
  findDate(journalId: number, from: string): Promise<string | undefined>;
}

export interface NewDeclaredTotal extends DeclaredScope {
  /** YYYY-MM-DD */
  readonly date: string;
  /** Number of sales; null withdraws the total in force. */
  readonly records: number | null;
  /** The ids of the sales, without repetitions; exactly `records` ids. */
  readonly ids?: readonly string[];
  /** One amount per currency; empty or left out if none is declared. */
  readonly amounts?: readonly Amount[];
}

/** The sales that a declared total covers. The type null means all types; the till null means all tills. */
export interface DeclaredScope {
  readonly type: string | null;
  readonly tillId: number | null;
}

/** Who declares totals, and how. */
export interface Declarer {
  readonly actor: string;
  readonly source: DeclaredSource;
}

export type DeclareResult =
  /**
   * `added` is the number of new totals. `ids` has the id of the stored entry for each given total; null if there was no total
   * to withdraw.
   */
  | { readonly kind: 'declared'; readonly added: number; readonly ids: readonly (number | null)[] }
  /** A till does not belong to the journal. Nothing was stored. */
  | { readonly kind: 'unknown till' };

/** A declared total in force. */
export interface DeclaredTotal extends DeclaredScope, Declarer {
  readonly id: number;
  readonly date: string;
  /** The label of `tillId`. */
  readonly till: string | null;
  readonly records: number;
  readonly hasIds: boolean;
  /** The declared amounts, sorted by currency. */
  readonly amounts: readonly Amount[];
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A store day of a journal, and which of its totals to compare. */
export interface DeclaredDay {
  readonly journalId: number;
  readonly date: string;
  /** The range of the day in epoch seconds. It begins and ends on quarter hours. */
  readonly range: Range;
  /** The id of the only total to compare, even if it is no longer in force. Undefined for all totals in force. */
  readonly declaredId?: number;
  /** Maximum ids in each list. */
  readonly maxListed?: number;
}

/** A page of the ids behind a declared total. */
export interface DeclaredIdsQuery<Position> {
  readonly journalId: number;
  /** The range of the total's day, as in `DeclaredDay`. */
  readonly range: Range;
  readonly declaredId: number;
  readonly limit: number;
  /** The last id of the page before. Undefined for the first page. */
  readonly after?: Position | undefined;
}

/** The id of a record that a total does not declare, with its position in the list. */
export interface UndeclaredId {
  readonly externalId: string;
  readonly interface: Interface;
  /** Epoch seconds. */
  readonly soldAt: number;
  readonly recordId: number;
}

/** The sum of a day's totals, and how the records here differ from it. */
export interface DeclaredFacts {
  readonly total: number | null;
  /** Number of records that are declared but not here. */
  readonly more: number;
  /** Number of records that are here but not declared. */
  readonly less: number;
  readonly money: DeclaredMoney;
}

/** The declared amounts of a day, and how the sums here differ from them. */
export interface DeclaredMoney {
  /**
   * The declared sums and the sums here, per currency. They come from the first level (day, till or type) that has declared
   * amounts. Empty without declared amounts.
   */
  readonly amounts: readonly AmountComparison[];
  /**
   * `more` was declared but is not here; `less` is here but was not declared. Both are positive, and differences of several
   * tills do not cancel each other out.
   */
  readonly more: readonly Amount[];
  readonly less: readonly Amount[];
  readonly gap: AmountGap | null;
}
