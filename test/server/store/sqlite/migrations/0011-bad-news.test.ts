// Migration 11, on old rows. One entry of the refusal log may now stand for several calls. Records that arrive while the clock
// is wrong now get a flag.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('every old refusal stands for one call, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 10);
    db.exec(`INSERT INTO refusals (at, address, key_id, method, path, code, detail, excerpt)
      VALUES (1, '192.0.2.1', 1, 'POST', '/v1/raw_transactions', 'json_malformed', '', '')`);
    const before = rowsOf(db);
    migrate(db, 11);
    expect(schemaVersion(db)).toBe(11);
    const refusals = before['refusals']?.map((refusal) => ({ ...refusal, calls: 1 }));
    expect(rowsOf(db)).toEqual({ ...before, refusals, clock_faults: [] });
  });
});
