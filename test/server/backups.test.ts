// The daily backup in virtual time: when it is due, what happens after a failure, and when old backups are deleted.

import { expect, onTestFinished, test } from 'vitest';

import { openBackups } from '../../server/backups.ts';
import type { BackupFile } from '../../server/store/backups/ledger.ts';
import { DAY, HOUR, MINUTE, startVirtualTime } from '../support/virtual-time.ts';

const FOLDER = '/mnt/backups';

function open({
  folder = FOLDER,
  keep = 3,
  isOnDataDisk = false,
}: { folder?: string | undefined; keep?: number; isOnDataDisk?: boolean } = {}) {
  const time = startVirtualTime();
  const site = {
    time,
    isQuiet: false,
    fault: undefined as Error | undefined,
    answer: Promise.resolve(),
    files: [] as BackupFile[],
    made: [] as number[],
    events: [] as string[],
    faults: 0,
    told: [] as boolean[],
    changes: 0,
  };
  const backups = openBackups({
    store: {
      backups: {
        async make(to) {
          await site.answer;
          if (site.fault !== undefined) throw site.fault;
          const file = { path: `${to}/${site.made.length}.db`, begunAt: time.now(), bytes: 1 };
          site.made.push(time.monotonic());
          site.files.unshift(file);
          site.events.push('make');
          return { ...file, isOnDataDisk };
        },
        async rotate(_folder, count) {
          site.events.push('rotate');
          site.files.splice(count);
        },
        list: async () => site.files,
      },
      glance: { isQuiet: async () => site.isQuiet },
    },
    clock: time,
    folder,
    keep,
    onChange: () => void (site.changes += 1),
    onMade: (_path, isSame) => void site.told.push(isSame),
    onFault: () => void (site.faults += 1),
  });
  onTestFinished(() => backups.close());
  return Object.assign(site, { backups });
}

test('the first backup is made soon after the start, the next ones daily at a quiet time', async () => {
  const site = open();
  await site.time.pass(10 * MINUTE);
  expect(site.made).toHaveLength(1);
  await site.time.pass(30 * HOUR);
  expect(site.made).toHaveLength(1);
  site.isQuiet = true;
  await site.time.pass(10 * MINUTE);
  expect(site.made).toHaveLength(2);
  await site.time.pass(10 * DAY);
  expect(site.made.length).toBeGreaterThanOrEqual(12);
  expect(site.made.length).toBeLessThanOrEqual(15);
});

test('a shop that never closes gets a backup every 36 hours', async () => {
  const site = open();
  await site.time.pass(10 * DAY);
  const gaps = site.made.slice(1).map((at, i) => at - (site.made[i] ?? 0));
  expect(site.made.length).toBeGreaterThan(5);
  for (const gap of gaps) expect(gap).toBeLessThanOrEqual(36 * HOUR + 10 * MINUTE);
});

test('old backups are deleted only after the new one is complete', async () => {
  const site = open({ keep: 2 });
  site.isQuiet = true;
  await site.time.pass(5 * DAY);
  expect(site.files).toHaveLength(2);
  expect(site.events.slice(0, 4)).toEqual(['make', 'rotate', 'make', 'rotate']);
  site.fault = new Error('no');
  await site.time.pass(5 * DAY);
  expect(site.files).toHaveLength(2);
});

test('a failure has its cause and its beginning, is repeated, and ends with a good backup', async () => {
  const site = open();
  site.fault = Object.assign(new Error('the disk became full'), { code: 'full' });
  await site.time.pass(3 * MINUTE);
  const since = site.backups.state()?.failure?.since;
  expect(site.backups.state()).toEqual({
    folder: FOLDER,
    isOnDataDisk: false,
    progress: null,
    failure: { fault: 'full', detail: 'the disk became full', since: expect.any(Number) },
  });
  await site.time.pass(HOUR);
  expect(site.faults).toBeGreaterThanOrEqual(4);
  expect(site.backups.state()?.failure?.since).toBe(since);
  site.fault = undefined;
  await site.time.pass(15 * MINUTE);
  expect(site.backups.state()?.failure).toBeNull();
  expect(site.made).toHaveLength(1);
});

test('an error without a known cause is shown as another error', async () => {
  const site = open();
  site.fault = Object.assign(new Error('strange'), { code: 'SQLITE_MISUSE' });
  await site.backups.backUpNow();
  expect(site.backups.state()?.failure?.fault).toBe('other');
});

test('a failed manual backup is repeated although the last good one is recent', async () => {
  const site = open();
  await site.time.pass(10 * MINUTE);
  site.fault = new Error('no');
  await site.backups.backUpNow();
  expect(site.faults).toBe(1); // the log file has the cause
  site.fault = undefined;
  await site.time.pass(15 * MINUTE);
  expect(site.made).toHaveLength(2);
  expect(site.backups.state()?.failure).toBeNull();
});

test('a folder that does not answer for an hour is a failure, until the backup is complete after all', async () => {
  const site = open();
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  site.answer = promise;
  const isOver = site.backups.backUpNow();
  await site.time.pass(59 * MINUTE);
  expect(site.backups.state()).toMatchObject({ progress: { step: 'copy' }, failure: null });
  await site.time.pass(2 * MINUTE);
  expect(site.backups.state()).toMatchObject({ progress: null, failure: { fault: 'unreachable' } });
  answer();
  await isOver;
  expect(site.backups.state()).toMatchObject({ progress: null, failure: null });
  await site.time.pass(2 * HOUR);
  expect(site.backups.state()?.failure).toBeNull();
});

test('two requests at once make one backup', async () => {
  const site = open();
  await Promise.all([site.backups.backUpNow(), site.backups.backUpNow()]);
  expect(site.made).toHaveLength(1);
});

test('a backup is due if the last one seems to be in the future', async () => {
  const site = open();
  site.files.push({ path: 'x', begunAt: site.time.now() + 400 * DAY, bytes: 1 });
  await site.time.pass(10 * MINUTE);
  expect(site.made).toHaveLength(1);
});

test.each([true, false])(
  'the caller learns whether the backup is on the disk of the data: %s',
  async (isOnDataDisk) => {
    const site = open({ isOnDataDisk });
    await site.time.pass(10 * MINUTE);
    expect(site.told).toEqual([isOnDataDisk]);
  },
);
