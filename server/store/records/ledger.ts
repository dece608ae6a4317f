// Records: how one is kept, found and read, and the refusal log of calls that became none.

import type { RecordDetail, RecordSummary, RefusalGroup } from '../../contract.ts';
import type { RangeQuery, RangeResult } from '../sqlite/records/range-query.ts';
import type { RecordFilter } from '../sqlite/records/record-list.ts';
import type { FoundRecords, RecordSearch } from '../sqlite/records/record-search.ts';
import type { Arrival, Outcome } from '../sqlite/records/record.ts';
import type { ListedRefusal, NewRefusal, RefusalChoice } from '../sqlite/records/refusal.ts';
import type { KeyForm, SeenForm } from '../sqlite/records/unusual-form.ts';
import type { JournalCounts } from '../sqlite/setup/journal.ts';

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
