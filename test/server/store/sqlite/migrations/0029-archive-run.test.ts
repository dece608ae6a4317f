// Migration 29, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('every row stays', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 28);
    const before = rowsOf(db);
    migrate(db, 29);
    expect(rowsOf(db)).toEqual({ ...before, archive_run: [] });
  });
});
