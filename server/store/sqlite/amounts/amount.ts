// Adds up the amounts of records in the same buckets as the counts. Also stores on which days each amount was sold, for the search
// by amount. The amount of each record is in its row of `sales`.

import type { AmountRule } from '../../../contract/amounts.ts';
import { formatDecimal } from '../../../lib/decimal.ts';
import type { ReadAmount } from '../../amounts/read-amount.ts';
import type { Connection } from '../engine/database.ts';
import { type Counted, DAY, QUARTER } from '../records/count.ts';
import { LIMB_COLUMNS, LIMBS, splitDecimal } from './limb.ts';
import type { RuleInForce } from './rules-in-force.ts';

/** A record and its amount, read by a rule. The amount is undefined if it cannot be read. */
interface SoldAmount extends Counted {
  readonly rule: RuleInForce;
  readonly amount: ReadAmount | undefined;
}

interface Tally {
  readonly of: SoldAmount;
  readonly currency: string;
  readonly startsAt: number;
  records: number;
  withoutAmount: number;
  value: bigint;
}

const VALUES = LIMBS.map((limb) => `@${limb}`).join(', ');

/** Amounts of some records, added up. Each bucket and each day is written once for all of them. */
export interface AmountBatch {
  add(sold: SoldAmount): void;
  /** Stores the sums and the days within the caller's transaction. Call it once. */
  store(): void;
}

/** Returns a function that begins a batch. */
export function openAmountWriter(db: Connection): () => AmountBatch {
  const insertDay = db.prepare(`
    INSERT INTO amount_days (journal_id, amount, starts_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`);
  const upsert = db.prepare(`
    INSERT INTO amount_sums (rule_id, journal_id, interface, status, width, starts_at, till_id, currency, records, without_amount,
      ${LIMB_COLUMNS})
    VALUES (@ruleId, @journalId, @interface, @status, @width, @startsAt, @tillId, @currency, @records, @withoutAmount, ${VALUES})
    ON CONFLICT DO UPDATE SET records = records + excluded.records, without_amount = without_amount + excluded.without_amount,
      ${LIMBS.map((limb) => `${limb} = ${limb} + excluded.${limb}`).join(', ')}`);

  return () => {
    const tallies = { [QUARTER]: new Map<string, Tally>(), [DAY]: new Map<string, Tally>() };
    const days = new Map<
      string,
      { readonly journalId: number; readonly startsAt: number; readonly values: Set<bigint> }
    >();

    return {
      add(sold) {
        addTo(tallies[QUARTER], QUARTER, tallyOf(sold));
        if (sold.amount === undefined) return;
        const startsAt = startOf(sold.soldAt, DAY);
        const key = `${sold.journalId} ${startsAt}`;
        const day = days.get(key) ?? { journalId: sold.journalId, startsAt, values: new Set() };
        days.set(key, day);
        day.values.add(sold.amount.value);
      },
      store() {
        for (const tally of tallies[QUARTER].values()) addTo(tallies[DAY], DAY, tally);
        for (const width of [QUARTER, DAY] as const)
          for (const { of, value, ...tally } of tallies[width].values())
            upsert.run({ ...of, ...tally, ...splitDecimal(value), ruleId: of.rule.id, width });
        for (const { journalId, startsAt, values } of days.values())
          for (const value of values) insertDay.run(journalId, formatDecimal(value), startsAt);
      },
    };
  };
}

function startOf(soldAt: number, width: number): number {
  return Math.floor(soldAt / width) * width;
}

/** Adds a tally to the bucket of this width. */
function addTo(tallies: Map<string, Tally>, width: number, { of, currency, startsAt, ...added }: Tally): void {
  const bucket = startOf(startsAt, width);
  const key = `${of.rule.id} ${of.tillId} ${of.interface} ${of.status} ${bucket} ${currency}`;
  const tally = tallies.get(key);
  if (tally === undefined) tallies.set(key, { of, currency, startsAt: bucket, ...added });
  else {
    tally.records += added.records;
    tally.withoutAmount += added.withoutAmount;
    tally.value += added.value;
  }
}

function tallyOf(of: SoldAmount): Tally {
  const { rule, amount, soldAt: startsAt } = of;
  return amount === undefined
    ? { of, currency: fixedCurrency(rule), startsAt, records: 0, withoutAmount: 1, value: 0n }
    : { of, currency: amount.currency ?? '', startsAt, records: 1, withoutAmount: 0, value: amount.value };
}

/**
 * The currency of a record whose amount cannot be read: the fixed currency of the rule, or an empty text if the rule has none.
 */
function fixedCurrency({ currency }: AmountRule): string {
  return currency === null || currency.startsWith('/') ? '' : currency;
}
