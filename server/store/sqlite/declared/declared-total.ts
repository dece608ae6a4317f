// Declared totals in SQLite: adds them, finds the totals in force, and compares them with the records here.

import type { NotedAct } from '../../../contract/acts.ts';
import type { Amount } from '../../../contract/amounts.ts';
import type { Interface } from '../../../contract/codes.ts';
import { MAX_LISTED, MAX_LISTED_IN_DAY } from '../../../contract/days.ts';
import type { DeclaredComparison } from '../../../contract/declared-totals.ts';
import { readDecimal } from '../../../lib/decimal.ts';
import type { DaysQuery, DatesQuery } from '../../days/ledger.ts';
import { compareAmounts, type HereAmounts } from '../../declared/amount-comparison.ts';
import { sumUpDay } from '../../declared/day-sum.ts';
import type {
  NewDeclaredTotal,
  DeclaredFacts,
  DeclaredDay,
  DeclaredIdsQuery,
  DeclaredScope,
  Declarer,
  DeclareResult,
  DeclaredTotal,
  UndeclaredId,
} from '../../declared/ledger.ts';
import type { Range } from '../../records/ledger.ts';
import {
  type CurrencySums,
  FROM_BUCKETS,
  openCurrencySums,
  openRuleReader,
  SUM_COLUMNS,
  type SumRow,
} from '../amounts/amount-sum.ts';
import type { Connection } from '../engine/database.ts';
import { coverRange } from '../records/count.ts';
import { NEW_STREAM } from '../records/record-stream.ts';
import { SALES_WITH_RECORDS } from '../records/sale.ts';
import { noteAct } from '../setup/act-log.ts';
import { getJournalName } from '../setup/journal.ts';

/** Exported for the test that asserts the query plans. */
export const IN_FORCE_SQL = `
  SELECT id, records, has_ids AS hasIds FROM declared_totals
  WHERE journal_id = @journalId AND date = @date AND type IS @type AND till_id IS @tillId ORDER BY id DESC LIMIT 1`;

/**
 * Adds all totals, or none if one of them names an unknown till. Notes the act, unless a till declares the totals. Skips a
 * total that is already in force with the same ids and amounts. `at` is in epoch milliseconds.
 */
export function declareTotals(
  db: Connection,
  journalId: number,
  totals: readonly NewDeclaredTotal[],
  { actor, source, at }: Declarer & { readonly at: number },
): DeclareResult {
  const findInForce = db.prepare<unknown[], InForce>(IN_FORCE_SQL);
  const hasId = db.prepare('SELECT 1 FROM declared_ids WHERE declared_id = ? AND external_id = ?');
  const insert = db.prepare(`
    INSERT INTO declared_totals (journal_id, date, type, till_id, records, has_ids, source, actor, at)
    VALUES (@journalId, @date, @type, @tillId, @records, @hasIds, @source, @actor, @at)`);
  const insertId = db.prepare('INSERT INTO declared_ids (declared_id, external_id) VALUES (?, ?)');

  const insertAmount = db.prepare('INSERT INTO declared_amounts (declared_id, currency, value) VALUES (?, ?, ?)');
  const listAmounts = openAmountReader(db);

  const saysTheSame = (entry: InForce | undefined, { records, ids, amounts = [] }: NewDeclaredTotal): boolean => {
    if (records !== (entry?.records ?? null)) return false;
    if (entry !== undefined && !areSame(listAmounts(entry.id), amounts)) return false;
    if (entry === undefined || ids === undefined) return entry === undefined || entry.hasIds === 0;
    return entry.hasIds === 1 && ids.every((id) => hasId.get(entry.id, id) !== undefined);
  };
  const add = ({ date, type, tillId, records, ids, amounts = [] }: NewDeclaredTotal): number => {
    if (ids !== undefined && ids.length !== records)
      throw new Error('a total was declared with other ids than it counts');
    const hasIds = Number(ids !== undefined);
    const { lastInsertRowid } = insert.run({ journalId, date, type, tillId, records, hasIds, source, actor, at });
    for (const id of ids?.toSorted() ?? []) insertId.run(lastInsertRowid, id);
    for (const { currency, value } of amounts) insertAmount.run(lastInsertRowid, currency ?? '', value);
    return Number(lastInsertRowid);
  };

  return db
    .transaction((): DeclareResult => {
      const tills = new Set(totals.map(({ tillId }) => tillId).filter((tillId) => tillId !== null));
      const getTill = db.prepare('SELECT 1 FROM tills WHERE id = ? AND journal_id = ?');
      for (const tillId of tills) if (getTill.get(tillId, journalId) === undefined) return { kind: 'unknown till' };
      const added: NewDeclaredTotal[] = [];
      const ids = totals.map((total) => {
        const { date, type, tillId } = total;
        const entry = findInForce.get({ journalId, date, type, tillId });
        if (saysTheSame(entry, total)) return entry?.id ?? null;
        added.push(total);
        return add(total);
      });
      if (added.length > 0 && source !== 'till') {
        noteAct(db, { act: declaration(db, added), ...getJournalName(db, journalId) }, actor, at);
      }
      return { kind: 'declared', added: added.length, ids };
    })
    .immediate();
}

interface InForce {
  readonly id: number;
  readonly records: number | null;
  readonly hasIds: 0 | 1;
}

/** Returns a reader of the declared amounts of an entry, sorted by currency. */
function openAmountReader(db: Connection): (declaredId: number) => Amount[] {
  const select = db.prepare<[number], Amount>(`
    SELECT nullif(currency, '') AS currency, value FROM declared_amounts WHERE declared_id = ? ORDER BY declared_amounts.currency`);
  return (declaredId) => select.all(declaredId);
}

function areSame(some: readonly Amount[], others: readonly Amount[]): boolean {
  const isIn = ({ currency, value }: Amount): boolean =>
    others.some((other) => other.currency === currency && readDecimal(other.value) === readDecimal(value));
  return some.length === others.length && some.every(isIn);
}

/** Makes one act for the log that covers all these totals. There must be at least one total. */
function declaration(db: Connection, totals: readonly NewDeclaredTotal[]): NotedAct {
  const dates = totals.map(({ date }) => date).toSorted();
  const [from = '', to = from] = [dates[0], dates.at(-1)];
  const [only, ...more] = totals;
  if (only === undefined || more.length > 0) return { kind: 'import totals', from, to, totals: totals.length };
  const { date, type, tillId, records, amounts = [] } = only;
  const till = db.prepare<[number | null], string>('SELECT label FROM tills WHERE id = ?').pluck().get(tillId) ?? null;
  return { kind: 'declare total', date, type, till, records, ...(amounts.length > 0 && { amounts }) };
}

const OF_TYPE = '(@type IS NULL OR type = @type)';
const OF_TILL = '(@tillId IS NULL OR key_id IN (SELECT id FROM keys WHERE till_id = @tillId))';
/** SQL for the NEW records of a day and scope on one interface. `index` names an index that has all these records. */
const SOLD = (by: Interface, index: string): string => `
  records INDEXED BY ${index}
  WHERE journal_id = @journalId AND status = 'NEW' AND interface = '${by}' AND sold_at >= @from AND sold_at < @to
    AND ${OF_TYPE} AND ${OF_TILL}`;
const undeclaredSql = (by: Interface): string => `
  SELECT external_id AS externalId, '${by}' AS interface, sales.sold_at AS soldAt, record_id AS recordId
  FROM ${SALES_WITH_RECORDS}
  WHERE sales.journal_id = @journalId AND stream = ${NEW_STREAM[by]}
    AND (sales.sold_at, record_id) > (@from, @afterId) AND sales.sold_at < @to
    AND (@type IS NULL OR sales.type = @type) AND ${OF_TILL} AND NOT EXISTS (
      SELECT 1 FROM declared_ids WHERE declared_id = @declaredId AND declared_ids.external_id = records.external_id)
  ORDER BY sales.sold_at, record_id LIMIT @limit`;
const SELECT = `
  SELECT declared_totals.id, date, type, till_id AS tillId, label AS till, records, has_ids AS hasIds, source, actor, at
  FROM declared_totals LEFT JOIN tills ON tills.id = till_id`;
/** Exported for the test that asserts the query plans. */
export const DECLARED_SQL = {
  one: `${SELECT} WHERE declared_totals.id = @declaredId AND records IS NOT NULL`,
  inForce: `
    ${SELECT}
    WHERE declared_totals.id IN (
      SELECT max(id) FROM declared_totals WHERE journal_id = @journalId AND date >= @from AND date <= @to
      GROUP BY date, type, till_id) AND records IS NOT NULL
    ORDER BY date, type, label`,
  date: `
    SELECT date FROM declared_totals AS total
    WHERE journal_id = @journalId AND date >= @from AND records IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM declared_totals AS newer
      WHERE newer.journal_id = @journalId AND newer.date = total.date AND newer.type IS total.type
        AND newer.till_id IS total.till_id AND newer.id > total.id)
    ORDER BY date LIMIT 1`,
  here: `
    SELECT interface, type, till_id AS tillId, sum(records) AS records FROM counts
    WHERE journal_id = @journalId AND interface IN ('current', 'earlier') AND status = 'NEW' AND width = @width
      AND starts_at >= @from AND starts_at < @to GROUP BY interface, type, till_id`,
  amounts: `
    SELECT rule_id AS ruleId, till_id AS tillId, ${SUM_COLUMNS} ${FROM_BUCKETS} GROUP BY rule_id, till_id, currency`,
  missing: `
    SELECT external_id FROM declared_ids WHERE declared_id = @declaredId AND external_id > @after
      AND NOT EXISTS (SELECT 1 FROM ${SOLD('current', 'originals')} AND records.external_id = declared_ids.external_id)
      AND NOT EXISTS (
        SELECT 1 FROM ${SOLD('earlier', 'earlier_originals')}
          AND records.type IN (SELECT value FROM json_each(@earlierTypes)) AND records.external_id = declared_ids.external_id)
    ORDER BY external_id LIMIT @limit`,
  undeclared: undeclaredSql('current'),
  earlierUndeclared: undeclaredSql('earlier'),
};

/** The LIMIT of a query whose rows are read one at a time and not kept. */
const ALL = -1;

export interface DeclaredReader {
  /** Lists the totals in force, sorted by date, type and till. Null means all types or tills, and comes first. */
  list(dates: DatesQuery): DeclaredTotal[];
  /** Compares the totals of a day with the records here, in the order of `list` and from one snapshot. */
  compareDay(day: DeclaredDay): DeclaredComparison[];
  /** Lists one page of the declared ids of a total that have no record here, sorted. */
  listMissing(query: DeclaredIdsQuery<string>): string[];
  /** Lists one page of the records here that a total does not declare. */
  listUndeclared(query: DeclaredIdsQuery<UndeclaredId>): UndeclaredId[];
  /** Sums up the totals of each day; the keys are dates. Leaves out days without totals. */
  compareDays(query: DaysQuery): ReadonlyMap<string, DeclaredFacts>;
  /** Finds the first date, from the date `from` on, with a total in force. */
  findDate(journalId: number, from: string): string | undefined;
}

export function openDeclaredReader(db: Connection): DeclaredReader {
  type Row = Omit<DeclaredTotal, 'hasIds' | 'amounts'> & { readonly hasIds: 0 | 1 };
  const listAmounts = openAmountReader(db);
  const selectInForce = db.prepare<unknown[], Row>(DECLARED_SQL.inForce);
  const selectDate = db.prepare<unknown[], string>(DECLARED_SQL.date).pluck();
  const selectOne = db.prepare<unknown[], Row>(DECLARED_SQL.one);
  const selectHere = db.prepare<unknown[], Sum>(DECLARED_SQL.here);
  const selectAmounts = db.prepare<unknown[], AmountRow>(DECLARED_SQL.amounts).safeIntegers();
  const readRules = openRuleReader(db);
  const selectMissing = db.prepare<unknown[], string>(DECLARED_SQL.missing).pluck();
  const selectUndeclared = db.prepare<unknown[], UndeclaredId>(DECLARED_SQL.undeclared);
  const selectEarlierUndeclared = db.prepare<unknown[], UndeclaredId>(DECLARED_SQL.earlierUndeclared);

  const totalOf = (row: Row): DeclaredTotal => ({ ...row, hasIds: row.hasIds === 1, amounts: listAmounts(row.id) });
  const list = (dates: DatesQuery): DeclaredTotal[] => selectInForce.all(dates).map(totalOf);

  /**
   * Counts the NEW records by scope. Also lists the types of the earlier interface, because its index finds an id only together
   * with a type.
   */
  function sumHere(journalId: number, range: Range): Here {
    const { buckets, edges } = coverRange(range);
    if (edges.length > 0) throw new Error('a store day does not begin and end on quarter hours');
    const sums = new Map<string, number>();
    const types = new Map<string, Map<string, number>>();
    const earlierTypes = new Set<string>();
    for (const part of buckets)
      for (const { interface: by, type, tillId, records } of selectHere.iterate({ journalId, ...part })) {
        if (by === 'earlier') earlierTypes.add(type);
        for (const scope of scopesOf({ tillId, type })) {
          sums.set(scope, (sums.get(scope) ?? 0) + records);
          const ofScope = types.get(scope) ?? new Map<string, number>();
          types.set(scope, ofScope.set(type, (ofScope.get(type) ?? 0) + records));
        }
      }
    return { sums, types, earlierTypes: JSON.stringify([...earlierTypes]) };
  }

  function sumMoney(journalId: number, range: Range): Money {
    const { types, filling, ids } = readRules(journalId);
    const sums = new Map<string, CurrencySums>();
    for (const part of coverRange(range).buckets)
      for (const row of selectAmounts.iterate({ journalId, rules: ids, ...part }))
        for (const scope of scopesOf({ ...row, type: types.get(Number(row.ruleId)) ?? '' })) {
          const sum = sums.get(scope) ?? openCurrencySums();
          sums.set(scope, sum);
          sum.add(row);
        }
    return { sums, filling, ruled: new Set(types.values()) };
  }

  function readUndeclared(scope: IdScope, limit: number, after?: UndeclaredId): UndeclaredId[] {
    // Every record has an id above zero, so the first page begins with the first record of the range.
    const first = { ...scope, afterId: 0 };
    const next = after === undefined ? first : { ...scope, from: after.soldAt, afterId: after.recordId };
    if (after?.interface === 'earlier') return selectEarlierUndeclared.all({ ...next, limit });
    const current = selectUndeclared.all({ ...next, limit });
    const left = limit - current.length;
    return left > 0 ? [...current, ...selectEarlierUndeclared.all({ ...first, limit: left })] : current;
  }

  function compareIds(
    { journalId, range }: DeclaredDay,
    total: DeclaredTotal,
    here: number,
    earlierTypes: string,
    maxListed: number,
  ): NonNullable<DeclaredComparison['ids']> {
    const { id: declaredId, type, tillId, records } = total;
    const scope = { journalId, declaredId, type, tillId, ...range };
    const missing: string[] = [];
    let missingCount = 0;
    for (const id of selectMissing.iterate({ ...scope, earlierTypes, after: '', limit: ALL }))
      if (++missingCount <= maxListed) missing.push(id);
    const undeclaredCount = here - (records - missingCount);
    const limit = Math.min(undeclaredCount, maxListed);
    const undeclared = limit > 0 ? readUndeclared(scope, limit).map(({ externalId }) => externalId) : [];
    return { missing, missingCount, undeclared, undeclaredCount };
  }

  const compareDay = db.transaction((day: DeclaredDay): DeclaredComparison[] => {
    const { journalId, date, range, declaredId, maxListed = MAX_LISTED } = day;
    const totals =
      declaredId === undefined ? list({ journalId, from: date, to: date }) : selectOne.all({ declaredId }).map(totalOf);
    if (totals.length === 0) return [];
    const { sums, types, earlierTypes } = sumHere(journalId, range);
    const money = totals.some(({ amounts }) => amounts.length > 0) ? sumMoney(journalId, range) : undefined;
    let left = MAX_LISTED_IN_DAY;
    return totals.map((total): DeclaredComparison => {
      const { id, type, tillId, till, records, hasIds, source, actor, at } = total;
      const here = sums.get(scopeOf(total)) ?? 0;
      const listed = Math.min(maxListed, Math.floor(left / 2)); // a total has two lists
      const ids = hasIds ? compareIds(day, total, here, earlierTypes, listed) : null;
      left -= ids === null ? 0 : ids.missing.length + ids.undeclared.length;
      const compared = compareAmounts(total.amounts, hereOf(total, types.get(scopeOf(total)), money));
      return { id, type, tillId, till, records, here, source, actor, at, ids, ...compared };
    });
  });

  const compareDays = db.transaction(({ journalId, days }: DaysQuery): ReadonlyMap<string, DeclaredFacts> => {
    const [from, to] = [days[0]?.date ?? '', days.at(-1)?.date ?? ''];
    const dates = new Set(list({ journalId, from, to }).map(({ date }) => date));
    const declared = days.filter(({ date }) => dates.has(date));
    return new Map(
      declared.map((day) => [day.date, sumUpDay(compareDay({ journalId, date: day.date, range: day, maxListed: 0 }))]),
    );
  });

  function findScope({ journalId, range, declaredId }: DeclaredIdsQuery<unknown>): IdScope | undefined {
    const total = selectOne.get({ declaredId });
    return total && { journalId, declaredId, type: total.type, tillId: total.tillId, ...range };
  }

  const listMissing = db.transaction((query: DeclaredIdsQuery<string>): string[] => {
    const scope = findScope(query);
    if (scope === undefined) return [];
    const { earlierTypes } = sumHere(query.journalId, query.range);
    return selectMissing.all({ ...scope, earlierTypes, after: query.after ?? '', limit: query.limit });
  });

  const listUndeclared = db.transaction((query: DeclaredIdsQuery<UndeclaredId>): UndeclaredId[] => {
    const scope = findScope(query);
    return scope === undefined ? [] : readUndeclared(scope, query.limit, query.after);
  });

  const findDate = (journalId: number, from: string): string | undefined => selectDate.get({ journalId, from });

  return { list, compareDay, listMissing, listUndeclared, compareDays, findDate };
}

/** Returns the sums of the stored records that a declared total covers. */
function hereOf(total: DeclaredTotal, types: TypeCounts | undefined, money: Money | undefined): HereAmounts {
  const sold = [...(types ?? [])];
  const isFilling = sold.some(([type]) => money?.filling.has(type));
  return {
    sums: isFilling ? null : (money?.sums.get(scopeOf(total))?.list() ?? []),
    unruled: sold.reduce((sum, [type, records]) => sum + (money?.ruled.has(type) === true ? 0 : records), 0),
  };
}

function scopeOf({ type, tillId }: DeclaredScope): string {
  return `${tillId ?? ''} ${type ?? ''}`;
}

/** Lists the scopes that include a record: its till and type, its till, its type, and the whole day. */
function scopesOf({ type, tillId }: { readonly type: string; readonly tillId: number | bigint }): string[] {
  return [`${tillId} ${type}`, `${tillId} `, ` ${type}`, ' '];
}

/** The declared ids of a total, and the records here that it covers. */
interface IdScope extends DeclaredScope, Range {
  readonly journalId: number;
  readonly declaredId: number;
}

type AmountRow = SumRow & { readonly ruleId: bigint; readonly tillId: bigint };

/** Sums of amounts by scope, the types whose old records are still being read, and the types with a rule. */
interface Money {
  readonly sums: ReadonlyMap<string, CurrencySums>;
  readonly filling: ReadonlySet<string>;
  readonly ruled: ReadonlySet<string>;
}

type TypeCounts = ReadonlyMap<string, number>;

interface Here {
  readonly sums: ReadonlyMap<string, number>;
  /** The types of the records of each scope, with the number of records. */
  readonly types: ReadonlyMap<string, TypeCounts>;
  /** As JSON. */
  readonly earlierTypes: string;
}

interface Sum {
  readonly interface: Interface;
  readonly type: string;
  readonly tillId: number;
  readonly records: number;
}
