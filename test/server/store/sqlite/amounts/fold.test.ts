// Amounts that were noted at the append are the amounts of the stored records, whatever happened before the fold.

import { expect, onTestFinished, test } from 'vitest';

import type { Arrival, Outcome } from '../../../../../server/store/records/ledger.ts';
import { listAmountFaults, listWrongAmounts } from '../../../../../server/store/sqlite/amounts/recount.ts';
import { setAmountRule } from '../../../../../server/store/sqlite/amounts/rule.ts';
import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { openFolder } from '../../../../../server/store/sqlite/engine/fold.ts';
import { openRecordWriter } from '../../../../../server/store/sqlite/records/record.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

const RULE = { type: 'sale', total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent' } as const;

/** Opens a database with a rule, and a writer that notes what it appends. */
async function openWriter() {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  await store.amounts.setRule('Bakery', 'sale', RULE, 'test');
  await store.close();
  const db = openDatabase(databasePath(dataDir), 'write');
  onTestFinished(() => void db.close());
  const addRecord = openRecordWriter(db);
  const folder = openFolder(db);
  const arrival = (id: string, total: unknown): Arrival =>
    arrivalOf(key, { externalId: id, object: { total, other: 7 } });
  return {
    db,
    folder,
    addUnnoted: (id: string, total: unknown) => void addRecord(arrival(id, total)),
    add(...sales: [id: string, total: unknown][]): void {
      const appended = sales.map(([id, total]): [Arrival, Outcome] => {
        const outcome = addRecord(arrival(id, total));
        if (outcome.status === 'uncompared') throw new Error(`${id} needs a comparison`);
        return [arrival(id, total), outcome];
      });
      folder.note(appended);
    },
    /** Folds, compares all amounts with the records, and returns the sums of the day in cents. */
    foldAndSum(): { cents: number; records: number; without: number } {
      db.transaction(() => folder.fold())();
      expect({ wrong: listWrongAmounts(db, 10), faults: listAmountFaults(db, 10) }).toEqual({ wrong: [], faults: [] });
      return db
        .prepare(`
        SELECT total(unit) * 100 + total(nano) / 10000000 AS cents, total(records) AS records, total(without_amount) AS without
        FROM amount_sums JOIN amount_rules ON amount_rules.id = rule_id WHERE width = 86400 AND is_replaced = 0`)
        .get() as { cents: number; records: number; without: number };
    },
  };
}

test('they are the sums of NEW and repeated records, and of records without an amount', async () => {
  const { add, foldAndSum } = await openWriter();
  add(['a', 12.5], ['a', 12.5], ['b', null]);
  add(['c', '3,20']);
  expect(foldAndSum()).toEqual({ cents: 2820, records: 3, without: 1 });
  add(['d', 1]);
  expect(foldAndSum()).toEqual({ cents: 2920, records: 4, without: 1 });
});

test('a record that was rolled back leaves no amount for the next record with its id', async () => {
  const { db, folder, add, addUnnoted, foldAndSum } = await openWriter();
  const append = db.transaction(() => {
    add(['a', 99]);
    throw new Error('planted');
  });
  expect(append).toThrow('planted');
  folder.discard();
  addUnnoted('b', 1);
  expect(foldAndSum()).toEqual({ cents: 100, records: 1, without: 0 });
});

test.each(['before', 'between', 'after'])('records that were not noted count too: %s', async (when) => {
  const { add, addUnnoted, foldAndSum } = await openWriter();
  if (when === 'before') addUnnoted('x', 5);
  add(['a', 1]);
  if (when === 'between') addUnnoted('x', 5);
  add(['b', 2]);
  if (when === 'after') addUnnoted('x', 5);
  expect(foldAndSum()).toEqual({ cents: 800, records: 3, without: 0 });
});

test('records that another connection has folded count once', async () => {
  const { db, add, foldAndSum } = await openWriter();
  add(['a', 1]);
  const other = openFolder(db);
  db.transaction(() => other.fold())();
  add(['b', 2]);
  expect(foldAndSum()).toEqual({ cents: 300, records: 2, without: 0 });
});

test.each([0, 1])(
  'a rule that changed before the fold applies to all records after it, with %i later records',
  async (later) => {
    const { db, add, foldAndSum } = await openWriter();
    add(['a', 1]);
    db.transaction(() => setAmountRule(db, 'Bakery', 'sale', { ...RULE, total: '/object/other' }, 'test', 0))();
    if (later > 0) add(['b', 2]);
    expect(foldAndSum()).toEqual({ cents: 700 * (1 + later), records: 1 + later, without: 0 });
  },
);

test('a fold that was rolled back stores the amounts at the next fold', async () => {
  const { db, folder, add, foldAndSum } = await openWriter();
  add(['a', 1], ['b', 2]);
  db.exec('BEGIN');
  folder.fold();
  db.exec('ROLLBACK');
  expect(foldAndSum()).toEqual({ cents: 300, records: 2, without: 0 });
});
