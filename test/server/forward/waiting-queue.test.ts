// The queue of a lane in memory: oldest first, limited by number of records and by bytes.

import { expect, test } from 'vitest';

import { openWaitingQueue } from '../../../server/forward/waiting-queue.ts';
import type { WaitingRecord } from '../../../server/store/outbox/ledger.ts';

const record = (recordId: number, bytes = 2): WaitingRecord => ({
  recordId,
  status: 'NEW',
  soldAt: 0,
  earlier: undefined,
  body: Buffer.alloc(bytes),
});
const idsOf = (records: readonly WaitingRecord[]): number[] => records.map(({ recordId }) => recordId);

test('a record that is put back returns to its order', () => {
  const queue = openWaitingQueue({ records: 10, bytes: 100 });
  for (const id of [1, 3, 5]) queue.push(record(id));
  expect([...queue.insert(record(4)), ...queue.insert(record(6)), ...queue.insert(record(0))]).toEqual([]);
  expect(idsOf(queue.records())).toEqual([0, 1, 3, 4, 5, 6]);
});

test.each([
  ['too many', { records: 3, bytes: 100 }, [4, 3]],
  ['too large', { records: 10, bytes: 5 }, [4, 3, 2]],
])('records that do not fit are returned, newest first: %s', (_name, max, dropped) => {
  const queue = openWaitingQueue(max);
  for (const id of [1, 2, 3, 4]) queue.push(record(id));
  expect(idsOf(queue.insert(record(0)))).toEqual(dropped);
});

test('one record stays, whatever its size', () => {
  const queue = openWaitingQueue({ records: 10, bytes: 5 });
  expect(queue.insert(record(1, 100))).toEqual([]);
  expect(queue.exceeds({ records: 10, bytes: 5 })).toBe(true);
  expect(idsOf(queue.remove(({ recordId }) => recordId === 1))).toEqual([1]);
  expect(queue.shift()).toBeUndefined();
});
