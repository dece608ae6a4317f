// Migration 19, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('the old rows stay as they are', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 18);
    const { oldest_program: _, ...before } = rowsOf(db);
    migrate(db, 19);
    expect(schemaVersion(db)).toBe(19);
    const { oldest_program: __, ...after } = rowsOf(db);
    expect(after).toEqual({ ...before, tasks: [], task_views: [], backups: [] });
  });
});
