// Migration 15, on old rows. The network is closed, and no till has an address.

import { expect, test } from 'vitest';

import { migrate, oldestProgram, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('keys get no address, everything else stays unchanged, and the previous version can use the data', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 14);
    const before = rowsOf(db);
    migrate(db, 15);
    expect(schemaVersion(db)).toBe(15);
    expect(oldestProgram(db)).toBe(7);
    expect(rowsOf(db)).toEqual({
      ...before,
      keys: (before['keys'] as object[]).map((key) => ({ ...key, last_address: null })),
      network: [],
      authorities: [],
    });
  });
});
