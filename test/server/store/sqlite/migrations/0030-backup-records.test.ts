// Migration 30, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, withDatabase } from '../../../../support/old-data.ts';

test('the number of records in a backup of an earlier version is unknown', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 29);
    db.exec("INSERT INTO backup_files (path, begun_at, bytes, modified_at) VALUES ('/b/monday.db', 1, 2, 3)");
    migrate(db, 30);
    expect(schemaVersion(db)).toBe(30);
    const found = db.prepare('SELECT * FROM backup_files').all();
    expect(found).toEqual([{ path: '/b/monday.db', begun_at: 1, bytes: 2, modified_at: 3, records: null }]);
  });
});
