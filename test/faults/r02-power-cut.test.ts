// A power cut loses no acknowledged sale, not even after a failed sync. The test records everything that a shop writes. The
// real store then opens each state that the disk may have after a power cut.

import { dirname, join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';

import { cutPower, readRecord } from '../support/disk/power-cut.ts';
import { HAS_RECORDER, openJudge, openRecordedShop, type RecordedShop } from '../support/disk/recorded-shop.ts';
import { ARCHIVED, PACKED, PACKING } from '../support/disk/shop-plan.ts';
import { openRandom } from '../support/till/random.ts';
import { countOf, repeatOf, report, SEED } from './tier.ts';

const TOTAL = countOf({ commit: 350, nightly: 200_000 });
const NOT_RUN = 'needs Linux and a C compiler';
const WAL = 'counterfoil.db-wal';
/** The number of a sync of the log that stores one of the first sales. */
const EARLY_SALE_SYNC = 8;
/** Enough sales for several packs, and for several blocks of an archive file. */
const ARCHIVED_SALES = 60;
/** A mix of two commits that the start took for damage came after one of ten cuts. */
const CUTS_PER_SYNC = 100;
const PLAN = { from: 0, to: 60, checkpointEvery: 20, onRefusal: 'repeat' } as const;

/** Reads the current data in a transaction that stays open until the test ends. */
function keepReading(dataDir: string): void {
  const db = new Database(join(dataDir, 'counterfoil.db'), { readonly: true });
  onTestFinished(() => void db.close());
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM records').get();
}

const CASES: readonly [name: string, run: (shop: RecordedShop) => Promise<unknown>, failedSyncs?: number][] = [
  ['during sales', (shop) => shop.run(PLAN)],
  ['after a failed sync of the log', (shop) => shop.run(PLAN, `sync ${WAL} 40 once`), 1],
  [
    'after a failed sync of the log beside a reader',
    (shop) => shop.run({ ...PLAN, readFrom: 10 }, `sync ${WAL} 40 once`),
    1,
  ],
  ['after a failed sync of the database', (shop) => shop.run(PLAN, 'sync counterfoil.db 6 once'), 1],
  [
    'after a failed sync of the log, a crash and a restart',
    async (shop) => {
      await shop.run({ ...PLAN, onRefusal: 'die' }, `sync ${WAL} 40 once`);
      await shop.run({ ...PLAN, from: 60, to: 100 });
    },
    1,
  ],
  [
    'after a failed sync of the log, a crash and a restart beside a reader',
    async (shop) => {
      await shop.run({ ...PLAN, onRefusal: 'die' }, `sync ${WAL} 40 once`);
      keepReading(shop.dataDir);
      await shop.run({ ...PLAN, from: 60, to: 100 });
    },
    1,
  ],
  [
    'during the start after a failed sync and a crash',
    async (shop) => {
      await shop.run({ ...PLAN, to: 30, onRefusal: 'die' }, `sync ${WAL} ${EARLY_SALE_SYNC} once`);
      const from = readRecord(shop.record).length;
      await shop.run({ ...PLAN, from: 30, to: 30 });
      return from;
    },
    1,
  ],
  [
    'during packing and archiving',
    async (shop) => {
      await shop.run({ ...PLAN, to: ARCHIVED_SALES, archives: true });
      const entries = readRecord(shop.record);
      const placeOf = (line: string): number => entries.findIndex(({ bytes }) => bytes.toString() === `${line}\n`);
      expect([PACKED, ARCHIVED].map(placeOf)).not.toContain(-1);
      return placeOf(PACKING);
    },
  ],
];
const CUTS = Math.ceil(TOTAL / CASES.length);

test.for(CASES)('a power cut loses no acknowledged sale: %s', async ([, run, failedSyncs = 0], context) => {
  if (!HAS_RECORDER) return context.skip(NOT_RUN);
  const shop = openRecordedShop();
  const start = await run(shop);
  const entries = readRecord(shop.record);
  expect(start).not.toBe(-1);
  const from = typeof start === 'number' ? start : entries.findIndex(({ path }) => path === shop.acknowledged);
  expect(entries.filter(({ operation }) => operation === 'syncfails')).toHaveLength(failedSyncs);
  const faults: string[] = [];
  const judge = openJudge();
  let cuts = 0;
  for (const cut of cutPower(entries, shop.acknowledged, { count: CUTS, from, random: openRandom(SEED) })) {
    cuts += 1;
    const fault = await judge.findFault(cut);
    if (fault !== undefined) faults.push(`cut ${cuts}: ${fault}`);
  }
  expect(cuts).toBe(CUTS);
  expect(faults, repeatOf('R2', TOTAL)).toEqual([]);
  report(context, `${cuts} cuts, ${judge.states} states`);
});

test('a power cut during the first commit after a recovery beside a reader raises no alarm and stops no start', async ({
  skip,
}) => {
  if (!HAS_RECORDER) return skip(NOT_RUN);
  const shop = openRecordedShop();
  await shop.run({ ...PLAN, readFrom: 10 }, `sync ${WAL} 40 once`);
  const entries = readRecord(shop.record);
  const failed = entries.findIndex(({ operation }) => operation === 'syncfails');
  const nextSale = entries.findIndex(
    ({ path, bytes }, at) => at > failed && path === shop.acknowledged && bytes.toString().startsWith('T-'),
  );
  expect(failed).toBeGreaterThan(0);
  expect(nextSale).toBeGreaterThan(failed);
  const judge = openJudge();
  const faults: string[] = [];
  for (const [at, { operation }] of entries.slice(0, nextSale).entries()) {
    if (at < failed || operation !== 'sync') continue;
    const cuts = { count: CUTS_PER_SYNC, from: at, random: openRandom(SEED) };
    for (const cut of cutPower(entries.slice(0, at + 1), shop.acknowledged, cuts)) {
      const fault = await judge.findFault(cut);
      if (fault !== undefined) faults.push(fault);
    }
  }
  expect(judge.states).toBeGreaterThan(CUTS_PER_SYNC);
  expect(faults).toEqual([]);
});

test('a new data directory is synced into its parent before the first sale is acknowledged', async ({ skip }) => {
  if (!HAS_RECORDER) return skip(NOT_RUN);
  const shop = openRecordedShop();
  await shop.run({ ...PLAN, to: 2 });
  const steps = readRecord(shop.record).map(({ operation, path }) => `${operation} ${path}`);
  const made = steps.indexOf(`mkdir ${shop.dataDir}`);
  const synced = steps.indexOf(`sync ${dirname(shop.dataDir)}`);
  expect(made).toBeGreaterThanOrEqual(0);
  expect(synced).toBeGreaterThan(made);
  expect(synced).toBeLessThan(steps.indexOf(`write ${shop.acknowledged}`));
});
