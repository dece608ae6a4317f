// After a rule was set, reads the amounts of older records in slices. Between two slices, tills get the write lock. Afterwards,
// removes the sums of replaced rules, also in slices.

import type { ReadAmount } from '../../amounts/read-amount.ts';
import type { KeptCall } from '../../records/content.ts';
import { BODY_BYTES_SQL, bodyColumns, type BodyRow, openBodies } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import type { Counted } from '../records/count.ts';
import { IS_SALE_OF_RECORD } from '../records/sale.ts';
import { openAmountWriter } from './amount.ts';
import { openRules, readStored, type RuleInForce } from './rules-in-force.ts';
import { storedAmount } from './stored-amount.ts';

/** Limits of one slice. Each limit alone keeps a slice within about ten milliseconds. */
const SLICE = { looked: 4000, records: 400, bytes: 1024 * 1024, removed: 2000 };

interface FillRow extends Counted {
  readonly recordId: number;
  readonly bytes: number;
}

/** Exported for the test that asserts the query plans. */
export const FILL_SQL = {
  next: `
    SELECT id, filled_until AS filledUntil, fill_to AS fillTo FROM amount_rules
    WHERE is_replaced = 0 AND filled_until < fill_to ORDER BY id LIMIT 1`,
  rows: `
    SELECT records.id AS recordId, records.journal_id AS journalId, records.interface, status, sold_at AS soldAt, type,
      till_id AS tillId, ${BODY_BYTES_SQL} AS bytes
    FROM records JOIN keys ON keys.id = key_id WHERE records.id > @after AND records.id <= @fillTo
    ORDER BY records.id LIMIT ${SLICE.looked}`,
  setAmount: `UPDATE sales SET amount = @amount FROM records WHERE records.id = @recordId AND ${IS_SALE_OF_RECORD}`,
  replaced: `
    SELECT id FROM amount_rules WHERE is_replaced = 1 AND EXISTS (SELECT 1 FROM amount_sums WHERE rule_id = id) LIMIT 1`,
  remove: `
    DELETE FROM amount_sums WHERE (rule_id, journal_id, interface, status, width, starts_at, till_id, currency) IN (
      SELECT rule_id, journal_id, interface, status, width, starts_at, till_id, currency FROM amount_sums
      WHERE rule_id = @id LIMIT ${SLICE.removed})`,
};

/** Returns a function that says whether a slice has anything to do. */
export function openFillReader(db: Connection): () => boolean {
  const selectNext = db.prepare<[], NextRule>(FILL_SQL.next);
  const findReplaced = db.prepare<[], number>(FILL_SQL.replaced);
  return () => selectNext.get() !== undefined || findReplaced.get() !== undefined;
}

/**
 * Returns a function that carries out one slice within the caller's transaction. That function returns true if more slices
 * remain. It throws if an archive file cannot be read: otherwise its amounts would be missing in the sums permanently.
 */
export function openAmountFill(db: Connection): () => boolean {
  const selectNext = db.prepare<[], NextRule>(FILL_SQL.next);
  const hasMore = openFillReader(db);
  const selectRows = db.prepare<unknown[], FillRow>(FILL_SQL.rows);
  const setAmount = db.prepare(FILL_SQL.setAmount);
  const move = db.prepare('UPDATE amount_rules SET filled_until = ? WHERE id = ?');
  const findReplaced = db.prepare<[], number>(FILL_SQL.replaced).pluck();
  const remove = db.prepare(FILL_SQL.remove);
  const selectCall = db.prepare<[number], BodyRow & Pick<KeptCall, 'method'>>(
    `SELECT method, ${bodyColumns(db)} FROM records WHERE id = ?`,
  );
  const bodyOf = openBodies(db);
  const readRules = openRules(db);
  const beginBatch = openAmountWriter(db);

  function readAmount(recordId: number, rule: RuleInForce): ReadAmount | undefined {
    const row = selectCall.get(recordId);
    return row && readStored(rule, { method: row.method, digest: row.digest, body: bodyOf(recordId, row) });
  }

  /** Reads the next records for a rule. Returns the id up to which all records have been read. */
  function fill({ id, filledUntil, fillTo }: NextRule): number {
    const rules = readRules();
    let [looked, bytes, last] = [0, 0, filledUntil];
    const due: (FillRow & { readonly rule: RuleInForce })[] = [];
    for (const row of selectRows.iterate({ after: filledUntil, fillTo })) {
      if (due.length === SLICE.records || bytes > SLICE.bytes) break;
      looked += 1;
      last = row.recordId;
      const rule = rules.find(row.journalId, row.type);
      if (rule?.id !== id) continue;
      bytes += row.bytes;
      due.push({ ...row, rule });
    }
    const batch = beginBatch();
    for (const { recordId, ...sold } of due) {
      const amount = readAmount(recordId, sold.rule);
      // If damage has removed the row, the check reports it.
      setAmount.run({ recordId, amount: amount === undefined ? null : storedAmount(amount) });
      batch.add({ ...sold, amount });
    }
    batch.store();
    const isEnd = looked < SLICE.looked && due.length < SLICE.records && bytes <= SLICE.bytes;
    return isEnd ? fillTo : last;
  }

  return () => {
    const next = selectNext.get();
    if (next === undefined) remove.run({ id: findReplaced.get() ?? null });
    else move.run(fill(next), next.id);
    return hasMore();
  };
}

interface NextRule {
  readonly id: number;
  readonly filledUntil: number;
  readonly fillTo: number;
}
