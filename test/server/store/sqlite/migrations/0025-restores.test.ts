// Migration 25, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('old data were not restored, and their lanes need not ask the upstream first', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 24);
    const before = rowsOf(db);
    migrate(db, 25);
    expect(schemaVersion(db)).toBe(25);
    const lanes = (before['lanes'] as object[]).map((row) => ({ ...row, asks_up_to: null }));
    expect(rowsOf(db)).toEqual({ ...before, lanes, restores: [] });
  });
});
