// Migration 7 from the version before it, with old rows in it: the diary of a day also says when the machine slept, and the data
// say which programs can work with them.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../server/store/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../support/old-data.ts';

test('two tables are added, and everything else stays as it was', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 6);
    const before = rowsOf(db);
    migrate(db, 7);
    expect(schemaVersion(db)).toBe(7);
    expect(rowsOf(db)).toEqual({ ...before, sleeps: [], oldest_program: [{ schema: 6 }] });
  });
});
