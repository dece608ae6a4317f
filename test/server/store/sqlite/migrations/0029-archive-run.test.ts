// Migration 29, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, oldestProgram } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('every row stays, and the previous version can still use the data', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 28);
    const before = rowsOf(db);
    migrate(db, 29);
    expect(oldestProgram(db)).toBeLessThanOrEqual(28);
    expect(rowsOf(db)).toEqual({ ...before, archive_run: [] });
  });
});
