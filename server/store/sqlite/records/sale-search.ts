// Records in the order they were sold: each stream follows an index of its own, and where a filter makes most of it useless
// only those quarter hours that the counts say may hold something.

import type { Range, SearchFilter, SearchOrder, SalePosition } from '../../records/ledger.ts';
import { type Connection, openStatements } from '../engine/database.ts';
import { QUARTER } from './count.ts';
import { isSearched, lookAt, type Looked, ORDER, type RecordStream, type Step, STREAMS } from './record-stream.ts';
import { type FindQuarter, openSkipIndex } from './skip-index.ts';

/** Wider than all that timestamps can say, in whole days; epoch seconds. */
const EVER = { from: -86_400_000_000, to: 864_000_000_000 };

export function compareSales(order: SearchOrder): (a: SalePosition, b: SalePosition) => number {
  const sign = order === 'newest' ? -1 : 1;
  return (a, b) => sign * (a.soldAt - b.soldAt || a.recordId - b.recordId);
}

/** What a filter asks of a record besides its interface, status and time; each is tested as soon as what it takes has been read. */
const CONDITIONS = {
  type: 'type = @type',
  tillId: '(SELECT till_id FROM keys WHERE keys.id = key_id) = @tillId',
  delivery: '(SELECT state FROM deliveries WHERE record_id = records.id) IS @delivery',
};
type Condition = keyof typeof CONDITIONS;
const CONDITION_NAMES = Object.keys(CONDITIONS) as Condition[];

/** Tells records that match from others. */
export function matchSql(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '1' : conditions.map((name) => CONDITIONS[name]).join(' AND ');
}

/** Which of the conditions a filter has. */
export function conditionsOf(filter: SearchFilter): Condition[] {
  return CONDITION_NAMES.filter((name) => filter[name] !== undefined);
}

/** What the index others_by_sale has; SQLite takes it only for this very condition. */
const OTHERS = "AND NOT (status = 'NEW' AND interface = 'current')";

/**
 * A chunk is what is left of the second it begins in, then further seconds: SQLite does not search by (sold_at, id) as a pair,
 * and a whole day may carry one timestamp. Exported for the test that asserts the query plans.
 */
export function saleSql(
  { interface: by, status }: RecordStream,
  order: SearchOrder,
  part: 'sameSecond' | 'furtherSeconds',
  conditions: readonly Condition[],
): string {
  const hasOwnIndex = by === 'current' && status === 'NEW';
  const [beyond, upTo] = order === 'newest' ? ['<', '>= @from'] : ['>', '< @to'];
  const where = {
    sameSecond: `sold_at = @soldAt AND records.id ${beyond} @recordId`,
    furtherSeconds: `sold_at ${beyond} @soldAt AND sold_at ${upTo}`,
  };
  return `
  SELECT records.id AS recordId, sold_at AS soldAt, ${matchSql(conditions)} AS isMatch
  FROM records INDEXED BY ${hasOwnIndex ? 'originals_by_sale' : 'others_by_sale'}
  WHERE journal_id = @journalId AND interface = '${by}' AND status = '${status}' ${hasOwnIndex ? '' : OTHERS} AND ${where[part]}
  ORDER BY sold_at ${ORDER[order]}, records.id ${ORDER[order]} LIMIT @limit`;
}

/** Opens the streams that a filter leaves, each in the order of the search and after a position, to look at `mostLooked` each. */
export function openSaleStreams(
  db: Connection,
  mostLooked: number,
): (filter: SearchFilter, order: SearchOrder, after: SalePosition | undefined) => Iterator<Step<SalePosition>, void>[] {
  const prepare = openStatements(db);
  const skipIndexes = STREAMS.map((stream) => ({
    stream,
    newest: openSkipIndex(db, stream, 'newest'),
    oldest: openSkipIndex(db, stream, 'oldest'),
  }));

  function* steps(
    { stream, ...skipIndex }: (typeof skipIndexes)[number],
    filter: SearchFilter,
    order: SearchOrder,
    after: SalePosition | undefined,
  ): Generator<Step<SalePosition>, void> {
    const conditions = conditionsOf(filter);
    const selectOf = (part: 'sameSecond' | 'furtherSeconds') =>
      prepare<Looked<SalePosition>>(saleSql(stream, order, part, conditions));
    const readIn = (window: Range) => (position: SalePosition, limit: number) => {
      const scope = { ...filter, ...window, ...position };
      const rows = selectOf('sameSecond').all({ ...scope, limit });
      const left = limit - rows.length;
      return left === 0 ? rows : rows.concat(selectOf('furtherSeconds').all({ ...scope, limit: left }));
    };

    const patience = { left: mostLooked };
    for (const window of windowsOf(conditions.length === 0 ? undefined : skipIndex[order], filter, order, after)) {
      const beginning = beginningOf(window, order);
      const isUnderway = after !== undefined && compareSales(order)(after, beginning) > 0;
      const mayGoOn = yield* lookAt(readIn(window), isUnderway ? after : beginning, patience);
      if (!mayGoOn) return;
    }
  }

  return (filter, order, after) =>
    skipIndexes.filter(({ stream }) => isSearched(stream, filter)).map((each) => steps(each, filter, order, after));
}

/** The place before all records of a window. */
function beginningOf({ from, to }: Range, order: SearchOrder): SalePosition {
  return order === 'newest' ? { soldAt: to, recordId: 0 } : { soldAt: from - 1, recordId: Number.MAX_SAFE_INTEGER };
}

/** Where to read, in the order of the search: everywhere, or in the quarter hours that `findQuarter` finds. */
function* windowsOf(
  findQuarter: FindQuarter | undefined,
  { journalId, type, tillId, delivery, from = EVER.from, to = EVER.to }: SearchFilter,
  order: SearchOrder,
  after: SalePosition | undefined,
): Generator<Range, void> {
  if (findQuarter === undefined) {
    yield { from, to };
    return;
  }
  const quarterOf = (at: number): number => Math.floor(at / QUARTER) * QUARTER;
  const wanted = {
    journalId,
    type: type ?? null,
    tillId: tillId ?? null,
    delivery,
    earliest: quarterOf(from),
    latest: quarterOf(to - 1),
  };
  const isNewest = order === 'newest';
  const start = isNewest ? Math.min(after?.soldAt ?? to, to - 1) : Math.max(after?.soldAt ?? from, from);
  let quarter = findQuarter(wanted, quarterOf(start));
  while (quarter !== undefined) {
    yield { from: Math.max(from, quarter), to: Math.min(to, quarter + QUARTER) };
    quarter = findQuarter(wanted, isNewest ? quarter - QUARTER : quarter + QUARTER);
  }
}
