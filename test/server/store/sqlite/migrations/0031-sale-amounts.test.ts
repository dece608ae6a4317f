// Migration 31, applied to data with amounts.

import { expect, test } from 'vitest';

import { openAmountFill } from '../../../../../server/store/sqlite/amounts/fill.ts';
import { listAmountFaults, listWrongAmounts } from '../../../../../server/store/sqlite/amounts/recount.ts';
import { migrate } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('all amounts are read again after the update, and nothing else changes', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 30);
    db.exec(`
      INSERT INTO amount_rules (administration_id, type, total, sign, filled_until, fill_to) VALUES
        (1, 'sale', '/object/total', 'as sent', 11, 11);
      INSERT INTO amounts VALUES (1, 1, '', 0, 99, 0, 0);
      INSERT INTO amount_sums VALUES (1, 1, 'current', 'NEW', 900, 0, 1, '', 1, 0, 0, 99, 0, 0);
      INSERT INTO amount_days VALUES (1, 0, 99, 0, 0, 0);`);
    const { amounts: _, amount_days: __, amount_sums: ___, amount_rules: ____, sales, ...before } = rowsOf(db);
    migrate(db, 31);
    const { amount_days: days, amount_sums: sums, amount_rules: rules, sales: after, ...rest } = rowsOf(db);
    expect({ days, sums, rules }).toMatchObject({ days: [], sums: [], rules: [{ filled_until: 0, fill_to: 18 }] });
    expect(after).toEqual(sales?.map((sale) => ({ ...(sale as object), amount: null })));
    expect({ ...rest, oldest_program: [] }).toEqual({ ...before, oldest_program: [] });

    const fill = openAmountFill(db);
    while (db.transaction(fill)());
    expect(listWrongAmounts(db, 1)).toEqual([]);
    expect(listAmountFaults(db, 1)).toEqual([]);
    expect(
      db.prepare('SELECT amount FROM sales WHERE record_id IN (1, 3, 4) ORDER BY record_id').pluck().all(),
    ).toEqual(['1', '2', null]);
  });
});
