// Migration 7 from the version before it, with old rows in it: the diary of a day also says when the machine slept, the data say which
// programs can work with them, and keys upstream are told apart by their digests.

import { hash } from 'node:crypto';

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('two tables and the digests of keys are added, and everything else stays as it was', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 6);
    db.exec("UPDATE lanes SET url = 'https://upstream.example', token = 'prod_there' WHERE id = 1");
    const before = rowsOf(db);
    migrate(db, 7);
    expect(schemaVersion(db)).toBe(7);
    const digest = hash('sha256', 'prod_there', 'base64');
    const lanes = before['lanes']?.map((lane) => ({ ...lane, token_digest: lane['id'] === 1 ? digest : null }));
    expect(rowsOf(db)).toEqual({ ...before, sleeps: [], oldest_program: [{ schema: 7 }], lanes });
  });
});
