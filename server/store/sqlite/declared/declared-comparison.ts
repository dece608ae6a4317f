// Compares declared totals with the records here: their numbers, ids and amounts.

import type { Interface } from '../../../contract/codes.ts';
import { MAX_LISTED, MAX_LISTED_IN_DAY } from '../../../contract/days.ts';
import type { DeclaredComparison } from '../../../contract/declared-totals.ts';
import type { DaysQuery } from '../../days/ledger.ts';
import { compareAmounts, type HereAmounts } from '../../declared/amount-comparison.ts';
import { sumUpDay } from '../../declared/day-sum.ts';
import type {
  DeclaredDay,
  DeclaredFacts,
  DeclaredIdsQuery,
  DeclaredScope,
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
import { type IdScope, openDeclaredIdReader } from './declared-ids.ts';
import { openDeclaredTotalReader } from './declared-total.ts';

/** Exported for the test that asserts the query plans. */
export const COMPARISON_SQL = {
  here: `
    SELECT interface, type, till_id AS tillId, sum(records) AS records FROM counts
    WHERE journal_id = @journalId AND interface IN ('current', 'earlier') AND status = 'NEW' AND width = @width
      AND starts_at >= @from AND starts_at < @to GROUP BY interface, type, till_id`,
  amounts: `
    SELECT rule_id AS ruleId, till_id AS tillId, ${SUM_COLUMNS} ${FROM_BUCKETS} GROUP BY rule_id, till_id, currency`,
};

export interface DeclaredComparer {
  /** Compares the totals of a day with the records here, in the order of the totals and from one snapshot. */
  compareDay(day: DeclaredDay): DeclaredComparison[];
  /** Sums up the totals of each day; the keys are dates. Leaves out days without totals. */
  compareDays(query: DaysQuery): ReadonlyMap<string, DeclaredFacts>;
  /** Lists one page of the declared ids of a total that have no record here, sorted. */
  listMissing(query: DeclaredIdsQuery<string>): string[];
  /** Lists one page of the records here that a total does not declare. */
  listUndeclared(query: DeclaredIdsQuery<UndeclaredId>): UndeclaredId[];
}

export function openDeclaredComparer(db: Connection): DeclaredComparer {
  const selectHere = db.prepare<unknown[], Sum>(COMPARISON_SQL.here);
  const selectAmounts = db.prepare<unknown[], AmountRow>(COMPARISON_SQL.amounts).safeIntegers();
  const readRules = openRuleReader(db);
  const totalReader = openDeclaredTotalReader(db);
  const idReader = openDeclaredIdReader(db);

  /** Counts the NEW records by scope. Also lists the types of the earlier interface. */
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

  function compareDay(day: DeclaredDay): DeclaredComparison[] {
    const { journalId, date, range, declaredId, maxListed = MAX_LISTED } = day;
    const totals =
      declaredId === undefined
        ? totalReader.list({ journalId, from: date, to: date })
        : [totalReader.get(declaredId)].filter((total) => total !== undefined);
    if (totals.length === 0) return [];
    const { sums, types, earlierTypes } = sumHere(journalId, range);
    const money = totals.some(({ amounts }) => amounts.length > 0) ? sumMoney(journalId, range) : undefined;
    let left = MAX_LISTED_IN_DAY;
    return totals.map((total): DeclaredComparison => {
      const { id, type, tillId, till, records, hasIds, source, actor, at } = total;
      const here = sums.get(scopeOf(total)) ?? 0;
      const scope = { journalId, declaredId: id, type, tillId, ...range, earlierTypes };
      const listed = Math.min(maxListed, Math.floor(left / 2)); // a total has two lists
      const ids = hasIds ? idReader.compare(scope, { records, here }, listed) : null;
      left -= ids === null ? 0 : ids.missing.length + ids.undeclared.length;
      const compared = compareAmounts(total.amounts, hereOf(total, types.get(scopeOf(total)), money));
      return { id, type, tillId, till, records, here, source, actor, at, ids, ...compared };
    });
  }

  function compareDays({ journalId, days }: DaysQuery): ReadonlyMap<string, DeclaredFacts> {
    const [from, to] = [days[0]?.date ?? '', days.at(-1)?.date ?? ''];
    const dates = new Set(totalReader.list({ journalId, from, to }).map(({ date }) => date));
    const declared = days.filter(({ date }) => dates.has(date));
    return new Map(
      declared.map((day) => [day.date, sumUpDay(compareDay({ journalId, date: day.date, range: day, maxListed: 0 }))]),
    );
  }

  function findScope({ journalId, range, declaredId }: DeclaredIdsQuery<unknown>): IdScope | undefined {
    const total = totalReader.get(declaredId);
    if (total === undefined) return undefined;
    const { earlierTypes } = sumHere(journalId, range);
    return { journalId, declaredId, type: total.type, tillId: total.tillId, ...range, earlierTypes };
  }

  function listMissing(query: DeclaredIdsQuery<string>): string[] {
    const scope = findScope(query);
    return scope === undefined ? [] : idReader.listMissing(scope, query.limit, query.after);
  }

  function listUndeclared(query: DeclaredIdsQuery<UndeclaredId>): UndeclaredId[] {
    const scope = findScope(query);
    return scope === undefined ? [] : idReader.listUndeclared(scope, query.limit, query.after);
  }

  return { compareDay, compareDays, listMissing, listUndeclared };
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
  /** As in `IdScope`. */
  readonly earlierTypes: string;
}

interface Sum {
  readonly interface: Interface;
  readonly type: string;
  readonly tillId: number;
  readonly records: number;
}
