// Migration 28, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('every body stays in the database', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 27);
    const { records = [], ...before } = rowsOf(db);
    migrate(db, 28);
    expect(schemaVersion(db)).toBe(28);
    expect(rowsOf(db)).toEqual({
      ...before,
      records: records.map((row) => ({ ...row, archive_block: null })),
      archive_folder: [],
      archive_files: [],
      archive_blocks: [],
      archived_days: [],
    });
  });
});
