// Migration 24, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('old refusals have no faults', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 23);
    db.exec(`
      INSERT INTO refusals (at, address, key_id, method, path, code, detail, excerpt)
        VALUES (1, '192.0.2.1', NULL, 'POST', '/v1/raw_transactions', 'field_invalid', 'type is required.', '')`);
    const before = rowsOf(db);
    migrate(db, 24);
    expect(schemaVersion(db)).toBe(24);
    const refusals = (before['refusals'] as object[]).map((row) => ({ ...row, faults: '[]' }));
    expect(rowsOf(db)).toEqual({ ...before, refusals });
  });
});
