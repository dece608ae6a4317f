// Migration 9, on old rows. Verdicts and signatures now cover the earlier interface too. Old signatures stay valid for the
// current interface only.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('columns are added with values for the old rows, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 8);
    db.exec(`
      INSERT INTO verdicts (journal_id, date, from_at, to_at, at, verdict, provisional, reasons, basis, here, open, upstream)
      VALUES (1, '2025-10-09', 0, 86400, 1, 'complete', 0, '[]', 'counts', 4, 0, 4);
      INSERT INTO sign_offs (journal_id, date, is_undone, verdict, here, reasons, name, note, actor, at)
      VALUES (1, '2025-10-09', 0, 'complete', 4, '[]', 'Ann', '', 'ann', 2);
      INSERT INTO checks (journal_id, from_date, to_date, by_ids, actor, asked_at, next_date)
      VALUES (1, '2025-10-09', '2025-10-09', 0, 'ann', 1, '2025-10-09');`);
    const before = rowsOf(db);
    migrate(db, 9);
    expect(schemaVersion(db)).toBe(9);
    const withMore = (table: string, more: object) => before[table]?.map((row) => ({ ...row, ...more }));
    expect(rowsOf(db)).toEqual({
      ...before,
      administrations: withMore('administrations', { others_send: 0 }),
      verdicts: withMore('verdicts', { earlier: 0, earlier_taken: 0, notes: '[]' }),
      sign_offs: withMore('sign_offs', { earlier: null }),
      checks: withMore('checks', { resend: 0 }),
    });
    expect(before['verdicts']).toHaveLength(1);
  });
});
