// Migration 21, on old rows.

import { expect, test } from 'vitest';

import { migrate, oldestProgram, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('the old rows stay as they are, and the version before can still use the data', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 20);
    const before = rowsOf(db);
    migrate(db, 21);
    expect(schemaVersion(db)).toBe(21);
    expect(oldestProgram(db)).toBe(20);
    expect(rowsOf(db)).toEqual({ ...before, alert_receivers: [], alerts: [], mail_server: [] });
  });
});
