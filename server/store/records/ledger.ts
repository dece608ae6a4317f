// Records: adding, finding and reading them, and the refusal log of calls that were not accepted.

import type {
  UnusualForm,
  UnusualFormCount,
  Mode,
  Interface,
  Status,
  StatusCounts,
  DeliveryState,
  ErrorCode,
  EarlierMethod,
} from '../../contract/codes.ts';
import type { RecordDetail, RecordSummary, RefusalGroup } from '../../contract/records.ts';

export interface RecordLedger {
  /**
   * Adds a call as a record. Resolves when it is on disk and synced. Otherwise keeps nothing of the call and rejects with a
   * GatewayError, `store_…` or `internal`.
   */
  append(arrival: Arrival): Promise<Outcome>;
  /**
   * Returns undefined while the queue of changed resends has room for this access key. Otherwise resolves when there is room,
   * or rejects with `store_busy`. Call it before reading the body of a call, because bodies of waiting calls are kept in
   * memory.
   */
  waitForRoom(keyId: number): Promise<void> | undefined;
  /** Returns the count of a range and one page of its records. */
  queryRange(query: RangeQuery): Promise<RangeResult>;
  /** Counts records by status for every journal, also those without records. */
  countStatuses(): Promise<JournalCounts[]>;
  /** Newest first. */
  list(filter: RecordFilter): Promise<RecordSummary[]>;
  /** Lists a page of a journal's matching records, in order. A long search stops early, so a page may be short or empty. */
  search(search: RecordSearch): Promise<FoundRecords>;
  /** Everything about one record; undefined if there is none. */
  get(recordId: number): Promise<RecordDetail | undefined>;
  /** The body of a record exactly as it is on disk; undefined if there is no such record. */
  getBody(recordId: number): Promise<Uint8Array | undefined>;
  /** The first bytes of bodies, by record; null for a damaged body. Leaves out unknown records. */
  getBodyHeads(recordIds: readonly number[], maxBytes: number): Promise<ReadonlyMap<number, Uint8Array | null>>;
  /**
   * Adds an entry to the refusal log. It is written within a second or, in trouble, when the trouble ends. In a flood, one
   * entry counts several calls with the same cause.
   */
  noteRefusal(refusal: NewRefusal): void;
  /** Refused calls that are not in the refusal log yet. */
  unwrittenRefusals(): number;
  /** Counts accepted but unusual forms of a call. The counts are written within a second. */
  noteUnusualForms(keyId: number, at: number, forms: readonly SeenForm[]): void;
  /** Lists the counts of unusual forms, by key and form. */
  listUnusualForms(): Promise<KeyForm[]>;
  /** Newest first. */
  listRefusals(limit: number): Promise<ListedRefusal[]>;
  /** Groups refusals of the last thirty days by cause, latest first: those of a journal, and those without a known key. */
  groupRefusals(choice: RefusalChoice): Promise<RefusalGroup[]>;
  /** The secret that signs cursors. It never changes for the same data. */
  readonly cursorSecret: Uint8Array;
}

/**
 * The outcome of an arrival (docs/interface.md#statuses). `differences` are JSON pointers into the body or, on the earlier
 * interface, into its parameters.
 */
export type Outcome =
  | { readonly status: 'NEW'; readonly recordId: number }
  | { readonly status: 'IGNORED'; readonly recordId: number; readonly originalId: number }
  | {
      readonly status: 'ERROR';
      readonly recordId: number;
      readonly originalId: number;
      readonly differences: readonly string[];
    };

/** Where the next page begins, and which set of records is read page by page. */
export interface Continuation {
  /** The last record of the page before. */
  readonly after: SalePosition;
  /** The newest record when the first page was read. Later records are not part of the set. */
  readonly highWaterId: number;
  readonly count: number;
}

/** A query of the records sold in a range: their count and, if `limit` is above 0, one page. */
export interface RangeQuery {
  readonly journalId: number;
  readonly range: Range;
  readonly type: string | undefined;
  readonly limit: number;
  /** Set from the second page on, so that the count and the set of records stay those of the first page. */
  readonly continuation?: Continuation | undefined;
}

/** A half-open range of epoch seconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** One call that was not accepted. */
export type NewRefusal = Omit<Refusal, 'calls'>;

/** An unusual form of a call. */
export interface SeenForm {
  readonly form: UnusualForm;
  /** Short and masked. */
  readonly example: string;
}

/** How often a key has sent an unusual form. */
export interface KeyForm extends UnusualFormCount {
  readonly keyId: number;
}

/** A position in the list: by id if a prefix is searched, otherwise by time of sale. */
export type SearchPosition = SalePosition | IdPosition;

/** The search; fields left out match anything. */
export interface RecordSearch extends SearchFilter {
  /** The beginning of an external_id. `isInOrderOfId` says whether the list is in the order (external_id, record). */
  readonly idPrefix?: string | undefined;
  /** Order of (sold at, record). */
  readonly order: SearchOrder;
  /** Where the previous page ended: its `next`. */
  readonly after?: SearchPosition | undefined;
  readonly limit: number;
}

export interface RangeResult {
  readonly count: number;
  readonly rows: readonly PageRow[];
  /** What to pass to get the next page; undefined at the end. */
  readonly continuation: Continuation | undefined;
  /** Time spent in the store, in milliseconds. */
  readonly elapsedMs: number;
}

export interface RecordFilter {
  readonly administration?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly interface?: Interface | undefined;
  readonly status?: Status | undefined;
  readonly externalId?: string | undefined;
  readonly delivery?: DeliveryState | undefined;
  /** Only records with a smaller id, for the next page. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

export interface FoundRecords {
  /** Fewer than `limit`, or none, do not mean the end: a long search stops and can be continued. */
  readonly records: readonly RecordSummary[];
  /** Undefined at the end. */
  readonly next: SearchPosition | undefined;
  /** For a search by amount: whether amounts of old records are still being read, so that some may be missing. */
  readonly isFilling: boolean;
  /** Number of all matches; null if counting would have to read them, and after the first page. */
  readonly total: number | null;
}

/** A valid call that is to become a record. */
export interface Arrival {
  readonly journalId: number;
  readonly tillId: number;
  readonly keyId: number;
  /** Undefined for the current interface. */
  readonly earlier?: EarlierCall | undefined;
  /** On the earlier interface, the value of the id parameter. */
  readonly externalId: string;
  /** On the earlier interface, the resource. */
  readonly type: string;
  /** The sender's timestamp in epoch seconds. */
  readonly soldAt: number;
  /** Whether `soldAt` is from another machine's clock and so can confirm ours. */
  readonly isTimedElsewhere: boolean;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** As received, byte for byte; for a GET, the query string. */
  readonly body: Uint8Array;
  /** The comparison of a changed resend with its original. */
  readonly compared?: Compared | undefined;
}

/** A refusal in a list; `label` is the till of its key. */
export type ListedRefusal = Refusal & { readonly id: number; readonly label: string | null };

export interface RefusalChoice {
  readonly journalId: number;
  /** The earliest refusal to include, in epoch milliseconds. */
  readonly since: number;
  /** Maximum number of groups. */
  readonly limit: number;
}

export interface Refusal {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The network address that the call came from. */
  readonly address: string;
  /** The key of the call; null if unknown. */
  readonly keyId: number | null;
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  readonly code: ErrorCode;
  readonly detail: string;
  /** The beginning of the call, with values masked. */
  readonly excerpt: string;
  /**
   * Number of calls that the entry counts. In a flood, it counts several calls of one group, and the other fields describe the
   * last of them.
   */
  readonly calls: number;
}

/** The position of a record in the order (soldAt, recordId). */
export interface SalePosition {
  /** Epoch seconds. */
  readonly soldAt: number;
  readonly recordId: number;
}

export interface IdPosition {
  readonly externalId: string;
  readonly recordId: number;
}

/** A filter; fields left out match anything. */
export interface SearchFilter {
  readonly journalId: number;
  readonly interface?: Interface | undefined;
  readonly status?: Status | undefined;
  readonly delivery?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly tillId?: number | undefined;
  /** The end of an external_id. */
  readonly idEnd?: string | undefined;
  /** An exact decimal (lib/decimal.ts). Finds records with this amount, in any currency. */
  readonly amount?: bigint | undefined;
  /** Only records sold at or after `from` and before `to`, in epoch seconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export type SearchOrder = 'newest' | 'oldest';

/** How a call of the earlier interface was made. Its record is forwarded in the same way. */
export interface EarlierCall {
  readonly version: string;
  readonly method: EarlierMethod;
}

/** A bucket whose stored sum differs from the number of its records. */
export interface CountFault {
  readonly journalId: number;
  readonly interface: Interface;
  readonly status: Status;
  /** Epoch seconds. */
  readonly startsAt: number;
  readonly width: number;
  readonly stored: number;
  readonly actual: number;
}

/** A bucket whose stored sum of amounts differs from the amounts of its records, and by how much the stored sum is too high. */
export interface AmountFault {
  readonly journalId: number;
  readonly type: string;
  readonly status: Status;
  /** Epoch seconds. */
  readonly startsAt: number;
  readonly width: number;
  readonly currency: string | null;
  /** An exact decimal. */
  readonly excess: string;
  readonly excessRecords: number;
  readonly excessWithoutAmount: number;
}

export interface PageRow extends SalePosition {
  readonly externalId: string;
  readonly type: string;
}

/** Where a changed resend differs from its original; an empty list if both have the same content. */
export interface Compared {
  readonly originalId: number;
  readonly differences: readonly string[];
}

/** Number of records of a journal by interface and status. */
export interface JournalCounts {
  readonly administration: string;
  readonly mode: Mode;
  readonly records: Readonly<Record<Interface, StatusCounts>>;
}
