// Derives amounts from records by the rules of their types: the amount of each record, and sums in the same buckets as the
// counts. Also stores on which days each amount was sold, for the search by amount.

import type { AmountRule } from '../../../contract/amounts.ts';
import { openAmountReader, type ReadAmount } from '../../amounts/read-amount.ts';
import type { KeptCall } from '../../records/content.ts';
import { bodyColumns, type BodyRow, openBodies, unlessUnreadable } from '../archive/body.ts';
import { type Connection, hasTable } from '../engine/database.ts';
import { type Counted, DAY, QUARTER } from '../records/count.ts';
import { digestOf } from '../records/record.ts';
import { LIMB_COLUMNS, type Limbs, LIMBS, splitDecimal } from './limb.ts';

/** A record whose amount is derived. */
export interface SoldRecord extends Counted {
  readonly recordId: number;
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

/** The call from which the amount is read. */
export interface StoredCall extends KeptCall {
  readonly digest: Buffer;
}

type FoldRow = SoldRecord & BodyRow & Pick<StoredCall, 'method'>;

/** An amount to store. */
interface Stored {
  readonly recordId: number;
  readonly ruleId: number;
  /** Null if the record's amount cannot be read. */
  readonly amount: (Limbs & { readonly currency: string }) | null;
}

const RULES_SQL = `
  SELECT amount_rules.id, journals.id AS journalId, type, total, currency, payment, sign
  FROM amount_rules JOIN journals ON journals.administration_id = amount_rules.administration_id WHERE is_replaced = 0`;

const VALUES = LIMBS.map((limb) => `@${limb}`).join(', ');

/** Whether the database has the tables for amounts. Data of an earlier version lack them, so no amounts are derived. */
export function hasAmounts(db: Connection): boolean {
  return hasTable(db, 'amount_rules');
}

/** Maximum records that are read together. */
const CHUNK_RECORDS = 1000;

/** Exported for the test that asserts the query plans. */
export const amountFoldSql = (db: Connection): string => `
  SELECT records.id AS recordId, records.journal_id AS journalId, records.interface, status, sold_at AS soldAt, type,
    till_id AS tillId, method, ${bodyColumns(db)}
  FROM records CROSS JOIN keys ON keys.id = key_id
  WHERE records.id > ? AND EXISTS (
    SELECT 1 FROM journals JOIN amount_rules USING (administration_id)
    WHERE journals.id = records.journal_id AND amount_rules.type = records.type AND is_replaced = 0)
  ORDER BY records.id LIMIT ${CHUNK_RECORDS}`;

/** Returns a function that says whether any type of record has a rule. */
export function openAmountRuleReader(db: Connection): () => boolean {
  if (!hasAmounts(db)) return () => false;
  const select = db.prepare('SELECT 1 FROM amount_rules WHERE is_replaced = 0 LIMIT 1');
  return () => select.get() !== undefined;
}

/**
 * Returns a function that derives the amounts of the records after an id, within the caller's transaction. In salvaged data, some of
 * these records are archived.
 */
export function openAmountFold(db: Connection): (afterId: number) => void {
  if (!hasAmounts(db)) return () => {};
  const hasRules = openAmountRuleReader(db);
  const selectRecords = db.prepare<[number], FoldRow>(amountFoldSql(db));
  const bodyOf = openBodies(db);
  const readCall = ({ recordId, method, ...row }: FoldRow): StoredCall | undefined => {
    const body = unlessUnreadable(() => bodyOf(recordId, row));
    return body && { method, digest: row.digest, body };
  };
  const derive = openAmountDeriver(db);
  return (afterId) => {
    if (!hasRules()) return;
    let last: number | undefined = afterId;
    while (last !== undefined) last = derive(selectRecords.iterate(last), readCall);
  };
}

/**
 * Derives the amounts of records whose types have a rule, within the caller's transaction. `readCall` returns undefined if the
 * call cannot be read. Returns the id of the last record; undefined if there are no records.
 */
export type DeriveAmounts = <Sold extends SoldRecord>(
  records: Iterable<Sold>,
  readCall: (record: Sold) => StoredCall | undefined,
) => number | undefined;

export function openAmountDeriver(db: Connection): DeriveAmounts {
  const selectRules = db.prepare<[], RuleInForce>(RULES_SQL);
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

  function write({ recordId, ruleId, amount }: Stored): void {
    if (amount === null) removeOld.run(recordId);
    else insert.run(recordId, ruleId, amount.currency, amount.giga, amount.unit, amount.nano, amount.atto);
  }

  return (records, readCall) => {
    const rules = new Map(
      selectRules.all().map((rule) => [`${rule.journalId} ${rule.type}`, { rule, read: openAmountReader(rule) }]),
    );
    // Each bucket and each day is written once for all records.
    const tallies = { [QUARTER]: new Map<string, Tally>(), [DAY]: new Map<string, Tally>() };
    const amountDays = new Map<string, AmountDay>();
    // While SQLite iterates over the records, the connection cannot write. The list has no bodies, because they can be large.
    const stored: Stored[] = [];
    let last: number | undefined;
    for (const record of records) {
      const { recordId, journalId, soldAt } = record;
      last = recordId;
      const found = rules.get(`${journalId} ${record.type}`);
      if (found === undefined) continue;
      const { rule, read } = found;
      const call = readCall(record);
      // The reader expects JSON, and damaged bytes may not be JSON.
      const amount = call !== undefined && digestOf(call.body).equals(call.digest) ? read(call) : undefined;
      for (const width of [QUARTER, DAY] as const) addTo(tallies[width], width, record, rule, amount);
      if (amount === undefined) {
        stored.push({ recordId, ruleId: rule.id, amount: null });
        continue;
      }
      const limbs = splitDecimal(amount.value);
      stored.push({ recordId, ruleId: rule.id, amount: { ...limbs, currency: amount.currency ?? '' } });
      const startsAt = startOf(soldAt, DAY);
      amountDays.set(`${journalId} ${startsAt} ${amount.value}`, { journalId, startsAt, limbs });
    }
    for (const each of stored) write(each);
    for (const width of [QUARTER, DAY] as const)
      for (const { value, type: _, ...tally } of tallies[width].values())
        upsert.run({ ...tally, ...splitDecimal(value), width });
    for (const { journalId, startsAt, limbs } of amountDays.values())
      insertDay.run(journalId, limbs.giga, limbs.unit, limbs.nano, limbs.atto, startsAt);
    return last;
  };
}

function startOf(soldAt: number, width: number): number {
  return Math.floor(soldAt / width) * width;
}

function addTo(
  tallies: Map<string, Tally>,
  width: number,
  record: Counted,
  rule: RuleInForce,
  amount: ReadAmount | undefined,
): void {
  const startsAt = startOf(record.soldAt, width);
  const currency = amount === undefined ? fixedCurrency(rule) : (amount.currency ?? '');
  const key = `${rule.id} ${record.tillId} ${record.interface} ${record.status} ${startsAt} ${currency}`;
  const tally = tallies.get(key) ?? newTally(record, rule.id, startsAt, currency);
  tallies.set(key, tally);
  if (amount === undefined) tally.withoutAmount += 1;
  else {
    tally.records += 1;
    tally.value += amount.value;
  }
}

function newTally(record: Counted, ruleId: number, soldAt: number, currency: string): Tally {
  const { journalId, interface: by, status, type, tillId } = record;
  const none = { records: 0, withoutAmount: 0, value: 0n };
  return { journalId, interface: by, status, type, tillId, ruleId, soldAt, currency, ...none };
}

/**
 * The currency of a record whose amount cannot be read: the fixed currency of the rule, or an empty text if the rule has none.
 */
function fixedCurrency({ currency }: AmountRule): string {
  return currency === null || currency.startsWith('/') ? '' : currency;
}
