// Migration 21, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('the old rows stay as they are', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 20);
    const { oldest_program: _, ...before } = rowsOf(db);
    migrate(db, 21);
    expect(schemaVersion(db)).toBe(21);
    const { oldest_program: __, ...after } = rowsOf(db);
    expect(after).toEqual({ ...before, alert_receivers: [], alerts: [], mail_server: [], sqlite_sequence: [] });
  });
});
