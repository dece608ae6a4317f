// Searches the records of a journal with any filters, page by page. The order is by sale or, for a search by the beginning of
// an id, by id. Fast with ten million records, even if few records match.

import type { SearchPosition, RecordSearch, FoundRecords } from '../../records/ledger.ts';
import { isInOrderOfId } from '../../records/search-order.ts';
import { openRuleReader } from '../amounts/amount-sum.ts';
import type { Connection } from '../engine/database.ts';
import { type FewRecord, openFewReader } from './delivery-search.ts';
import { compareIds, openIdStreams } from './id-search.ts';
import { merge, type Step } from './record-stream.ts';
import { openSummaryReader } from './record-summary.ts';
import { openRecordTotal } from './record-total.ts';
import { compareSales, openSaleStreams } from './sale-search.ts';

/**
 * Limits of a search. Work within one limit takes tens of milliseconds. If at most `few` deliveries have the wanted state, a
 * search reads all of them. A stream stops after `maxLooked` records. In a search by the end of an id, it stops after
 * `maxSkimmed` ids.
 */
const EFFORT = { few: 4000, maxLooked: 10_000, maxSkimmed: 100_000 };

/**
 * Returns a search. It throws if `after` is not a position of this kind of search. Only tests set `effort`.
 */
export function openRecordSearch(db: Connection, effort = EFFORT): (search: RecordSearch) => FoundRecords {
  const openBySale = openSaleStreams(db, effort.maxLooked);
  const openById = openIdStreams(db, effort);
  const listFew = openFewReader(db, effort.few);
  const readRules = openRuleReader(db);
  const readSummary = openSummaryReader(db);
  const countAll = openRecordTotal(db);

  function stepsOf(search: RecordSearch, few: readonly FewRecord[] | undefined): Iterable<Step<SearchPosition>> {
    const { idPrefix = '', order, after } = search;
    if (!isInOrderOfId(search)) {
      if (after !== undefined && !('soldAt' in after)) throw new Error('a search by sale must continue at a sale');
      const compare = compareSales(order);
      return few === undefined ? merge(openBySale(search, order, after), compare) : stepsAfter(after, few, compare);
    }
    if (after !== undefined && !('externalId' in after)) throw new Error('a search by id must continue at an id');
    return few === undefined
      ? merge(openById(search, idPrefix, after), compareIds)
      : stepsAfter(after, few, compareIds);
  }

  function totalOf(search: RecordSearch, few: readonly FewRecord[] | undefined): number | null {
    if (search.after !== undefined) return null;
    if (few !== undefined) return few.length;
    return [search.idPrefix, search.idEnd, search.amount].every((each) => each === undefined) ? countAll(search) : null;
  }

  return (search: RecordSearch): FoundRecords => {
    const { idPrefix, limit } = search;
    const few = listFew(search, idPrefix);
    const { found, next } = readPage(stepsOf(search, few), limit);
    return {
      records: found.map(({ recordId }) => readSummary(recordId)).filter((record) => record !== undefined),
      next: next && positionOf(next, isInOrderOfId(search)),
      total: totalOf(search, few),
      isFilling: search.amount !== undefined && readRules(search.journalId).filling.size > 0,
    };
  };
}

/** Keeps only the fields of a position, because a found row has more fields. */
function positionOf(position: SearchPosition, isById: boolean): SearchPosition {
  const { recordId } = position;
  if (isById && 'externalId' in position) return { externalId: position.externalId, recordId };
  if ('soldAt' in position) return { soldAt: position.soldAt, recordId };
  throw new Error('a search returned a position of another kind');
}

function stepsAfter<Position>(
  after: Position | undefined,
  all: readonly Position[],
  compare: (a: Position, b: Position) => number,
): Step<Position>[] {
  const rest = after === undefined ? all : all.filter((position) => compare(position, after) > 0);
  return rest.toSorted(compare).map((position) => ({ position, isFound: true }));
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
