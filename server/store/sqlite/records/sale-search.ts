// Searches records in the order of sale. Each stream follows an index. If the filter has a type, till or delivery state, the
// stream also uses the counts. The stream then reads only the quarter hours that may contain matches.

import { formatDecimal } from '../../../lib/decimal.ts';
import type { Range, SearchFilter, SearchOrder, SalePosition } from '../../records/ledger.ts';
import { decimalOf } from '../amounts/stored-amount.ts';
import { type Connection, openStatements } from '../engine/database.ts';
import { DAY, QUARTER } from './count.ts';
import {
  isSearched,
  lookAt,
  type Looked,
  ORDER,
  type RecordStream,
  type Step,
  streamNumber,
  STREAMS,
} from './record-stream.ts';
import { IS_SALE_OF_RECORD } from './sale.ts';
import { type FindQuarter, openSkipIndex } from './skip-index.ts';

/** A range wider than all valid timestamps, in epoch seconds. It consists of whole days. */
const EVER = { from: -86_400_000_000, to: 864_000_000_000 };

export function compareSales(order: SearchOrder): (a: SalePosition, b: SalePosition) => number {
  const sign = order === 'newest' ? -1 : 1;
  return (a, b) => sign * (a.soldAt - b.soldAt || a.recordId - b.recordId);
}

/** SQL condition on `sales`: the record has the wanted amount by the rule in force. */
const HAS_AMOUNT = `(${decimalOf('amount')} = @amount AND EXISTS (
  SELECT 1 FROM journals JOIN amount_rules USING (administration_id)
  WHERE journals.id = sales.journal_id AND amount_rules.type = sales.type AND is_replaced = 0
    AND NOT (sales.record_id > filled_until AND sales.record_id <= fill_to)))`;

/** Returns the SQL parameters for the conditions of a filter. */
export function parametersOf({ amount, ...filter }: SearchFilter) {
  return { ...filter, ...(amount !== undefined && { amount: formatDecimal(amount) }) };
}

/** SQL conditions on `records` for each part of a filter, except interface, status and time. */
const CONDITIONS = {
  type: 'type = @type',
  tillId: '(SELECT till_id FROM keys WHERE keys.id = key_id) = @tillId',
  delivery: '(SELECT state FROM deliveries WHERE record_id = records.id) IS @delivery',
  idEnd: 'substr(external_id, -length(@idEnd)) = @idEnd',
  amount: `EXISTS (SELECT 1 FROM sales WHERE ${IS_SALE_OF_RECORD} AND ${HAS_AMOUNT})`,
};
export type Condition = keyof typeof CONDITIONS;
const CONDITION_NAMES = Object.keys(CONDITIONS) as Condition[];

/** The same SQL conditions as in `CONDITIONS`, for a query of `sales`. */
const SALE_CONDITIONS: typeof CONDITIONS = {
  type: CONDITIONS.type,
  tillId: `(SELECT till_id FROM records JOIN keys ON keys.id = key_id WHERE records.id = record_id) = @tillId`,
  delivery: '(SELECT state FROM deliveries WHERE deliveries.record_id = sales.record_id) IS @delivery',
  idEnd: `(SELECT ${CONDITIONS.idEnd} FROM records WHERE records.id = sales.record_id)`,
  amount: HAS_AMOUNT,
};

/** SQL that tests whether a row meets all conditions. */
export function matchSql(conditions: readonly Condition[], on = CONDITIONS): string {
  return conditions.length === 0 ? '1' : conditions.map((name) => on[name]).join(' AND ');
}

/** Lists the conditions that a filter sets. */
export function conditionsOf(filter: SearchFilter): Condition[] {
  return CONDITION_NAMES.filter((name) => filter[name] !== undefined);
}

/**
 * SQL for one part of a chunk. `sameSecond`: the remaining records of the second at which the chunk begins. `furtherSeconds`:
 * the records of the next seconds. SQLite does not search by (sold_at, id) as a pair, and a whole day may have one timestamp.
 * Exported for a query-plan test.
 */
export function saleSql(
  stream: RecordStream,
  order: SearchOrder,
  part: 'sameSecond' | 'furtherSeconds',
  conditions: readonly Condition[],
): string {
  const [beyond, upTo] = order === 'newest' ? ['<', '>= @from'] : ['>', '< @to'];
  const where = {
    sameSecond: `sold_at = @soldAt AND record_id ${beyond} @recordId`,
    furtherSeconds: `sold_at ${beyond} @soldAt AND sold_at ${upTo}`,
  };
  return `
  SELECT record_id AS recordId, sold_at AS soldAt, ${matchSql(conditions, SALE_CONDITIONS)} AS isMatch
  FROM sales WHERE journal_id = @journalId AND stream = ${streamNumber(stream)} AND ${where[part]}
  ORDER BY sold_at ${ORDER[order]}, record_id ${ORDER[order]} LIMIT @limit`;
}

/**
 * Opens the streams that a filter needs, in the order of the search and beginning after a position. Each stream reads at most
 * `maxLooked` records.
 */
export function openSaleStreams(
  db: Connection,
  maxLooked: number,
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
      const scope = { ...parametersOf(filter), ...window, ...position };
      const rows = selectOf('sameSecond').all({ ...scope, limit });
      const left = limit - rows.length;
      return left === 0 ? rows : rows.concat(selectOf('furtherSeconds').all({ ...scope, limit: left }));
    };

    const patience = { left: maxLooked };
    const canSkip = conditions.some((name) => name !== 'idEnd');
    for (const window of windowsOf(canSkip ? skipIndex[order] : undefined, filter, order, after)) {
      const beginning = beginningOf(window, order);
      const isUnderway = after !== undefined && compareSales(order)(after, beginning) > 0;
      const mayGoOn = yield* lookAt(readIn(window), isUnderway ? after : beginning, patience);
      if (!mayGoOn) return;
    }
  }

  return (filter, order, after) =>
    skipIndexes.filter(({ stream }) => isSearched(stream, filter)).map((each) => steps(each, filter, order, after));
}

/** The position before all records of a window. */
function beginningOf({ from, to }: Range, order: SearchOrder): SalePosition {
  return order === 'newest' ? { soldAt: to, recordId: 0 } : { soldAt: from - 1, recordId: Number.MAX_SAFE_INTEGER };
}

/**
 * Yields the ranges of time to read, in the order of the search. Without `findQuarter`, that is the whole range; otherwise only
 * quarter hours or days that may have matches.
 */
function* windowsOf(
  findQuarter: FindQuarter | undefined,
  { journalId, type, tillId, delivery, amount, from = EVER.from, to = EVER.to }: SearchFilter,
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
    amount: amount === undefined ? undefined : formatDecimal(amount),
    earliest: quarterOf(from),
    latest: quarterOf(to - 1),
  };
  const isNewest = order === 'newest';
  const start = isNewest ? Math.min(after?.soldAt ?? to, to - 1) : Math.max(after?.soldAt ?? from, from);
  let quarter = findQuarter(wanted, quarterOf(start));
  // Amounts are indexed by day. So a window is a day if the filter has no type, till or delivery state.
  const width = [type, tillId, delivery].every((each) => each === undefined) ? DAY : QUARTER;
  while (quarter !== undefined) {
    const starts = Math.floor(quarter / width) * width;
    yield { from: Math.max(from, starts), to: Math.min(to, starts + width) };
    quarter = findQuarter(wanted, isNewest ? starts - QUARTER : starts + width);
  }
}
