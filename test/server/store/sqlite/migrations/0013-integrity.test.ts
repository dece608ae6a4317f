// Migration 13, on old rows. It sets the first value of the log mark, which ties the write-ahead log to its database.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('the log has its first mark, no fault is known, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 12);
    const before = rowsOf(db);
    migrate(db, 13);
    expect(schemaVersion(db)).toBe(13);
    expect(rowsOf(db)).toEqual({
      ...before,
      log_marks: [{ id: 1, mark: 'log-mark:0000000000000000' }],
      index_faults: [],
    });
  });
});
