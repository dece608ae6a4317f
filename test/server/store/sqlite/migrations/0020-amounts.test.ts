// Migration 20, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, oldestProgram, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('old records have no amounts until a rule is set, and programs that derive no amounts are refused', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 19);
    const { oldest_program: _, ...before } = rowsOf(db);
    migrate(db, 20);
    expect(schemaVersion(db)).toBe(20);
    expect(oldestProgram(db)).toBeGreaterThanOrEqual(20);
    const { oldest_program: __, ...after } = rowsOf(db);
    expect(after).toEqual({ ...before, amount_rules: [], amounts: [], amount_sums: [], amount_days: [] });
  });
});
