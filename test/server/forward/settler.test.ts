// Stores the outcomes of forwarded records. Many outcomes share a transaction. No outcome is lost if the disk is busy, and none
// is reported before it is stored.

import { expect, test } from 'vitest';

import { openSettler } from '../../../server/forward/settler.ts';
import type { Settlement } from '../../../server/store/outbox/ledger.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

const settlement = (recordId: number): Settlement => ({
  recordId,
  status: 'NEW',
  soldAt: 0,
  state: 'delivered',
  attempts: 1,
  answeredAt: 0,
  answerStatus: 201,
  answer: null,
  upstreamStatus: null,
});

function open(settle: (group: readonly Settlement[]) => Promise<void> = async () => {}) {
  const time = startVirtualTime();
  const groups: number[][] = [];
  const settled: number[] = [];
  const faults: unknown[] = [];
  const settler = openSettler({
    clock: time,
    settle(group) {
      groups.push(group.map(({ recordId }) => recordId));
      return time.track(settle(group));
    },
    onSettled: (group) => void settled.push(...group.map(({ recordId }) => recordId)),
    onFault: (error) => void faults.push(error),
  });
  const add = (...ids: number[]): void => {
    for (const id of ids) settler.add(settlement(id));
  };
  return { time, groups, settled, faults, settler, add };
}

test('outcomes that arrive together are one group', async () => {
  const { time, groups, settled, settler, add } = open();
  add(1, 2);
  await time.pass(5);
  add(3);
  expect([groups, settler.pending()]).toEqual([[], 3]);
  await time.pass(20);
  expect([groups, settled, settler.pending()]).toEqual([[[1, 2, 3]], [1, 2, 3], 0]);
});

test('a group has a maximum size, and the rest follows at once, in order', async () => {
  const { time, groups, settled, add } = open();
  const ids = Array.from({ length: 2500 }, (_, i) => i);
  add(...ids);
  await time.pass(20);
  expect(groups.map(({ length }) => length)).toEqual([1024, 1024, 452]);
  expect(settled).toEqual(ids);
});

test('a failed write is reported and retried a second later, before newer outcomes', async () => {
  let isBroken = true;
  const { time, groups, settled, faults, settler, add } = open(async () => {
    if (isBroken) throw new Error('the disk');
  });
  add(1, 2);
  await time.pass(20);
  add(3);
  expect([settled, faults.length, settler.pending()]).toEqual([[], 1, 3]);
  isBroken = false;
  await time.pass(1000);
  expect([settled, settler.pending()]).toEqual([[1, 2, 3], 0]);
  expect(groups).toEqual([
    [1, 2],
    [1, 2, 3],
  ]);
});

test('closing writes the waiting outcomes at once, after the current write, and nothing later', async () => {
  const { time, groups, settled, settler, add } = open();
  add(1);
  await settler.close();
  expect([groups, settled]).toEqual([[[1]], [1]]);
  add(2);
  await time.pass(10_000);
  expect(groups).toEqual([[1]]);
});

test('closing ends when the disk fails, without a retry', async () => {
  const { time, settled, faults, settler, add } = open(() => Promise.reject(new Error('the disk')));
  add(1);
  await settler.close();
  expect([settled, faults.length, settler.pending()]).toEqual([[], 1, 1]);
  await time.pass(10_000);
  expect(faults).toHaveLength(1);
});

test('flushing writes all outcomes at once, and reports whether they are on disk', async () => {
  let isBroken = false;
  const { groups, settler, add } = open(async () => {
    if (isBroken) throw new Error('the disk');
  });
  add(1, 2);
  expect(await settler.flush()).toBe(true);
  expect([groups, settler.pending()]).toEqual([[[1, 2]], 0]);
  expect(await settler.flush()).toBe(true);
  isBroken = true;
  add(3);
  expect(await settler.flush()).toBe(false);
  isBroken = false;
  expect(await settler.flush()).toBe(true);
  expect(groups).toEqual([[1, 2], [3], [3]]);
});
