// Migration 26, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('the newest record of an earlier backup is unknown, and no file counts as written', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 25);
    db.exec('INSERT INTO backups (id, made_at) VALUES (1, 5)');
    const before = rowsOf(db);
    migrate(db, 26);
    expect(schemaVersion(db)).toBe(26);
    expect(rowsOf(db)).toEqual({
      ...before,
      backups: [{ id: 1, made_at: 5, newest_record_id: 0 }],
      backup_files: [],
    });
  });
});
