// Migration 16, on old rows.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('adds an empty table, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 15);
    const before = rowsOf(db);
    migrate(db, 16);
    expect(schemaVersion(db)).toBe(16);
    expect(rowsOf(db)).toEqual({ ...before, certifications: [] });
  });
});
