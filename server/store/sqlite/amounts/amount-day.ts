// Sums the amounts of many store days, for example of a year. The sum of a day is the sum up to its end minus the sum up to its
// start. Therefore the time for a year is the same in every time zone. `days/year-sum.ts` counts records in the same way.

import type { AmountSums } from '../../../contract/amounts.ts';
import type { StoreDay } from '../../../contract/days.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { DAY, QUARTER } from '../records/count.ts';
import {
  type CurrencySums,
  FROM_BUCKETS,
  listSums,
  openCurrencySums,
  openRuleReader,
  SUM_COLUMNS,
  type SumRow,
  SUMS,
} from './amount-sum.ts';

/** Exported for the test that asserts the query plans. */
export const AMOUNT_DAY_SQL = {
  utcDays: `SELECT starts_at AS startsAt, ${SUM_COLUMNS} ${FROM_BUCKETS} GROUP BY starts_at, currency`,
  quarters: `SELECT ${SUM_COLUMNS} ${FROM_BUCKETS} GROUP BY currency`,
  /**
   * The query for days whose amounts all have one currency. It is much faster, because it does not sort the rows by currency.
   */
  oneCurrency: `SELECT @currency AS currency, ${SUMS} ${FROM_BUCKETS}`,
};

/** A store day with the number of its NEW records. */
export interface CountedDay extends StoreDay {
  readonly records: number;
}

/** Returns a reader of the sums of store days. The days must be in order and without gaps. The sums have the same order. */
export function openAmountDayReader(db: Connection): (journalId: number, days: readonly CountedDay[]) => AmountSums[] {
  const selectUtcDays = db.prepare<unknown[], SumRow & { startsAt: bigint }>(AMOUNT_DAY_SQL.utcDays).safeIntegers();
  const selectQuarters = db.prepare<unknown[], SumRow>(AMOUNT_DAY_SQL.quarters).safeIntegers();
  const selectOneCurrency = db.prepare<unknown[], SumRow>(AMOUNT_DAY_SQL.oneCurrency).safeIntegers();
  const readRules = openRuleReader(db);

  return (journalId, days) => {
    const rules = readRules(journalId);
    const [first] = days;
    if (first === undefined || rules.filling.size > 0) return days.map(() => null);
    const utcDays = new Map<number, SumRow[]>();
    const journal = { journalId, rules: rules.ids };
    const all = { from: utcDayOf(first.from), to: days.at(-1)?.to ?? 0 };
    for (const row of selectUtcDays.all({ ...journal, width: DAY, ...all })) {
      const startsAt = Number(row.startsAt);
      utcDays.set(startsAt, [...(utcDays.get(startsAt) ?? []), row]);
    }
    /**
     * Adds (`sign` 1) or subtracts (-1) the sums from the start of the UTC day until `at`. Reads the quarter hours before `at`
     * or after `at`, whichever are fewer.
     */
    const addBefore = (sums: CurrencySums, at: number, sign: 1 | -1): void => {
      const from = utcDayOf(at);
      const whole = utcDays.get(from) ?? [];
      if (whole.length === 0 || at === from) return;
      const isEarly = at - from <= DAY / 2;
      const range = isEarly ? { from, to: at } : { from: at, to: from + DAY };
      if (!isEarly) for (const row of whole) sums.add(row, sign);
      for (const row of partOf(range, whole)) sums.add(row, isEarly ? sign : sign === 1 ? -1 : 1);
    };
    // Each store day begins where the previous one ends, so each part is needed twice and kept here.
    const parts = new Map<number, SumRow[]>();
    const partOf = (range: Range, whole: readonly SumRow[]): SumRow[] => {
      const key = range.from % DAY === 0 ? range.to : range.from;
      const known = parts.get(key);
      if (known !== undefined) return known;
      const scope = { ...journal, width: QUARTER, ...range };
      const currency = whole.length === 1 ? whole[0]?.currency : undefined;
      const rows =
        currency === undefined
          ? selectQuarters.all(scope)
          : selectOneCurrency.all({ ...scope, currency }).filter(({ records }) => records !== null);
      parts.set(key, rows);
      return rows;
    };
    return days.map(({ from, to, records }) => {
      const sums = openCurrencySums();
      addBefore(sums, to, 1);
      addBefore(sums, from, -1);
      for (let at = utcDayOf(from); at < utcDayOf(to); at += DAY)
        for (const row of utcDays.get(at) ?? []) sums.add(row);
      return listSums(rules, sums, records);
    });
  };
}

function utcDayOf(at: number): number {
  return Math.floor(at / DAY) * DAY;
}
