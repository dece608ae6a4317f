// Stores the amount of each record, and sums in the same buckets as the counts. Also stores on which days each amount was sold,
// for the search by amount.

import type { AmountRule } from '../../../contract/amounts.ts';
import type { ReadAmount } from '../../amounts/read-amount.ts';
import type { Connection } from '../engine/database.ts';
import { type Counted, DAY, QUARTER } from '../records/count.ts';
import { LIMB_COLUMNS, type Limbs, LIMBS, splitDecimal } from './limb.ts';
import type { RuleInForce } from './rules-in-force.ts';

/** A record whose amount is derived. */
export interface SoldRecord extends Counted {
  readonly recordId: number;
}

/** A record and its amount, read by a rule. The amount is undefined if it cannot be read. */
export interface SoldAmount extends SoldRecord {
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
  /** The number of added records. */
  size(): number;
  /** Stores the amounts and their sums within the caller's transaction. Call it once. */
  store(): void;
}

interface StoredAmount {
  readonly recordId: number;
  readonly ruleId: number;
  readonly currency: string;
  /** Null if the amount cannot be read. */
  readonly limbs: Limbs | null;
}

/** Returns a function that begins a batch. */
export function openAmountWriter(db: Connection): () => AmountBatch {
  const insert = db.prepare(`
    INSERT INTO amounts (record_id, rule_id, currency, ${LIMB_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET rule_id = excluded.rule_id, currency = excluded.currency,
      ${LIMBS.map((limb) => `${limb} = excluded.${limb}`).join(', ')}`);
  const removeOld = db.prepare('DELETE FROM amounts WHERE record_id = ?');
  const insertDay = db.prepare(`
    INSERT INTO amount_days (journal_id, ${LIMB_COLUMNS}, starts_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const upsert = db.prepare(`
    INSERT INTO amount_sums (rule_id, journal_id, interface, status, width, starts_at, till_id, currency, records, without_amount,
      ${LIMB_COLUMNS})
    VALUES (@ruleId, @journalId, @interface, @status, @width, @startsAt, @tillId, @currency, @records, @withoutAmount, ${VALUES})
    ON CONFLICT DO UPDATE SET records = records + excluded.records, without_amount = without_amount + excluded.without_amount,
      ${LIMBS.map((limb) => `${limb} = ${limb} + excluded.${limb}`).join(', ')}`);

  return () => {
    const stored: StoredAmount[] = [];
    const tallies = { [QUARTER]: new Map<string, Tally>(), [DAY]: new Map<string, Tally>() };
    const days = new Map<string, { readonly journalId: number; readonly startsAt: number; readonly limbs: Limbs }>();

    function limbsOf({ journalId, soldAt }: SoldAmount, value: bigint): Limbs {
      const startsAt = startOf(soldAt, DAY);
      const key = `${journalId} ${startsAt} ${value}`;
      const day = days.get(key) ?? { journalId, startsAt, limbs: splitDecimal(value) };
      days.set(key, day);
      return day.limbs;
    }

    return {
      add(sold) {
        const tally = tallyOf(sold);
        addTo(tallies[QUARTER], QUARTER, tally);
        const limbs = sold.amount === undefined ? null : limbsOf(sold, sold.amount.value);
        stored.push({ recordId: sold.recordId, ruleId: sold.rule.id, currency: tally.currency, limbs });
      },
      size: () => stored.length,
      store() {
        for (const { recordId, ruleId, currency, limbs } of stored)
          if (limbs === null) removeOld.run(recordId);
          else insert.run(recordId, ruleId, currency, limbs.giga, limbs.unit, limbs.nano, limbs.atto);
        for (const tally of tallies[QUARTER].values()) addTo(tallies[DAY], DAY, tally);
        for (const width of [QUARTER, DAY] as const)
          for (const { of, value, ...tally } of tallies[width].values())
            upsert.run({ ...of, ...tally, ...splitDecimal(value), ruleId: of.rule.id, width });
        for (const { journalId, startsAt, limbs } of days.values())
          insertDay.run(journalId, limbs.giga, limbs.unit, limbs.nano, limbs.atto, startsAt);
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
