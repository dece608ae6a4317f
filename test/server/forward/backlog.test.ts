// The part of a lane's outbox that is in memory. The lane reads it from the store in batches. The lane gets no record twice,
// and no record is forgotten.

import { expect, test } from 'vitest';

import { type Backlog, openBacklog } from '../../../server/forward/backlog.ts';
import type { WaitingPage, WaitingRecord } from '../../../server/store/outbox/ledger.ts';

const record = (recordId: number): WaitingRecord => ({
  recordId,
  status: 'NEW',
  soldAt: 0,
  earlier: undefined,
  body: Buffer.from('{}'),
});

/** Opens a backlog over a fake store where the records `waiting` wait. Each read returns `size` records. */
function openWaiting(waiting: Set<number>, size = 4, isBarred: (recordId: number) => boolean = () => false) {
  const reads: number[] = [];
  const early = new Set<number>();
  const backlog = openBacklog(
    async (after): Promise<WaitingPage> => {
      reads.push(after);
      const rest = [...waiting].filter((id) => id > after).toSorted((a, b) => a - b);
      const page = rest.slice(0, size);
      return {
        records: page.filter((id) => !early.has(id)).map(record),
        last: page.at(-1) ?? after,
        hasMore: rest.length > size,
        hasPassedOver: page.some((id) => early.has(id)),
      };
    },
    ({ recordId }) => isBarred(recordId),
  );
  return { backlog, reads, early };
}

const takeAll = async (backlog: Backlog, now = 0): Promise<number[]> => {
  const taken: number[] = [];
  for (;;) {
    while (await backlog.refill(now));
    const next = backlog.take(now, true);
    if (next === undefined) return taken;
    taken.push(next.record.recordId);
  }
};
const range = (count: number): Set<number> => new Set(Array.from({ length: count }, (_, i) => i + 1));

test('every record is handed out once, in order', async () => {
  const { backlog } = openWaiting(range(50));
  expect(await takeAll(backlog)).toEqual([...range(50)]);
  expect(backlog.hasFresh()).toBe(false);
  expect(await backlog.refill(0)).toBe(false);
});

test('records in flight are not sent again after a reread from the start', async () => {
  const { backlog } = openWaiting(range(10));
  await takeAll(backlog);
  backlog.expectAnywhere();
  expect(await takeAll(backlog)).toEqual([]);
});

test('a settled record that waits again is sent again', async () => {
  const waiting = range(10);
  const { backlog } = openWaiting(waiting);
  await takeAll(backlog);
  for (const id of waiting) backlog.forget(id);
  waiting.clear();
  waiting.add(3);
  backlog.expectAnywhere();
  expect(await takeAll(backlog)).toEqual([3]);
});

test('a record that is settled while its page is read is not sent again', async () => {
  let answer = (_page: WaitingPage): void => {};
  const backlog = openBacklog(() => new Promise((resolve) => (answer = resolve)));
  const page = (...ids: number[]): WaitingPage => ({
    records: ids.map(record),
    last: ids.at(-1) ?? 0,
    hasMore: false,
    hasPassedOver: false,
  });
  const first = backlog.refill(0);
  answer(page(1, 2));
  await first;
  backlog.take(0, true);
  backlog.expectAnywhere();
  const second = backlog.refill(0);
  backlog.forget(1);
  answer(page(1, 2, 3));
  await second;
  expect(backlog.take(0, true)?.record.recordId).toBe(2);
  expect(backlog.take(0, true)?.record.recordId).toBe(3);
  expect(backlog.take(0, true)).toBeUndefined();
});

test('a record that is put back is sent next', async () => {
  const { backlog } = openWaiting(range(3));
  await backlog.refill(0);
  const first = backlog.take(0, true)?.record ?? record(0);
  backlog.putBack(first);
  expect(await takeAll(backlog)).toEqual([1, 2, 3]);
});

test('a record that stepped back is sent when it is due, before others, if a retry is allowed', async () => {
  const { backlog } = openWaiting(range(3));
  await backlog.refill(0);
  const first = backlog.take(0, true)?.record ?? record(0);
  backlog.stepBack(first, 100);
  expect([backlog.steppedBack(), backlog.nextDueAt()]).toEqual([1, 100]);
  expect(backlog.take(99, true)).toMatchObject({ record: { recordId: 2 }, isRetry: false });
  expect(backlog.take(100, false)).toMatchObject({ record: { recordId: 3 }, isRetry: false });
  expect(backlog.take(100, true)).toMatchObject({ record: { recordId: 1 }, isRetry: true });
  expect([backlog.steppedBack(), backlog.nextDueAt()]).toEqual([0, Infinity]);
});

test('recalled records are due at once', async () => {
  const { backlog } = openWaiting(range(2));
  await backlog.refill(0);
  for (const id of [1, 2]) backlog.stepBack(backlog.take(0, true)?.record ?? record(id), 1000 * id);
  backlog.recall();
  expect(await takeAll(backlog, -1)).toEqual([1, 2]);
});

test('a probe is a record that failed least often: the oldest, then the newest', async () => {
  const { backlog } = openWaiting(range(4));
  await backlog.refill(0);
  const failures = new Map([[1, 1]]);
  const failuresOf = (id: number): number => failures.get(id) ?? 0;
  expect(backlog.takeProbe(failuresOf)?.recordId).toBe(2);
  expect(backlog.takeProbe(failuresOf)?.recordId).toBe(4);
  expect(backlog.takeProbe(failuresOf)?.recordId).toBe(3);
  expect(backlog.takeProbe(failuresOf)?.recordId).toBe(1);
  expect(backlog.takeProbe(failuresOf)).toBeUndefined();
});

test('a record that has stepped back is no probe while another one was not tried yet', async () => {
  const { backlog } = openWaiting(range(4));
  await backlog.refill(0);
  for (let i = 0; i < 2; i++) {
    const tried = backlog.take(0, true);
    if (tried !== undefined) backlog.stepBack(tried.record, 1000);
  }
  const probes = Array.from({ length: 4 }, () => backlog.takeProbe(() => 0)?.recordId);
  expect(new Set(probes.slice(0, 2))).toEqual(new Set([3, 4]));
  expect(new Set(probes.slice(2))).toEqual(new Set([1, 2]));
});

test('a record that was passed over is sent after the one before it', async () => {
  const waiting = range(4);
  const { backlog, early } = openWaiting(waiting);
  early.add(2);
  expect(await takeAll(backlog)).toEqual([1, 3, 4]);
  expect(await takeAll(backlog)).toEqual([]);
  early.delete(2);
  for (const id of [1, 3, 4]) {
    waiting.delete(id);
    backlog.forget(id);
  }
  expect(await takeAll(backlog)).toEqual([2]);
});

test('records that are added while the last page is read are not missed', async () => {
  const waiting = range(3);
  let isAdded = false;
  const backlog = openBacklog(async (after) => {
    const records = [...waiting].filter((id) => id > after).map(record);
    if (!isAdded) {
      isAdded = true;
      waiting.add(4);
      backlog.expectNew();
    }
    return { records, last: records.at(-1)?.recordId ?? after, hasMore: false, hasPassedOver: false };
  });
  expect(await takeAll(backlog)).toEqual([1, 2, 3, 4]);
});

test('a wanted read from the start gets its turn although a page was read meanwhile', async () => {
  const { backlog, reads } = openWaiting(range(2));
  await takeAll(backlog); // at 0, so that the next read from the start is due at 1000
  backlog.expectAnywhere();
  while (await backlog.refill(0));
  backlog.expectAnywhere();
  const reading = backlog.refill(10);
  expect(backlog.nextDueAt()).toBe(Infinity);
  expect(await reading).toBe(true);
  const readsBefore = reads.length;
  expect(backlog.nextDueAt()).toBe(1000);
  expect(await backlog.refill(10)).toBe(false);
  expect(reads).toHaveLength(readsBefore);
});

test('a page that cannot be read is read again', async () => {
  let isBroken = true;
  const backlog = openBacklog(async () => {
    if (isBroken) throw new Error('the disk');
    return { records: [record(1)], last: 1, hasMore: false, hasPassedOver: false };
  });
  await expect(backlog.refill(0)).rejects.toThrow('the disk');
  isBroken = false;
  expect(await takeAll(backlog)).toEqual([1]);
});

test('few records are in memory, however many wait', async () => {
  const { backlog, reads } = openWaiting(range(100_000), 256);
  for (let i = 0; i < 100; i++) await backlog.refill(0);
  expect(reads).toEqual([0]);
});

test('of very many records that stepped back few stay in memory; the others are read again when they are due', async () => {
  const all = Array.from({ length: 3000 }, (_, i) => record(i + 1));
  const backlog = openBacklog((after) => {
    const records = all.filter(({ recordId }) => recordId > after).slice(0, 256);
    const last = records.at(-1)?.recordId ?? after;
    return Promise.resolve({ records, last, hasMore: last < all.length, hasPassedOver: false });
  });
  for (let next = backlog.take(1, false); backlog.steppedBack() < 3000; next = backlog.take(1, false)) {
    if (next === undefined) await backlog.refill(1);
    else backlog.stepBack(next.record, 1000 + next.record.recordId);
  }
  expect(await takeAll(backlog, 1)).toEqual([]);
  expect(backlog.nextDueAt()).toBe(1001);
  const again = await takeAll(backlog, 4000);
  expect(again).toHaveLength(1024);
  again.push(...(await takeAll(backlog, 5000)), ...(await takeAll(backlog, 6000)));
  expect(new Set(again).size).toBe(3000);
});

test('large records that stepped back or were put back leave memory sooner, and are read again', async () => {
  const large = { ...record(0), body: Buffer.alloc(1024 * 1024) };
  const waiting = Array.from({ length: 100 }, (_, i) => ({ ...large, recordId: i + 1 }));
  let inMemory = 0;
  const backlog = openBacklog((after) => {
    const records = waiting.filter(({ recordId }) => recordId > after).slice(0, 4);
    return Promise.resolve({ records, last: after + records.length, hasMore: after + 4 < 100, hasPassedOver: false });
  });
  const taken: WaitingRecord[] = [];
  for (let next = backlog.take(0, false); taken.length < 100; next = backlog.take(0, false)) {
    if (next === undefined) await backlog.refill(0);
    else taken.push(next.record);
  }
  for (const each of taken.slice(0, 50)) backlog.stepBack(each, 1000);
  for (const each of taken.slice(50)) backlog.putBack(each);
  while (backlog.take(0, false) !== undefined) inMemory += 1;
  expect(backlog.steppedBack()).toBe(50);
  expect(inMemory).toBe(32);
  const again = new Set<number>();
  while (await backlog.refill(1000)) {
    for (let next = backlog.take(1000, true); next !== undefined; next = backlog.take(1000, true)) {
      again.add(next.record.recordId);
    }
  }
  expect(again.size).toBe(100 - inMemory);
});

test('a record found in the store is handed out once', async () => {
  const { backlog } = openWaiting(range(10));
  await backlog.refill(0);
  const takeFound = (id: number) => backlog.takeFound(() => Promise.resolve(record(id)));
  expect(await takeFound(2)).toMatchObject({ recordId: 2 });
  expect(await takeFound(2)).toBeUndefined();
  expect(await takeFound(10)).toMatchObject({ recordId: 10 });
  expect(await takeAll(backlog)).toEqual([1, 3, 4, 5, 6, 7, 8, 9]);
});

test('a record that is settled while it is looked up is not handed out', async () => {
  const { backlog } = openWaiting(range(1));
  await takeAll(backlog);
  const found = await backlog.takeFound(() => {
    backlog.forget(1);
    return Promise.resolve(record(1));
  });
  expect(found).toBeUndefined();
});

test('a record that was passed over is sent when its original is settled during the read', async () => {
  let isEarly = true;
  const backlog = openBacklog((after) => {
    const page = { records: isEarly || after >= 2 ? [] : [record(2)], last: 2, hasMore: false, hasPassedOver: isEarly };
    if (isEarly) backlog.forget(1);
    isEarly = false;
    return Promise.resolve(page);
  });
  await backlog.refill(0);
  expect(backlog.nextDueAt()).toBeLessThanOrEqual(1000);
  await backlog.refill(1000);
  expect(backlog.take(1000, false)).toMatchObject({ record: { recordId: 2 } });
});

test('a record that does not fit into memory is not sent before it is due, however often all records are read', async () => {
  const { backlog } = openWaiting(range(3000), 256);
  let sent = 0;
  for (let now = 0; now < 60_000; now += 100) {
    backlog.expectAnywhere();
    while (await backlog.refill(now)) {
      for (let next = backlog.take(now, true); next !== undefined; next = backlog.take(now, true)) {
        sent += 1;
        backlog.stepBack(next.record, now + 300_000);
      }
    }
  }
  expect(sent).toBe(3000);
  expect(backlog.steppedBack()).toBe(3000);
});

test('small records that stepped back make room for large ones', async () => {
  const { backlog } = openWaiting(new Set());
  for (let id = 1; id <= 1000; id++) backlog.stepBack(record(id), 1_000_000);
  for (let id = 2001; id <= 2100; id++) backlog.stepBack({ ...record(id), body: Buffer.alloc(1024 * 1024) }, id);
  let bytes = 0;
  for (let next = backlog.take(2e6, true); next !== undefined; next = backlog.take(2e6, true)) {
    bytes += next.record.body?.length ?? 0;
  }
  expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
});

test('barred records stay on disk, also those already in memory, and are sent later', async () => {
  const barred = new Set<number>();
  const { backlog } = openWaiting(range(10), 4, (recordId) => barred.has(recordId));
  await backlog.refill(0);
  for (const recordId of [2, 3, 9]) barred.add(recordId);
  backlog.leaveBarred();
  expect(await takeAll(backlog)).toEqual([1, 4, 5, 6, 7, 8, 10]);
  barred.clear();
  backlog.expectAnywhere();
  expect(await takeAll(backlog, 1000)).toEqual([2, 3, 9]);
});

test('a record that was left is read again only from the start', async () => {
  const { backlog } = openWaiting(range(2));
  const [first] = [(await backlog.refill(0), backlog.take(0, true)?.record)];
  if (first !== undefined) backlog.leave(first);
  expect([backlog.isKnown(1), backlog.isKnown(2)]).toEqual([false, true]);
  expect(await takeAll(backlog)).toEqual([2]);
  backlog.expectAnywhere();
  expect(await takeAll(backlog, 1000)).toEqual([1]);
});
