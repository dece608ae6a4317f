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

/** The columns of a SumRow. */
export const SUM_COLUMNS = `amount_sums.currency, sum(records) AS records, sum(without_amount) AS withoutAmount, ${LIMB_SUMS}`;

/** The buckets of a journal's rules in force, of one width and within a range. */
export const FROM_BUCKETS = `
  FROM journals CROSS JOIN amount_rules ON amount_rules.administration_id = journals.administration_id AND is_replaced = 0
  CROSS JOIN amount_sums ON rule_id = amount_rules.id AND amount_sums.journal_id = journals.id
  WHERE journals.id = @journalId AND interface IN ('current', 'earlier') AND status = 'NEW' AND width = @width
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

const FILLING_SQL = `
  SELECT type FROM journals CROSS JOIN amount_rules ON amount_rules.administration_id = journals.administration_id AND is_replaced = 0
  WHERE journals.id = ? AND filled_until < fill_to`;

/** The types of a journal whose old records are still being read. */
export function openFillingReader(db: Connection): (journalId: number) => ReadonlySet<string> {
  const select = db.prepare<[number], string>(FILLING_SQL).pluck();
  return (journalId) => new Set(select.all(journalId));
}

/** Lists the sums; null while old records of any type are being read. */
export function sumsUnless(filling: ReadonlySet<string>, sums: CurrencySums | undefined): AmountSums {
  return filling.size > 0 ? null : (sums?.list() ?? []);
}
