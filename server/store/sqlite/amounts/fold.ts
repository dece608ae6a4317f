// Derives the amounts of the records in the tail. The writer already has the bytes of a record when it appends it, so it reads the
// amount then, and the fold only stores it. After a start, the fold reads the amounts from the stored records.

import type { KeptCall } from '../../records/content.ts';
import type { Arrival, Outcome } from '../../records/ledger.ts';
import { bodyColumns, type BodyRow, openBodies, unlessUnreadable } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import { interfaceOf } from '../records/record.ts';
import { type AmountBatch, openAmountWriter, type SoldRecord } from './amount.ts';
import { hasAmounts, openRules, readStored, type Rules } from './rules-in-force.ts';

/** Maximum records that are read together. */
const CHUNK_RECORDS = 1000;
/** Maximum records whose amounts are kept in memory until the next fold. */
const MAX_NOTED = 10_000;

/** Exported for the test that asserts the query plans. */
export const amountFoldSql = (db: Connection): string => `
  SELECT records.id AS recordId, records.journal_id AS journalId, records.interface, status, sold_at AS soldAt, type,
    till_id AS tillId, method, ${bodyColumns(db)}
  FROM records CROSS JOIN keys ON keys.id = key_id
  WHERE records.id > ? AND EXISTS (
    SELECT 1 FROM journals JOIN amount_rules USING (administration_id)
    WHERE journals.id = records.journal_id AND amount_rules.type = records.type AND is_replaced = 0)
  ORDER BY records.id LIMIT ${CHUNK_RECORDS}`;

export interface AmountFold {
  /** Reads the amounts of records that the caller's transaction has just appended. Never throws. */
  note(appended: readonly (readonly [Arrival, Outcome])[]): void;
  /** Forgets what was noted, because the caller's transaction was rolled back. */
  discard(): void;
  /** Stores the amounts of the records after `afterId`, within the caller's transaction. */
  fold(afterId: number): void;
  /** Whether any type of record has a rule. */
  hasRules(): boolean;
}

/** The amounts of the records after `afterId`, up to `lastId`. */
interface Noted {
  readonly rules: Rules;
  readonly afterId: number;
  lastId: number;
  readonly batch: AmountBatch;
}

export function openAmountFold(db: Connection): AmountFold {
  if (!hasAmounts(db)) return { note() {}, discard() {}, fold() {}, hasRules: () => false };
  const readRules = openRules(db);
  const selectRecords = db.prepare<[number], SoldRecord & BodyRow & Pick<KeptCall, 'method'>>(amountFoldSql(db));
  const readNewest = db.prepare<[], number | null>('SELECT max(id) FROM records').pluck();
  const bodyOf = openBodies(db);
  const beginBatch = openAmountWriter(db);
  let noted: Noted | undefined;

  function noteAll(appended: readonly (readonly [Arrival, Outcome])[]): void {
    const rules = readRules();
    const [first] = appended;
    if (!rules.any || first === undefined) return;
    const afterId = first[1].recordId - 1;
    if (noted?.rules !== rules || noted.lastId !== afterId || noted.batch.size() > MAX_NOTED)
      noted = { rules, afterId, lastId: afterId, batch: beginBatch() };
    for (const [arrival, { recordId, status }] of appended) {
      noted.lastId = recordId;
      const { journalId, tillId, type, soldAt, earlier, body } = arrival;
      const rule = rules.find(journalId, type);
      if (rule === undefined) continue;
      const amount = rule.read({ method: earlier?.method ?? null, body });
      const by = interfaceOf(arrival);
      noted.batch.add({ recordId, journalId, interface: by, status, soldAt, type, tillId, rule, amount });
    }
  }

  /** Reads the amounts from the stored records. In salvaged data, some of these records are archived. */
  function foldStored(afterId: number, rules: Rules): void {
    for (let last: number | undefined = afterId; last !== undefined;) {
      const batch = beginBatch();
      let next: number | undefined;
      for (const row of selectRecords.iterate(last)) {
        const { method, digest, body: _, archiveBlock: __, ...sold } = row;
        next = sold.recordId;
        const rule = rules.find(sold.journalId, sold.type);
        if (rule === undefined) continue;
        const body = unlessUnreadable(() => bodyOf(sold.recordId, row));
        batch.add({ ...sold, rule, amount: body && readStored(rule, { method, digest, body }) });
      }
      batch.store();
      last = next;
    }
  }

  return {
    note(appended) {
      try {
        noteAll(appended);
      } catch {
        noted = undefined; // the fold reads these amounts again, and reports the error
      }
    },
    discard() {
      noted = undefined;
    },
    fold(afterId) {
      const rules = readRules();
      const known = noted;
      noted = undefined;
      if (!rules.any) return;
      const isWhole = known?.rules === rules && known.afterId === afterId && known.lastId === readNewest.get();
      if (isWhole) known.batch.store();
      else foldStored(afterId, rules);
    },
    hasRules: () => readRules().any,
  };
}
