// The free space on the disk, in how many days it is used up, and when a warning is due.

import { describe, expect, test } from 'vitest';

import { judgeDisk } from '../../../../../server/store/sqlite/files/disk.ts';
import { arrivalOf, makeKey, openTemporaryStore } from '../../../../support/temp-store.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-23T12:00:00Z');
const GB = 1e9;

describe('a disk is reported as nearly full:', () => {
  test.each<[string, { free: number; total: number; bytesPerDay: number | null }, boolean, number | null]>([
    ['with plenty of space', { free: 50 * GB, total: 100 * GB, bytesPerDay: 1e6 }, false, 50_000],
    ['with slightly more than 10 %', { free: 10.1 * GB, total: 100 * GB, bytesPerDay: null }, false, null],
    ['below 10 %', { free: 9.9 * GB, total: 100 * GB, bytesPerDay: null }, true, null],
    ['with more than 1 GB free on a small disk', { free: 1.1 * GB, total: 4 * GB, bytesPerDay: null }, false, null],
    ['below 1 GB', { free: 0.9 * GB, total: 4 * GB, bytesPerDay: null }, true, null],
    ['with 31 days left', { free: 31 * GB, total: 100 * GB, bytesPerDay: GB }, false, 31],
    ['with 30 days left', { free: 30 * GB, total: 100 * GB, bytesPerDay: GB }, true, 30],
    ['without free space', { free: 0, total: 100 * GB, bytesPerDay: GB }, true, 0],
  ])('%s', (_when, { free, total, bytesPerDay }, isLow, daysLeft) => {
    expect(judgeDisk(free, total, bytesPerDay, false)).toMatchObject({
      freeBytes: free,
      totalBytes: total,
      isLow,
      daysLeft,
    });
  });
});

test('a disk that was low stays low until it has a fifth more than the limit', async () => {
  let freeBytes = 0;
  const store = await openTemporaryStore({ readSpace: async () => ({ freeBytes, totalBytes: 100 * GB }) });
  const isLow = async (free: number) => {
    freeBytes = free * GB;
    return (await store.health.readMachine()).disk?.isLow;
  };
  expect([await isLow(10.1), await isLow(9.9), await isLow(10.1), await isLow(11.9)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect([await isLow(12.1), await isLow(10.1)]).toEqual([false, false]);
});

describe('how long the disk lasts', () => {
  test('is unknown before the first record, and follows from the records of the last week', async () => {
    const store = await openTemporaryStore({ now: () => NOW });
    expect((await store.health.readMachine()).disk).toMatchObject({ daysLeft: null });
    const key = await makeKey(store);
    const sell = (externalId: string, receivedAt: number) =>
      store.records.append(arrivalOf(key, { externalId, receivedAt, object: { text: 'x'.repeat(50_000) } }));
    for (let i = 0; i < 20; i++) await sell(`old-${i}`, NOW - 30 * DAY + i);
    expect((await store.health.readMachine()).disk).toMatchObject({ daysLeft: null });
    for (let i = 0; i < 70; i++) await sell(`new-${i}`, NOW - 6 * DAY + i);
    const disk = (await store.health.readMachine()).disk!;
    // There are 70 records of slightly more than 50 kB each in seven days.
    const bytesPerDay = disk.freeBytes / disk.daysLeft!;
    expect(bytesPerDay).toBeGreaterThan(500_000);
    expect(bytesPerDay).toBeLessThan(700_000);
  });
});
