// Derives amounts from records by the rules of their types: the amount of each record, and sums in the same buckets as the
// counts. Also stores on which days each amount was sold, for the search by amount.

import type { AmountRule } from '../../../contract/amounts.ts';
import { type ReadAmount, readAmount } from '../../amounts/read-amount.ts';
import type { KeptCall } from '../../records/content.ts';
import type { Connection } from '../engine/database.ts';
import { type Counted, DAY, QUARTER } from '../records/count.ts';
import { digestOf } from '../records/record.ts';
import { LIMB_COLUMNS, type Limbs, LIMBS, splitDecimal } from './limb.ts';

export interface AmountWriter {
  /** Derives the amount of a record if its type has a rule. Only then does it read the body. */
  add(record: Counted & { readonly recordId: number }): void;
  /** Writes the collected sums, within the caller's transaction. */
  write(): void;
  /** Drops the collected sums. Call it after a failed transaction. */
  discard(): void;
}

export interface RuleInForce extends AmountRule {
  readonly id: number;
  readonly journalId: number;
}

interface Tally extends Counted {
  readonly ruleId: number;
  readonly currency: string;
  records: number;
  withoutAmount: number;
  value: bigint;
}

/** A UTC day on which at least one record with this amount was sold. */
interface AmountDay {
  readonly journalId: number;
  readonly startsAt: number;
  readonly limbs: Limbs;
}

/** Maximum number of `AmountDay` entries in memory before they are written. */
const MAX_DAYS = 5000;

type StoredCall = KeptCall & { readonly digest: Buffer };

const RULES_SQL = `
  SELECT amount_rules.id, journals.id AS journalId, type, total, currency, payment, sign
  FROM amount_rules JOIN journals ON journals.administration_id = amount_rules.administration_id WHERE is_replaced = 0`;

const VALUES = LIMBS.map((limb) => `@${limb}`).join(', ');

/** Whether the database has the tables for amounts. Data of an earlier version lack them, so no amounts are derived. */
export function hasAmounts(db: Connection): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'amount_rules'").get() !== undefined;
}

export function openAmountWriter(db: Connection): AmountWriter {
  if (!hasAmounts(db)) return { add() {}, write() {}, discard() {} };
  const selectRules = db.prepare<[], RuleInForce>(RULES_SQL);
  const selectCall = db.prepare<[number], StoredCall>('SELECT method, digest, body FROM records WHERE id = ?');
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
    VALUES (@ruleId, @journalId, @interface, @status, @width, @soldAt, @tillId, @currency, @records, @withoutAmount, ${VALUES})
    ON CONFLICT DO UPDATE SET records = records + excluded.records, without_amount = without_amount + excluded.without_amount,
      ${LIMBS.map((limb) => `${limb} = ${limb} + excluded.${limb}`).join(', ')}`);
  /** Read again in each transaction, because another process may have changed the rules since the last one. */
  let rules: Map<string, RuleInForce> | undefined;
  // Each transaction gets new maps, for the reason given in `openLaneCountWriter`.
  let quarters = new Map<string, Tally>();
  let days = new Map<string, Tally>();
  let amountDays = new Map<string, AmountDay>();

  function readOf(rule: RuleInForce, recordId: number): ReadAmount | undefined {
    const call = selectCall.get(recordId);
    // `readAmount` expects JSON, and damaged bytes may not be JSON.
    return call !== undefined && digestOf(call.body).equals(call.digest) ? readAmount(rule, call) : undefined;
  }

  function addTo(tallies: Map<string, Tally>, width: number, record: Counted, rule: RuleInForce, amount?: ReadAmount) {
    const soldAt = Math.floor(record.soldAt / width) * width;
    const currency = amount === undefined ? fixedCurrency(rule) : (amount.currency ?? '');
    const key = `${rule.id} ${record.tillId} ${record.interface} ${record.status} ${soldAt} ${currency}`;
    const tally = tallies.get(key) ?? newTally(record, rule.id, soldAt, currency);
    tallies.set(key, tally);
    if (amount === undefined) tally.withoutAmount += 1;
    else {
      tally.records += 1;
      tally.value += amount.value;
    }
  }

  const writeAll = (tallies: Map<string, Tally>, width: number): void => {
    for (const { value, type: _, ...tally } of tallies.values())
      upsert.run({ ...tally, ...splitDecimal(value), width });
  };

  function writeDays(): void {
    for (const { journalId, startsAt, limbs } of amountDays.values())
      insertDay.run(journalId, limbs.giga, limbs.unit, limbs.nano, limbs.atto, startsAt);
    amountDays = new Map();
  }

  return {
    add(record) {
      rules ??= new Map(selectRules.all().map((rule) => [`${rule.journalId} ${rule.type}`, rule]));
      const rule = rules.get(`${record.journalId} ${record.type}`);
      if (rule === undefined) return;
      const { recordId, journalId, soldAt } = record;
      const amount = readOf(rule, recordId);
      addTo(quarters, QUARTER, record, rule, amount);
      addTo(days, DAY, record, rule, amount);
      if (amount === undefined) return void removeOld.run(recordId);
      const limbs = splitDecimal(amount.value);
      const { giga, unit, nano, atto } = limbs;
      insert.run(recordId, rule.id, amount.currency ?? '', giga, unit, nano, atto);
      const startsAt = Math.floor(soldAt / DAY) * DAY;
      amountDays.set(`${journalId} ${startsAt} ${amount.value}`, { journalId, startsAt, limbs });
      if (amountDays.size >= MAX_DAYS) writeDays();
    },
    write() {
      writeAll(quarters, QUARTER);
      writeAll(days, DAY);
      writeDays();
      this.discard();
    },
    discard() {
      rules = undefined;
      quarters = new Map();
      days = new Map();
      amountDays = new Map();
    },
  };
}

function newTally(record: Counted, ruleId: number, soldAt: number, currency: string): Tally {
  const { journalId, interface: by, status, type, tillId } = record;
  const none = { records: 0, withoutAmount: 0, value: 0n };
  return { journalId, interface: by, status, type, tillId, ruleId, soldAt, currency, ...none };
}

/** The currency of a record whose amount cannot be read: the fixed currency of the rule, or an empty text without one. */
function fixedCurrency({ currency }: AmountRule): string {
  return currency === null || currency.startsWith('/') ? '' : currency;
}
