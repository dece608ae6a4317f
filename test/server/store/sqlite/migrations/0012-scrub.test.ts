// Migration 12, on old rows. The scrub has not begun yet.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('no scrub has begun, no record is marked as damaged, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 11);
    const before = rowsOf(db);
    migrate(db, 12);
    expect(schemaVersion(db)).toBe(12);
    expect(rowsOf(db)).toEqual({ ...before, scrubs: [], damaged_records: [] });
  });
});
