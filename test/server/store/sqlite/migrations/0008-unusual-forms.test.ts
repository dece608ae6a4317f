// Migration 8 from the version before it, with old rows in it: unusual forms are counted from now on.

import { expect, test } from 'vitest';

import { migrate, oldestProgram, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('a table for unusual forms is added, and everything else stays as it was', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 7);
    const before = rowsOf(db);
    migrate(db, 8);
    expect(schemaVersion(db)).toBe(8);
    expect(rowsOf(db)).toEqual({ ...before, unusual_forms: [] });
  });
});

test('the program before it can go on with the data', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 8);
    expect(oldestProgram(db)).toBe(7);
  });
});
