// Migration 7, on old rows. New tables are for the sleeps of the machine, and for the oldest program version that can read the
// data. Upstream keys are compared by digest.

import { hash } from 'node:crypto';

import { expect, test } from 'vitest';

import { migrate, OLDEST_PROGRAM, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('two tables and the digests of keys are added, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 6);
    db.exec("UPDATE lanes SET url = 'https://upstream.example', token = 'prod_there' WHERE id = 1");
    const before = rowsOf(db);
    migrate(db, 7);
    expect(schemaVersion(db)).toBe(7);
    const digest = hash('sha256', 'prod_there', 'base64');
    const lanes = before['lanes']?.map((lane) => ({ ...lane, token_digest: lane['id'] === 1 ? digest : null }));
    expect(rowsOf(db)).toEqual({ ...before, sleeps: [], oldest_program: [{ schema: OLDEST_PROGRAM }], lanes });
  });
});
