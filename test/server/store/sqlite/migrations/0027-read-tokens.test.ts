// Migration 27, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('data of an earlier version have no read tokens, and everything else stays', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 26);
    const before = rowsOf(db);
    migrate(db, 27);
    expect(schemaVersion(db)).toBe(27);
    expect(rowsOf(db)).toEqual({ ...before, read_tokens: [] });
  });
});
