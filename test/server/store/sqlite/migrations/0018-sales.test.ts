// Migration 18, on old rows.

import { expect, test } from 'vitest';

import { checkStore } from '../../../../../server/store/sqlite/integrity/check.ts';
import { migrate, oldestProgram, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('the order of sale has every old record, and programs that need the former indexes are refused', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 17);
    const { oldest_program: _, ...before } = rowsOf(db);
    migrate(db, 18);
    expect(schemaVersion(db)).toBe(18);
    expect(oldestProgram(db)).toBeGreaterThanOrEqual(18);
    const { oldest_program: __, sales, ...after } = rowsOf(db);
    expect(after).toEqual(before);
    expect(sales).toHaveLength(before['records']?.length ?? 0);
    expect(checkStore(db)).toMatchObject({ structure: [], countFaults: [], saleFaults: [] });
  });
});

test('a record of the tail enters the order of sale when it is folded', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 17);
    db.exec('UPDATE fold SET folded_until = 4');
    migrate(db, 18);
    expect(db.prepare('SELECT max(record_id) FROM sales').pluck().get()).toBe(4);
    expect(checkStore(db, { withCounts: false })).toMatchObject({ saleFaults: [] });
  });
});
