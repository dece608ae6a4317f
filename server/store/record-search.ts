// Searching a journal's records for people: any combination of filters, newest or oldest first or by the beginning of an id,
// page by page, with ten million records and in little time, also for what is hardly ever there.

import type { RecordSummary } from '../contract.ts';
import type { Connection } from './database.ts';
import { compareIds, type IdPosition, openIdStreams } from './id-search.ts';
import { merge, type SearchFilter, type SearchOrder, type Step } from './record-stream.ts';
import { openSummaryReader } from './record-summary.ts';
import { openRecordTotal } from './record-total.ts';
import { compareSales, openSaleStreams, type SalePosition } from './sale-search.ts';

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

/** A place between two records in the order of a search: by id where a prefix is looked for, else by sale. */
export type SearchPosition = SalePosition | IdPosition;

export interface FoundRecords {
  /** Fewer than asked for, or none, do not mean the end: a search that takes long stops and can be continued. */
  readonly records: readonly RecordSummary[];
  /** Undefined at the end. */
  readonly next: SearchPosition | undefined;
  /** How many there are in all; null where counting would take reading them, and after the first page. */
  readonly total: number | null;
}

/** Each page is read from one snapshot. Throws when `after` is no position of such a search. */
export function openRecordSearch(db: Connection): (search: RecordSearch) => FoundRecords {
  const openBySale = openSaleStreams(db);
  const openById = openIdStreams(db);
  const readSummary = openSummaryReader(db);
  const countAll = openRecordTotal(db);

  function stepsOf(search: RecordSearch): Iterable<Step<SearchPosition>> {
    const { idPrefix, order, after } = search;
    if (idPrefix === undefined) {
      if (after !== undefined && !('soldAt' in after)) throw new Error('a search by sale goes on at a sale');
      return merge(openBySale(search, order, after), compareSales(order));
    }
    if (after !== undefined && !('externalId' in after)) throw new Error('a search by id goes on at an id');
    return merge(openById(search, idPrefix, after), compareIds);
  }

  return db.transaction((search: RecordSearch): FoundRecords => {
    const page = readPage(stepsOf(search), search.limit);
    return {
      records: page.found.map(({ recordId }) => readSummary(recordId)).filter((record) => record !== undefined),
      next: page.next,
      total: search.idPrefix === undefined && search.after === undefined ? countAll(search) : null,
    };
  });
}

function readPage<Position>(
  steps: Iterable<Step<Position>>,
  limit: number,
): { readonly found: Position[]; readonly next: Position | undefined } {
  const found: Position[] = [];
  for (const { position, isFound } of steps) {
    if (!isFound) return { found, next: position };
    if (found.length === limit) return { found, next: found.at(-1) };
    found.push(position);
  }
  return { found, next: undefined };
}
