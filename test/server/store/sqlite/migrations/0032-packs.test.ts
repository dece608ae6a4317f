// Migration 32, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('every body stays in its row until the gateway packs it', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 31);
    const before = rowsOf(db);
    migrate(db, 32);
    expect(schemaVersion(db)).toBe(32);
    expect(rowsOf(db)).toEqual({ ...before, packs: [] });
  });
});
