// Migration 10, on old rows. End points that have accepted a record are stored as valid. End points whose answers were all 400
// are stored as refused, so that their held records are released.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';

test('the state of end points follows from deliveries, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 9);
    db.exec(`
      UPDATE deliveries SET state = 'delivered', answer_status = 200 WHERE record_id = 12;
      UPDATE deliveries SET state = 'held', answer_status = 400 WHERE record_id IN (15, 16);
      UPDATE deliveries SET state = 'held', answer_status = 422 WHERE record_id = 10;
      UPDATE lanes SET delivered = 1 WHERE id = (SELECT lane_id FROM deliveries WHERE record_id = 12);`);
    const laneOf = (recordId: number): unknown =>
      db.prepare('SELECT lane_id FROM deliveries WHERE record_id = ?').pluck().get(recordId);
    const before = rowsOf(db);
    migrate(db, 10);
    expect(schemaVersion(db)).toBe(10);
    const endPoint = (recordId: number, resource: string, hasPassed: 0 | 1) => ({
      lane_id: laneOf(recordId),
      version: 'v1',
      resource,
      has_passed: hasPassed,
      is_refused: 1 - hasPassed,
      refused_in_a_row: '[]',
    });
    const after = rowsOf(db);
    expect(after).toEqual({
      ...before,
      lanes: before['lanes']?.map((lane) => ({ ...lane, upstream_sets: 0, released_sets: 0 })),
      end_points: expect.anything(),
    });
    expect(after['end_points']).toHaveLength(3);
    expect(after['end_points']).toEqual(
      expect.arrayContaining([
        endPoint(12, 'transaction', 1),
        endPoint(15, 'cancellations', 0),
        endPoint(16, 'transaction', 0),
      ]),
    );
  });
});

test('a store without the earlier interface gets an empty table', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 9);
    migrate(db, 10);
    expect(rowsOf(db)['end_points']).toEqual([]);
  });
});
