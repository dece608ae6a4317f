// Records: how one is kept, found and read, and the refusal log of calls that became none.

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
   * Keeps a call as a record. Resolves when it is on disk, synced. Rejects with a GatewayError, `store_…` or `internal`;
   * then nothing of it is kept.
   */
  append(arrival: Arrival): Promise<Outcome>;
  /**
   * Undefined unless changed resends of a key fill its queue. Then resolves when there is room, or rejects with `store_busy`; to be
   * awaited before a body is read, because what waits is kept in memory.
   */
  waitForRoom(keyId: number): Promise<void> | undefined;
  /** The count of a range and, page by page, its records. */
  queryRange(query: RangeQuery): Promise<RangeResult>;
  /** Every journal, also those without records. */
  countStatuses(): Promise<JournalCounts[]>;
  /** Newest first. */
  list(filter: RecordFilter): Promise<RecordSummary[]>;
  /** A page of a journal's records, found and in order; it never takes long, but may then be short. */
  search(search: RecordSearch): Promise<FoundRecords>;
  /** Everything there is to say of a record; undefined where there is none. */
  get(recordId: number): Promise<RecordDetail | undefined>;
  /** The body of a record as it is on disk, byte for byte; undefined where there is no such record. */
  getBody(recordId: number): Promise<Uint8Array | undefined>;
  /** The first bytes of bodies, by record; null where the body is damaged. Those that are not there are left out. */
  getBodyHeads(recordIds: readonly number[], mostBytes: number): Promise<ReadonlyMap<number, Uint8Array | null>>;
  /**
   * Adds to the refusal log; written within a second, or once the store is out of trouble. In a flood calls of one cause are
   * written as one.
   */
  noteRefusal(refusal: NewRefusal): void;
  /** Calls that were refused and are not in the refusal log yet. */
  unwrittenRefusals(): number;
  /** Counts forms that are accepted but unusual, of a call that was taken; written within a second. */
  noteUnusualForms(keyId: number, at: number, forms: readonly SeenForm[]): void;
  /** By key and form, of all times. */
  listUnusualForms(): Promise<KeyForm[]>;
  /** Newest first. */
  listRefusals(limit: number): Promise<ListedRefusal[]>;
  /** Those of the last thirty days that have to do with a journal, or whose key is not known; by cause, the latest first. */
  groupRefusals(choice: RefusalChoice): Promise<RefusalGroup[]>;
  /** Signs cursors; the same for the life of the data. */
  readonly cursorSecret: Uint8Array;
}

/** What became of an arrival (specification 3). `differences` are JSON pointers into the body or, on the
 * earlier interface, into its parameters. */
export type Outcome =
  | { readonly status: 'NEW'; readonly recordId: number }
  | { readonly status: 'IGNORED'; readonly recordId: number; readonly originalId: number }
  | {
      readonly status: 'ERROR';
      readonly recordId: number;
      readonly originalId: number;
      readonly differences: readonly string[];
    };

/** Where the next page begins, and which set is being paged. */
export interface Continuation {
  readonly after: PagePosition;
  /** The newest record when the first page was read; later ones are not part of the set. */
  readonly highWaterId: number;
  readonly count: number;
}

/** A query of the records sold in a range: their count and, where `limit` is above 0, one page of them. */
export interface RangeQuery {
  readonly journalId: number;
  readonly range: Range;
  readonly type: string | undefined;
  readonly limit: number;
  /** Set from the second page on: the count and the set are those of the first. */
  readonly continuation?: Continuation | undefined;
}

/** A half-open range of epoch seconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** One call that was not accepted. */
export type NewRefusal = Omit<Refusal, 'calls'>;

/** A form that a call had. */
export interface SeenForm {
  readonly form: UnusualForm;
  /** Short, and masked. */
  readonly example: string;
}

/** How often a key sent a form. */
export interface KeyForm extends UnusualFormCount {
  readonly keyId: number;
}

/** A place between two records in the order of a search: by id where a prefix is looked for, else by sale. */
export type SearchPosition = SalePosition | IdPosition;

/** What is looked for; what is left out may be anything. */
export interface RecordSearch extends SearchFilter {
  /** The beginning of an external_id; the list is then in the order (external_id, record), whatever `order` says. */
  readonly idPrefix?: string | undefined;
  /** Of (sold at, record). */
  readonly order: SearchOrder;
  /** Where the page before ended, as its `next` said. */
  readonly after?: SearchPosition | undefined;
  readonly limit: number;
}

export interface RangeResult {
  readonly count: number;
  readonly rows: readonly PageRow[];
  /** How to ask for the next page; undefined at the end. */
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
  /** Only records with a smaller id: where the next page goes on. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

export interface FoundRecords {
  /** Fewer than asked for, or none, do not mean the end: a search that takes long stops and can be continued. */
  readonly records: readonly RecordSummary[];
  /** Undefined at the end. */
  readonly next: SearchPosition | undefined;
  /** How many there are in all; null where counting would take reading them, and after the first page. */
  readonly total: number | null;
}

/** A call that was found valid, on its way to becoming a record. */
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
  /** Whether `soldAt` is by the clock of another machine, so that it says something about ours. */
  readonly isTimedElsewhere: boolean;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** As received, byte for byte; of a GET the query string. */
  readonly body: Uint8Array;
  /** Of a changed resend that was compared with its original. */
  readonly compared?: Compared | undefined;
}

/** A refusal as it is listed: `label` is the till of its key. */
export type ListedRefusal = Refusal & { readonly id: number; readonly label: string | null };

export interface RefusalChoice {
  readonly journalId: number;
  /** The earliest, in epoch milliseconds. */
  readonly since: number;
  /** Maximum number of groups. */
  readonly limit: number;
}

/** Where a page begins: after this record in the order (soldAt, id). */
export interface PagePosition {
  readonly soldAt: number;
  readonly id: number;
}

export interface Refusal {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The till's network address. */
  readonly address: string;
  /** The key that was presented, where it is known. */
  readonly keyId: number | null;
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  readonly code: ErrorCode;
  readonly detail: string;
  /** Enough of the call to recognise it, with values masked. */
  readonly excerpt: string;
  /** How many calls it stands for: in a flood, those of one group up to this one. */
  readonly calls: number;
}

export interface SalePosition {
  /** Epoch seconds. */
  readonly soldAt: number;
  readonly recordId: number;
}

export interface IdPosition {
  readonly externalId: string;
  readonly recordId: number;
}

/** Which records are looked for; what is left out may be anything. */
export interface SearchFilter {
  readonly journalId: number;
  readonly interface?: Interface | undefined;
  readonly status?: Status | undefined;
  readonly delivery?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly tillId?: number | undefined;
  /** Sold at or after, and before; epoch seconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export type SearchOrder = 'newest' | 'oldest';

/** How a call of the earlier interface was made; it is forwarded the same way. */
export interface EarlierCall {
  readonly version: string;
  readonly method: EarlierMethod;
}

/** A bucket whose stored sum is not the number of its records. */
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

export interface PageRow extends PagePosition {
  readonly externalId: string;
  readonly type: string;
}

/** Where a changed resend differs from its original; an empty list means that they say the same. */
export interface Compared {
  readonly originalId: number;
  readonly differences: readonly string[];
}

/** How many records of each interface and status a journal holds. */
export interface JournalCounts {
  readonly administration: string;
  readonly mode: Mode;
  readonly records: Readonly<Record<Interface, StatusCounts>>;
}
