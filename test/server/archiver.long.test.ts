// The archiver on a real store: which days it archives, and when. The upstream, the check and the signature are real.

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { openArchiver } from '../../server/archiver.ts';
import type { Clock } from '../../server/lib/clock.ts';
import { openStore } from '../../server/store/open-store.ts';
import { archiveFacts } from '../../server/todo/facts.ts';
import { MAX_PACK_RECORDS } from '../support/archived.ts';
import { openReconciling, openUpstream, type Reconciling, salesOf, signAsItIs } from '../support/reconciling.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { arrivalOf, makeKey, temporaryFolder } from '../support/temp-store.ts';
import { waitUntil } from '../support/wait-until.ts';

const DAY_MS = 86_400_000;

/** Runs the archiver step by step. `now` is the time of the wall clock. */
function openSteps(site: Reconciling, months: number | undefined, folder?: string) {
  let next: (() => void) | undefined;
  let monotonic = 0;
  let now = Date.now();
  const clock: Clock = {
    now: () => now,
    monotonic: () => monotonic,
    after(_ms, work) {
      next = work;
      return () => (next = undefined);
    },
  };
  const faults: unknown[] = [];
  let changes = 0;
  const archiver = openArchiver({
    store: site.store,
    days: site.days,
    clock,
    months,
    folder,
    onChange: () => void (changes += 1),
    onFault: (error) => void faults.push(error),
  });
  onTestFinished(() => archiver.close());
  return {
    faults,
    changes: () => changes,
    setNow: (at: number) => void (now = at),
    /** Runs steps until the archiver waits for its next look. */
    async settle(stepMs = DAY_MS): Promise<void> {
      for (let n = 0; n < 40; n++) {
        monotonic += stepMs;
        const work = next;
        next = undefined;
        work?.();
        await waitUntil(() => next !== undefined);
      }
    },
  };
}

async function sellSignedDay(site: Reconciling, day: string, prefix: string, isSigned = true): Promise<void> {
  await site.sell(salesOf(3, `${day}T09:00:00Z`, 60, prefix));
  site.clock.skip(5 * 3_600_000);
  await site.check(day);
  if (isSigned) expect(await signAsItIs(site.days, site.journalId, day)).toBe('done');
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

test('only signed days of months that are old enough are archived, and their verdict and sums stay', async () => {
  const upstream = await openUpstream();
  const site = await openReconciling({ url: upstream.url });
  const [old, unsigned, young] = [daysAgo(20), daysAgo(19), daysAgo(1)];
  await sellSignedDay(site, old, 'O');
  await sellSignedDay(site, unsigned, 'U', false);
  await sellSignedDay(site, young, 'Y');
  const before = await site.day(old);
  expect(before.day).toMatchObject({ verdict: 'complete', isProvisional: false, signOff: { isReopened: false } });

  const steps = openSteps(site, 1);
  await steps.settle();
  expect(await site.store.archive.readSummary()).toMatchObject({ months: 1, files: 0, failure: null }); // no month is over yet

  const nextMonths = new Date();
  nextMonths.setUTCMonth(nextMonths.getUTCMonth() + 2, 3);
  const isSameMonth = old.slice(0, 7) === young.slice(0, 7);
  steps.setNow(nextMonths.getTime());
  await steps.settle();
  expect(steps.faults).toEqual([]);
  expect(await site.store.archive.readSummary()).toMatchObject({
    files: isSameMonth ? 1 : 2,
    records: 6,
    fault: null,
    failure: null,
  });
  expect([...(await site.store.archive.listDays(site.journalId)).keys()].toSorted()).toEqual([old, young].toSorted());
  expect(await site.day(old)).toEqual(before);
  await steps.settle();
  expect(await site.store.archive.readSummary()).toMatchObject({ records: 6 });
});

test('without the setting, nothing is archived', async () => {
  const site = await openReconciling({ url: (await openUpstream()).url });
  await sellSignedDay(site, daysAgo(20), 'O');
  const steps = openSteps(site, undefined);
  steps.setNow(Date.now() + 400 * DAY_MS);
  await steps.settle();
  expect(await site.store.archive.readSummary()).toMatchObject({ months: null, files: 0, records: 0 });
});

test('a failure to pack is logged and tried again later, and does not stop the archive', async () => {
  const site = await openReconciling({ url: (await openUpstream()).url });
  const key = await makeKey(site.store, 'Old till');
  for (let n = 0; n < MAX_PACK_RECORDS; n++)
    await site.store.records.append(arrivalOf(key, { externalId: `OLD-${n}` }));
  await sellSignedDay(site, daysAgo(20), 'O');
  const { archive } = site.store;
  const failure = new Error('the disk has failed');
  const packed: boolean[] = [];
  async function packSlice(): Promise<boolean> {
    if (steps.faults.length === 0) throw failure;
    const hasMore = await archive.packSlice();
    packed.push(hasMore);
    return hasMore;
  }
  const steps = openSteps({ ...site, store: { ...site.store, archive: { ...archive, packSlice } } }, 2);
  steps.setNow(Date.now() + 400 * DAY_MS);
  await steps.settle();
  expect(steps.faults).toEqual([failure]);
  expect(packed.slice(0, 2)).toEqual([true, false]);
  expect(await archive.readSummary()).toMatchObject({ failure: null, files: 1, records: 3 });
});

test('bodies are packed also while an archive file cannot be moved or deleted', async () => {
  const site = await openReconciling({ url: (await openUpstream()).url });
  const key = await makeKey(site.store, 'Old till');
  for (let n = 0; n < 500; n++) await site.store.records.append(arrivalOf(key, { externalId: `OLD-${n}` }));
  const failure = new Error('the share is read-only');
  let packs = 0;
  const archive = {
    ...site.store.archive,
    moveSlice: () => Promise.reject(failure),
    async packSlice() {
      const hasMore = await site.store.archive.packSlice();
      if (hasMore) packs += 1;
      return hasMore;
    },
  };
  const steps = openSteps({ ...site, store: { ...site.store, archive } }, undefined);
  await steps.settle(1000);
  expect(packs).toBe(2);
  expect(new Set(steps.faults)).toEqual(new Set([failure]));
  expect(await site.store.archive.readSummary()).toMatchObject({ failure: { detail: failure.message } });
});

test('days are archived also while there is always something to pack', async () => {
  const site = await openReconciling({ url: (await openUpstream()).url });
  await sellSignedDay(site, daysAgo(20), 'O');
  const archive = { ...site.store.archive, packSlice: () => Promise.resolve(true) };
  const steps = openSteps({ ...site, store: { ...site.store, archive } }, 1);
  steps.setNow(Date.now() + 70 * DAY_MS);
  await steps.settle();
  expect(await archive.readSummary()).toMatchObject({ files: 1, records: 3 });
});

test('a command finds the settings as soon as the gateway has started', async () => {
  const site = await openReconciling({ url: (await openUpstream()).url });
  openSteps(site, 24); // runs no step
  await expect.poll(() => site.store.archive.readSummary()).toMatchObject({ months: 24 });
});

test('a late sale makes an archived day due again, only after the next signature', async () => {
  const site = await openReconciling({ url: (await openUpstream()).url });
  const day = daysAgo(20);
  await sellSignedDay(site, day, 'O');
  const steps = openSteps(site, 1);
  steps.setNow(Date.now() + 70 * DAY_MS);
  await steps.settle();
  expect(await site.store.archive.readSummary()).toMatchObject({ records: 3 });

  await site.sell({ late: `${day}T12:00:00Z` });
  expect((await site.day(day)).day.signOff).toMatchObject({ isReopened: true });
  await steps.settle();
  expect(await site.store.archive.readSummary()).toMatchObject({ records: 3 });

  site.clock.skip(5 * 3_600_000);
  await site.check(day);
  expect((await site.day(day)).day).toMatchObject({ verdict: 'complete', here: 4 });
  await signAsItIs(site.days, site.journalId, day);
  await steps.settle();
  expect(await site.store.archive.readSummary()).toMatchObject({ records: 4, files: 2 });
});

test('while the disk has too little free space, the to-do list says so, and a requested run tries again', async ({
  skip,
}) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip('not run: mounting a small disk needs root on Linux');
  const filler = join(disk, 'filler');
  writeFileSync(filler, Buffer.alloc(11 * 1024 * 1024));
  const dataDir = temporaryFolder();
  const site = await openReconciling({ url: (await openUpstream()).url }, { dataDir });
  const { archive } = site.store;
  await sellSignedDay(site, daysAgo(20), 'O');
  const steps = openSteps(site, 1, disk);
  steps.setNow(Date.now() + 70 * DAY_MS);
  await steps.settle();
  const summary = await archive.readSummary();
  expect(summary).toMatchObject({ files: 0, endedAt: null, failure: { fault: 'full' } });
  expect(summary.failure?.detail).toContain(`The disk of ${disk} has too little free space to archive: `);
  expect(archiveFacts(summary)).toMatchObject([{ fact: { kind: 'archive_failed', fault: 'full' } }]);
  expect(readdirSync(disk)).toEqual(['filler']);

  rmSync(filler);
  const command = await openStore({ dataDir, role: 'command' });
  await command.archive.requestRun();
  await command.close();
  await expect.poll(async () => archive.readSummary()).toMatchObject({ files: 1, failure: null });
  await steps.settle();
  expect(await archive.readSummary()).toMatchObject({ days: 1, records: 3, endedAt: expect.any(Number) });
});
