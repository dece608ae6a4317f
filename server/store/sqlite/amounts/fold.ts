// Derives the amounts of the records in the tail. The writer already has the bytes of a record when it appends it, so it reads the
// amount then, and the fold only stores it. After a start, the fold reads the amounts from the stored records.

import type { KeptCall } from '../../records/content.ts';
import type { Arrival, Outcome } from '../../records/ledger.ts';
import { bodyColumns, type BodyRow, openBodies, unlessUnreadable } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import type { Counted } from '../records/count.ts';
import { interfaceOf } from '../records/record.ts';
import { type AmountBatch, openAmountWriter } from './amount.ts';
import { openRules, readStored, type Rules } from './rules-in-force.ts';
import { hasAmounts, storedAmount } from './stored-amount.ts';

/** Number of ids whose records are read together. */
const CHUNK_RECORDS = 1000;
/** Maximum records whose amounts are kept in memory until the next fold. */
const MAX_NOTED = 10_000;

/** Exported for the test that asserts the query plans. */
export const amountFoldSql = (db: Connection): string => `
  SELECT records.id AS recordId, records.journal_id AS journalId, records.interface, status, sold_at AS soldAt, type,
    till_id AS tillId, method, ${bodyColumns(db)}
  FROM records CROSS JOIN keys ON keys.id = key_id
  WHERE records.id > @after AND records.id < (SELECT min(id) FROM records WHERE id > @after) + ${CHUNK_RECORDS}
  ORDER BY records.id`;

/** The amounts of the records `firstId`, `firstId + 1` and so on, as `sales` has them. An id without an amount is empty. */
export interface AmountsFrom {
  readonly firstId: number;
  readonly amounts: readonly (string | undefined)[];
}

interface StoredRow extends Counted, BodyRow, Pick<KeptCall, 'method'> {
  readonly recordId: number;
}

export interface AmountFold {
  /** Reads the amounts of records that the caller's transaction has just appended. Never throws. */
  note(appended: readonly (readonly [Arrival, Outcome])[]): void;
  /** Forgets what was noted, because the caller's transaction was rolled back. */
  discard(): void;
  /**
   * Adds the amounts of the records after `afterId` to the sums, within the caller's transaction. Passes the amounts of all these
   * records in chunks to `use`. Returns false, and does nothing, if no type has a rule.
   */
  fold(afterId: number, use: (chunk: AmountsFrom) => void): boolean;
}

/** The amounts of the records after `afterId`, up to `lastId`. */
interface Noted {
  readonly rules: Rules;
  readonly afterId: number;
  lastId: number;
  readonly amounts: (string | undefined)[];
  readonly batch: AmountBatch;
}

export function openAmountFold(db: Connection): AmountFold {
  if (!hasAmounts(db)) return { note() {}, discard() {}, fold: () => false };
  const readRules = openRules(db);
  const selectRecords = db.prepare<[{ after: number }], StoredRow>(amountFoldSql(db));
  const readNewest = db.prepare<[], number | null>('SELECT max(id) FROM records').pluck();
  const bodyOf = openBodies(db);
  const beginBatch = openAmountWriter(db);
  let noted: Noted | undefined;

  function noteAll(appended: readonly (readonly [Arrival, Outcome])[]): void {
    const rules = readRules();
    const [first] = appended;
    if (!rules.any || first === undefined) return;
    const afterId = first[1].recordId - 1;
    if (noted?.rules !== rules || noted.lastId !== afterId || noted.amounts.length > MAX_NOTED)
      noted = { rules, afterId, lastId: afterId, amounts: [], batch: beginBatch() };
    for (const [arrival, { recordId, status }] of appended) {
      noted.lastId = recordId;
      const { journalId, tillId, type, soldAt, earlier, body } = arrival;
      const rule = rules.find(journalId, type);
      const amount = rule?.read({ method: earlier?.method ?? null, body });
      noted.amounts[recordId - noted.afterId - 1] = amount && storedAmount(amount);
      if (rule === undefined) continue;
      const by = interfaceOf(arrival);
      noted.batch.add({ journalId, interface: by, status, soldAt, type, tillId, rule, amount });
    }
  }

  /** Reads the amounts from the stored records. In salvaged data, some of these records are archived. */
  function foldStored(afterId: number, rules: Rules, use: (chunk: AmountsFrom) => void): void {
    for (let last = afterId; ;) {
      const batch = beginBatch();
      const amounts: (string | undefined)[] = [];
      let firstId: number | undefined;
      for (const row of selectRecords.iterate({ after: last })) {
        const { recordId, method, digest, body: _, archiveBlock: __, ...sold } = row;
        firstId ??= recordId;
        last = recordId;
        const rule = rules.find(sold.journalId, sold.type);
        const body = rule && unlessUnreadable(() => bodyOf(recordId, row));
        const amount = rule && body && readStored(rule, { method, digest, body });
        amounts[recordId - firstId] = amount && storedAmount(amount);
        if (rule !== undefined) batch.add({ ...sold, rule, amount });
      }
      if (firstId === undefined) return;
      batch.store();
      use({ firstId, amounts });
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
    fold(afterId, use) {
      const rules = readRules();
      const known = noted;
      noted = undefined;
      if (!rules.any) return false;
      const isWhole = known?.rules === rules && known.afterId === afterId && known.lastId === readNewest.get();
      if (isWhole) {
        known.batch.store();
        use({ firstId: afterId + 1, amounts: known.amounts });
      } else foldStored(afterId, rules, use);
      return true;
    },
  };
}
