// Migration 23, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('old totals and signatures have no declared amounts', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 22);
    db.exec(`
      INSERT INTO sign_offs (journal_id, date, is_undone, verdict, here, reasons, name, note, actor, at)
        SELECT id, '2025-10-09', 0, 'complete', 1, '[]', 'Ann', '', 'Ann', 1 FROM journals LIMIT 1`);
    const before = rowsOf(db);
    migrate(db, 23);
    expect(schemaVersion(db)).toBe(23);
    const signOffs = (before['sign_offs'] as object[]).map((row) => ({ ...row, amounts: null }));
    expect(signOffs).toHaveLength(1);
    expect(rowsOf(db)).toEqual({ ...before, sign_offs: signOffs, declared_amounts: [] });
  });
});
