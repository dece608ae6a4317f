// Adds, finds and reads records. Also keeps the refusal log of calls that were not accepted.

import type {
  UnusualForm,
  UnusualFormCount,
  Mode,
  Interface,
  Status,
  StatusCounts,
  DeliveryState,
  ErrorCode,
  FieldFault,
  EarlierMethod,
} from '../../contract/codes.ts';
import type { RecordDetail, RecordSummary, RefusalGroup } from '../../contract/records.ts';

export interface RecordLedger {
  /**
   * Adds a call as a record. Resolves when the record is on disk and synced. If that fails, keeps nothing of the call, and
   * rejects with a GatewayError whose code is `store_…` or `internal`.
   */
  append(arrival: Arrival): Promise<Outcome>;
  /**
   * Returns undefined while the queue of changed resends has room for this access key. If there is no room, returns a promise,
   * which resolves when there is room or rejects with `store_busy`. Call it before reading the body of a call, because waiting
   * calls keep their bodies in memory.
   */
  waitForRoom(keyId: number): Promise<void> | undefined;
  /** Returns how many records a range has, and one page of them. */
  queryRange(query: RangeQuery): Promise<RangeResult>;
  /** Counts records by status for every journal, including journals without records. */
  countStatuses(): Promise<JournalCounts[]>;
  /** Newest first. */
  list(filter: RecordFilter): Promise<RecordSummary[]>;
  /**
   * Lists a page of a journal's records that match the search, in order. A long search stops early, so a page may be short or
   * empty.
   */
  search(search: RecordSearch): Promise<FoundRecords>;
  /** Returns the details of one record; undefined if there is no such record. */
  get(recordId: number): Promise<RecordDetail | undefined>;
  /**
   * The body of a record exactly as it is on disk; undefined if there is no such record. Rejects with `store_damaged` if nothing of it can
   * be read.
   */
  getBody(recordId: number): Promise<Uint8Array | undefined>;
  /** Reads an excerpt of each body, by record id; null for a damaged body. Leaves out unknown records. */
  getExcerpts(
    recordIds: readonly number[],
    maxBytes: number,
  ): Promise<ReadonlyMap<number, BodyExcerpt | 'unreadable' | null>>;
  /**
   * Adds an entry to the refusal log. The store writes the entry within a second. If the store is in trouble, it writes the
   * entry after the trouble has ended. In a flood of refused calls, one entry counts several calls with the same cause.
   */
  noteRefusal(refusal: NewRefusal): void;
  /** Number of refused calls that are not in the refusal log yet. */
  unwrittenRefusals(): number;
  /** Counts the unusual forms of an accepted call. The store writes the counts within a second. */
  noteUnusualForms(keyId: number, at: number, forms: readonly SeenForm[]): void;
  /** Lists the counts of unusual forms, by key and form. */
  listUnusualForms(): Promise<KeyForm[]>;
  /** Newest first. */
  listRefusals(limit: number): Promise<ListedRefusal[]>;
  /**
   * Groups the refusals of the last thirty days by cause, latest first. Includes refusals of one journal and refusals without a
   * known key.
   */
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

/** The parts of a body that an export needs. */
export interface BodyExcerpt {
  /** The first bytes of the body. */
  readonly head: Uint8Array;
  /** The payment method as the till wrote it. Null if the record has none, or if no rule says where it is. */
  readonly payment: string | null;
}

/** Where the next page begins, and which records belong to the pages. */
export interface Continuation {
  /** The position of the last record on the previous page. */
  readonly after: SalePosition;
  /** The id of the newest record when the first page was read. The pages leave out later records. */
  readonly highWaterId: number;
  readonly count: number;
}

/** A query of the records sold in a range: their count and, if `limit` is above 0, one page. */
export interface RangeQuery {
  readonly journalId: number;
  readonly range: Range;
  readonly type: string | undefined;
  readonly limit: number;
  /**
   * Where this page begins; undefined for the first page. It also carries the count and the set of records of the first page.
   */
  readonly continuation?: Continuation | undefined;
}

/** A range of epoch seconds that includes `from` and excludes `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** One call that was not accepted. */
export type NewRefusal = Omit<Refusal, 'calls'>;

/** An unusual form of a call. */
export interface SeenForm {
  readonly form: UnusualForm;
  /** The value that the till sent, shortened and masked. */
  readonly example: string;
}

/** How often a key has sent an unusual form. */
export interface KeyForm extends UnusualFormCount {
  readonly keyId: number;
}

/** Where a page of a search ended: an `IdPosition` if a prefix is searched, otherwise a `SalePosition`. */
export type SearchPosition = SalePosition | IdPosition;

/** The search. A field that is left out matches every record. */
export interface RecordSearch extends SearchFilter {
  /**
   * Finds records whose external_id begins with this text. `isInOrderOfId` says whether the list is in the order (external_id,
   * record).
   */
  readonly idPrefix?: string | undefined;
  /** Whether the list begins with the newest or the oldest time of sale. */
  readonly order: SearchOrder;
  /** The `next` of the previous page; undefined for the first page. */
  readonly after?: SearchPosition | undefined;
  readonly limit: number;
}

export interface RangeResult {
  readonly count: number;
  readonly rows: readonly PageRow[];
  /** Pass this value to get the next page. Undefined on the last page. */
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
  /** Lists only records with a smaller id. Used for the next page. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

export interface FoundRecords {
  /**
   * A page of records. A page with fewer than `limit` records, or with none, may not be the last. A long search stops early,
   * and the next call continues it.
   */
  readonly records: readonly RecordSummary[];
  /** Pass this value as `after` to get the next page. Undefined on the last page. */
  readonly next: SearchPosition | undefined;
  /** For a search by amount: true while the amounts of old records are still being read. Until then, records may be missing. */
  readonly isFilling: boolean;
  /** Number of all matches. Null on later pages, and if the count would have to read all matches. */
  readonly total: number | null;
}

/** A valid call that is to become a record. */
export interface Arrival {
  readonly journalId: number;
  readonly tillId: number;
  readonly keyId: number;
  /** How the call was made on the earlier interface; undefined on the current interface. */
  readonly earlier?: EarlierCall | undefined;
  /** The id of the call. On the earlier interface, this is the value of the id parameter. */
  readonly externalId: string;
  /** The type of the record. On the earlier interface, this is the resource. */
  readonly type: string;
  /** The sender's timestamp in epoch seconds. */
  readonly soldAt: number;
  /** True if `soldAt` comes from another machine's clock. Such a time can confirm our clock. */
  readonly isTimedElsewhere: boolean;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** The body as received, byte for byte; for a GET, the query string. */
  readonly body: Uint8Array;
  /** How a changed resend differs from its original; undefined if they were not compared. */
  readonly compared?: Compared | undefined;
}

/** A refusal in a list. `label` is the name of the till that has the key; null without a known key. */
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
  /** The path of the call, without the query string. */
  readonly path: string;
  readonly code: ErrorCode;
  readonly detail: string;
  /** The beginning of the call, with values masked. */
  readonly excerpt: string;
  /** The faults behind `detail`, at most `MAX_KEPT_FAULTS`. */
  readonly faults: readonly FieldFault[];
  /**
   * Number of calls that the entry counts. In a flood, it counts several calls of one group, and the other fields describe the
   * last of these calls.
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

/** A filter. A field that is left out matches every record. */
export interface SearchFilter {
  readonly journalId: number;
  readonly interface?: Interface | undefined;
  readonly status?: Status | undefined;
  readonly delivery?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly tillId?: number | undefined;
  /** Finds records whose external_id ends with this text. */
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

/** A stored count of records that differs from the actual number in its bucket. */
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

/** A bucket whose stored sum differs from the amounts of its records. `excess` is the stored sum minus the right sum. */
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
