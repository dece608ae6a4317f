// Migration 31, applied to data with amounts.

import { expect, test } from 'vitest';

import { migrate } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

/** The limbs of a decimal, and its text. */
const AMOUNTS = [
  ['0, 12, 500000000, 0', '12.5'],
  ['0, 0, -30000000, 0', '-0.03'],
  ['999999999, 999999999, 999999999, 999999999', '999999999999999999.999999999999999999'],
  ['0, 100, 0, 0', '100'],
  ['0, 0, 0, 0', '0'],
] as const;

test('amounts move to the rows of their sales, and nothing else changes', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 30);
    const values = AMOUNTS.map(([limbs], n) => `(${n + 1}, ${n === 3 ? 1 : 2}, '${n === 0 ? 'EUR' : ''}', ${limbs})`);
    db.exec(`
      INSERT INTO amount_rules (administration_id, type, total, sign, is_replaced, filled_until, fill_to) VALUES
        (1, 'sale', '/object/sum', 'as sent', 1, 0, 18), (1, 'sale', '/object/total', 'as sent', 0, 18, 18);
      INSERT INTO amounts VALUES ${values.join(', ')};
      ${AMOUNTS.map(([limbs], n) => `INSERT INTO amount_days VALUES (1, ${limbs}, ${n * 86_400});`).join('\n')}`);
    const { amounts: _, amount_days: __, sales = [], ...before } = rowsOf(db);
    migrate(db, 31);
    const { amount_days: days, sales: after, ...rest } = rowsOf(db);
    expect({ ...rest, oldest_program: [] }).toEqual({ ...before, oldest_program: [] });
    expect(days).toHaveLength(AMOUNTS.length);
    expect(days).toEqual(
      expect.arrayContaining(AMOUNTS.map(([, amount], n) => ({ journal_id: 1, amount, starts_at: n * 86_400 }))),
    );
    // The amount of record 4 was read with a rule that is no longer in force.
    const moved = new Map<unknown, string>([1, 2, 3, 5].map((id) => [id, AMOUNTS[id - 1]?.[1] ?? '']));
    moved.set(1, '12.5 EUR');
    expect(after).toEqual(sales.map((sale) => ({ ...sale, amount: moved.get(sale['record_id']) ?? null })));
  });
});
