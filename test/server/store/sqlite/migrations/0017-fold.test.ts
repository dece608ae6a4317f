// Migration 17, on old rows.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('everything is derived from the old records already', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 16);
    const { oldest_program: _, ...before } = rowsOf(db);
    migrate(db, 17);
    expect(schemaVersion(db)).toBe(17);
    const { oldest_program: __, ...after } = rowsOf(db);
    expect(after).toEqual({ ...before, fold: [{ id: 1, folded_until: 18 }] });
  });
});
