// Migration 22, applied to data of an earlier version.

import { expect, test } from 'vitest';

import { checkStore } from '../../../../../server/store/sqlite/integrity/check.ts';
import { migrate, oldestProgram, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('every delivery keeps its state and its answer, and earlier programs are refused', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 21);
    db.exec(`
      UPDATE deliveries SET state = 'delivered', attempts = 2, answered_at = 5, answer_status = 201, upstream_status = 'IGNORED'
      WHERE record_id = 1;
      UPDATE deliveries SET state = 'held', attempts = 1, answered_at = 6, answer_status = 422, answer = 'no' WHERE record_id = 4;
      UPDATE deliveries SET state = 'set aside', reason = 'a test' WHERE record_id = 5;
      UPDATE deliveries SET state = 'delivered', upstream_status = 'NEW' WHERE record_id = 7;
      UPDATE deliveries SET state = 'delivered', upstream_status = 'ERROR' WHERE record_id = 8;`);
    const { oldest_program: _, deliveries: old = [], ...before } = rowsOf(db);
    migrate(db, 22);
    expect(schemaVersion(db)).toBe(22);
    expect(oldestProgram(db)).toBeGreaterThanOrEqual(22);
    const { oldest_program: __, deliveries: compact = [], ...after } = rowsOf(db);
    expect(after).toEqual(before);
    expect(compact).toMatchObject(old);
    expect(checkStore(db, { withCounts: false }).structure).toEqual([]);
  });
});
