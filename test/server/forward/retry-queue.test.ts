// Records that wait for the time of their next attempt. The tests cover their order, the limits on their number, and the due times
// of records that do not fit into memory.

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { openRetryQueue } from '../../../server/forward/retry-queue.ts';
import type { WaitingRecord } from '../../../server/store/outbox/ledger.ts';

const record = (recordId: number, bytes = 2): WaitingRecord => ({
  recordId,
  status: 'NEW',
  soldAt: 0,
  earlier: undefined,
  body: Buffer.alloc(bytes),
});
const idOf = (taken: WaitingRecord | undefined): number | undefined => taken?.recordId;

test('the record that has been due longest comes first, and none before its time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }), (times) => {
      const retries = openRetryQueue();
      times.forEach((dueAt, recordId) => retries.push(record(recordId), dueAt));
      const byTime = times.map((dueAt, recordId) => ({ recordId, dueAt })).toSorted((a, b) => a.dueAt - b.dueAt);
      for (const { recordId, dueAt } of byTime) {
        expect(retries.nextDueAt()).toBe(dueAt);
        expect(retries.takeDue(dueAt - 1)).toBeUndefined();
        expect(idOf(retries.takeDue(dueAt))).toBe(recordId);
      }
      expect([retries.nextDueAt(), retries.size()]).toEqual([Infinity, 0]);
    }),
  );
});

test('memory keeps the 1024 records that are due first; of the others it keeps the time', () => {
  const retries = openRetryQueue();
  const moved: number[] = [];
  for (let id = 1; id <= 1100; id++) moved.push(...retries.push(record(id), 10_000 - id).map((each) => each.recordId));
  expect(moved).toEqual(Array.from({ length: 76 }, (_, i) => i + 1));
  expect([retries.records().length, retries.size()]).toEqual([1024, 1100]);
  expect(retries.rereadAt()).toBe(10_000 - 76);
  expect([retries.dueAtOf(1), retries.dueAtOf(1100)]).toEqual([9999, -Infinity]);
  retries.noteReread(9950);
  expect(retries.rereadAt()).toBe(9951);
  expect([retries.forgetOnDisk(1), retries.forgetOnDisk(1), retries.size()]).toEqual([true, false, 1099]);
});

test('memory keeps 16 MiB, and always one record', () => {
  const retries = openRetryQueue();
  for (let id = 1; id <= 20; id++) retries.push(record(id, 1024 * 1024), id);
  expect(retries.records().map(({ recordId }) => recordId)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  const alone = openRetryQueue();
  expect(alone.push(record(1, 64 * 1024 * 1024), 1)).toEqual([]);
});

test('after a recall the records in memory are due at once, in the order of their times', () => {
  const retries = openRetryQueue();
  for (const [id, dueAt] of [
    [1, 300],
    [2, 100],
    [3, 200],
  ] as const)
    retries.push(record(id), dueAt);
  retries.recall();
  expect([1, 2, 3].map(() => idOf(retries.takeDue(-1)))).toEqual([2, 3, 1]);
});

test('a recall leaves the records on disk their times, because new records would wait behind thousands of them', () => {
  const retries = openRetryQueue();
  for (let id = 1; id <= 1100; id++) retries.push(record(id), 10_000 + id);
  retries.recall();
  expect([retries.rereadAt(), retries.dueAtOf(1025), retries.dueAtOf(1100)]).toEqual([11_025, 11_025, 11_100]);
  expect(idOf(retries.takeDue(-1))).toBe(1);
});
