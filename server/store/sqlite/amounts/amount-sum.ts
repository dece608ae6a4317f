// Sums of amounts of a journal, per currency, from buckets. They count NEW records of types with a rule. While old records are
// still being read after a rule was set, there is no sum, because it would be wrong.

import type { AmountSum, AmountSums } from '../../../contract/amounts.ts';
import { formatAmount } from '../../amounts/currency.ts';
import type { Connection } from '../engine/database.ts';
import { joinDecimal, LIMB_SUMS, type LimbSums } from './limb.ts';

/** A row of sums; of a statement with safe integers. */
export interface SumRow extends LimbSums {
  /** Empty without a currency. */
  readonly currency: string;
  readonly records: bigint;
  readonly withoutAmount: bigint;
}

/** The sums of a SumRow. */
export const SUMS = `sum(records) AS records, sum(without_amount) AS withoutAmount, ${LIMB_SUMS}`;
/** The columns of a SumRow. */
export const SUM_COLUMNS = `currency, ${SUMS}`;

/** The buckets of some rules (a JSON array of their ids) in a journal, of one width and within a range. */
export const FROM_BUCKETS = `
  FROM amount_sums
  WHERE rule_id IN (SELECT value FROM json_each(@rules)) AND journal_id = @journalId AND interface IN ('current', 'earlier') AND status = 'NEW' AND width = @width
    AND starts_at >= @from AND starts_at < @to`;

/** Sorts after every code. */
const LAST = 'ZZZZ';

/** Sums by currency, in exact decimals. */
export interface CurrencySums {
  /** With `sign` -1, subtracts the row. */
  add(row: SumRow, sign?: 1 | -1): void;
  list(): AmountSum[];
}

export function openCurrencySums(): CurrencySums {
  const sums = new Map<string, { value: bigint; records: bigint; withoutAmount: bigint }>();
  return {
    add(row, sign = 1) {
      const sum = sums.get(row.currency) ?? { value: 0n, records: 0n, withoutAmount: 0n };
      sums.set(row.currency, sum);
      sum.value += BigInt(sign) * joinDecimal(row);
      sum.records += BigInt(sign) * row.records;
      sum.withoutAmount += BigInt(sign) * row.withoutAmount;
    },
    list: () =>
      [...sums]
        .filter(([, { records, withoutAmount }]) => records !== 0n || withoutAmount !== 0n)
        .map(([code, { value, withoutAmount }]) => {
          const currency = code === '' ? null : code;
          return { currency, value: formatAmount(value, currency), withoutAmount: Number(withoutAmount) };
        })
        .toSorted((a, b) => (a.currency ?? LAST).localeCompare(b.currency ?? LAST)),
  };
}

/** The rules in force of a journal. */
export interface JournalRules {
  /** The types by the id of their rule. */
  readonly types: ReadonlyMap<number, string>;
  /** The types whose old records are still being read. */
  readonly filling: ReadonlySet<string>;
  /** The ids as a JSON array. */
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

/** Lists the sums; null while old records of any type are being read. */
export function sumsUnless({ filling }: JournalRules, sums: CurrencySums | undefined): AmountSums {
  return filling.size > 0 ? null : (sums?.list() ?? []);
}
