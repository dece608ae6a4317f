// Searching a journal's records for people.

import type { DeliveryState, RecordSummary, Status } from '../contract.ts';
import type { Connection } from './database.ts';
import { SUMMARY_SQL, summaryOf, type SummaryRow } from './record-summary.ts';

/** What is looked for; what is left out may be anything. */
export interface RecordSearch {
  readonly journalId: number;
  /** The beginning of an external_id; the list is then in the order (external_id, record), whatever `order` says. */
  readonly idPrefix?: string | undefined;
  readonly status?: Status | undefined;
  readonly delivery?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly tillId?: number | undefined;
  /** Sold at or after, and before; epoch seconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Of (sold at, record). */
  readonly order: 'newest' | 'oldest';
  /** Where the page before ended, as its `next` said. */
  readonly after?: SearchPosition | undefined;
  readonly limit: number;
}

/** A place between two records in the order of a search: by sale, or by id where a prefix is looked for. */
export type SearchPosition =
  | { readonly soldAt: number; readonly recordId: number }
  | { readonly externalId: string; readonly recordId: number };

export interface FoundRecords {
  /** Fewer than asked for, or none, do not mean the end: a search that takes long stops and can be continued. */
  readonly records: readonly RecordSummary[];
  /** Undefined at the end. */
  readonly next: SearchPosition | undefined;
  /** How many there are in all; null where counting would take reading them, and after the first page. */
  readonly total: number | null;
}

export function openRecordSearch(db: Connection): (search: RecordSearch) => FoundRecords {
  return (search) => {
    const { idPrefix, order, limit } = search;
    const isById = idPrefix !== undefined;
    const after = search.after;
    const conditions = [
      'records.journal_id = @journalId',
      isById && 'substr(external_id, 1, length(@idPrefix)) = @idPrefix',
      search.status !== undefined && 'status = @status',
      search.delivery !== undefined && 'deliveries.state = @delivery',
      search.type !== undefined && 'type = @type',
      search.tillId !== undefined && 'till_id = @tillId',
      search.from !== undefined && 'sold_at >= @from',
      search.to !== undefined && 'sold_at < @to',
      after !== undefined &&
        (isById
          ? '(external_id, records.id) > (@externalId, @recordId)'
          : `(sold_at, records.id) ${order === 'newest' ? '<' : '>'} (@soldAt, @recordId)`),
    ].filter((condition) => condition !== false);
    const direction = order === 'newest' ? 'DESC' : 'ASC';
    const by = isById ? 'external_id, records.id' : `sold_at ${direction}, records.id ${direction}`;
    const found = db
      .prepare<unknown[], SummaryRow>(`${SUMMARY_SQL} WHERE ${conditions.join(' AND ')} ORDER BY ${by} LIMIT @limit`)
      .all({ ...search, ...after, limit: limit + 1 })
      .map(summaryOf);
    const records = found.slice(0, limit);
    const last = records.at(-1);
    const hasMore = found.length > limit && last !== undefined;
    const next = hasMore
      ? isById
        ? { externalId: last.externalId, recordId: last.recordId }
        : { soldAt: last.soldAt, recordId: last.recordId }
      : undefined;
    return { records, next, total: null };
  };
}
