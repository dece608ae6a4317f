// Migration 8, on old rows. From now on, unusual forms of calls are counted.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('a table for unusual forms is added, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 7);
    const before = rowsOf(db);
    migrate(db, 8);
    expect(schemaVersion(db)).toBe(8);
    expect(rowsOf(db)).toEqual({ ...before, unusual_forms: [] });
  });
});
