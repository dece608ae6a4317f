// Sums the amounts of a journal per currency, from buckets. The buckets have only NEW records of types with a rule. All other
// records are without an amount. While amounts of old records are still being read, the sums are null, because they would be
// wrong.

import type { AmountSum, AmountSums } from '../../../contract/amounts.ts';
import { formatAmount } from '../../amounts/currency.ts';
import type { Connection } from '../engine/database.ts';
import { joinDecimal, LIMB_SUMS, type LimbSums } from './limb.ts';

/** A row of sums. Its statement must use safe integers, which SQLite then returns as bigint. */
export interface SumRow extends LimbSums {
  /** The currency code; empty if the amounts have no currency. */
  readonly currency: string;
  readonly records: bigint;
  readonly withoutAmount: bigint;
}

/** The SQL columns of a SumRow without `currency`. */
export const SUMS = `sum(records) AS records, sum(without_amount) AS withoutAmount, ${LIMB_SUMS}`;
/** All SQL columns of a SumRow. */
export const SUM_COLUMNS = `currency, ${SUMS}`;

/**
 * SQL for the buckets of the rules in `@rules`, a JSON array of ids. It selects one journal, one width of bucket and one range
 * of time.
 */
export const FROM_BUCKETS = `
  FROM amount_sums
  WHERE rule_id IN (SELECT value FROM json_each(@rules)) AND journal_id = @journalId AND interface IN ('current', 'earlier') AND status = 'NEW' AND width = @width
    AND starts_at >= @from AND starts_at < @to`;

/** Sorts after every currency code, so that amounts without a currency come last. */
const LAST = 'ZZZZ';

const NOTHING = { value: 0n, records: 0n, withoutAmount: 0n };

/** Sums by currency, in exact decimals. */
export interface CurrencySums {
  /** Adds a row to the sums or, with the sign -1, subtracts it. */
  add(row: SumRow, sign?: 1 | -1): void;
  /**
   * Lists the sums by currency. `records` is the number of all records. Records that are in no bucket have no amount, and their
   * currency is unknown.
   */
  list(records?: number): AmountSum[];
}

export function openCurrencySums(): CurrencySums {
  const sums = new Map<string, { value: bigint; records: bigint; withoutAmount: bigint }>();
  return {
    add(row, sign = 1) {
      const sum = sums.get(row.currency) ?? { ...NOTHING };
      sums.set(row.currency, sum);
      sum.value += BigInt(sign) * joinDecimal(row);
      sum.records += BigInt(sign) * row.records;
      sum.withoutAmount += BigInt(sign) * row.withoutAmount;
    },
    list(records) {
      const counted = [...sums.values()].reduce((all, sum) => all + sum.records + sum.withoutAmount, 0n);
      const { withoutAmount: unread, ...sum } = sums.get('') ?? NOTHING;
      const withoutAmount = unread + (records === undefined ? 0n : BigInt(records) - counted);
      return [...new Map(sums).set('', { ...sum, withoutAmount })]
        .filter(([, each]) => each.records !== 0n || each.withoutAmount !== 0n)
        .map(([code, each]) => {
          const currency = code === '' ? null : code;
          const value = formatAmount(each.value, currency);
          return { currency, value, withoutAmount: Number(each.withoutAmount) };
        })
        .toSorted((a, b) => (a.currency ?? LAST).localeCompare(b.currency ?? LAST));
    },
  };
}

/** The rules for amounts that are in force in a journal. */
export interface JournalRules {
  /** The type of each rule, by the id of the rule. */
  readonly types: ReadonlyMap<number, string>;
  /** The types whose old records are still being read. */
  readonly filling: ReadonlySet<string>;
  /** The ids of the rules as a JSON array. */
  readonly ids: string;
}

const RULES_SQL = `
  SELECT amount_rules.id, type, filled_until < fill_to AS isFilling
  FROM journals JOIN amount_rules USING (administration_id) WHERE journals.id = ? AND is_replaced = 0`;

export function openRuleReader(db: Connection): (journalId: number) => JournalRules {
  const select = db.prepare<[number], { id: number; type: string; isFilling: 0 | 1 }>(RULES_SQL);
  return (journalId) => {
    const rules = select.all(journalId);
    return {
      types: new Map(rules.map(({ id, type }) => [id, type])),
      filling: new Set(rules.filter(({ isFilling }) => isFilling === 1).map(({ type }) => type)),
      ids: JSON.stringify(rules.map(({ id }) => id)),
    };
  };
}

/** The sums of some records. Null while old records of any type are being read, and empty without any rule. */
export function listSums({ types, filling }: JournalRules, sums: CurrencySums, records: number): AmountSums {
  if (filling.size > 0) return null;
  return types.size === 0 ? [] : sums.list(records);
}
