// Migration 15, on old rows. The network is closed, and no till has an address.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('keys get no address, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 14);
    const before = rowsOf(db);
    migrate(db, 15);
    expect(schemaVersion(db)).toBe(15);
    expect(rowsOf(db)).toEqual({
      ...before,
      keys: (before['keys'] as object[]).map((key) => ({ ...key, last_address: null })),
      network: [],
      authorities: [],
    });
  });
});
