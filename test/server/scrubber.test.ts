// The weekly scrub in virtual time, on a real store. It reports damage, and withdraws the report after a repair.

import { readFileSync, writeFileSync } from 'node:fs';

import { expect, onTestFinished, test } from 'vitest';

import { openScrubber } from '../../server/scrubber.ts';
import { checkpointTruncate, databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';
import { flipRecord } from '../support/damage.ts';
import { overwrite } from '../support/killed-gateway.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../support/temp-store.ts';
import { HOUR, MINUTE, startVirtualTime } from '../support/virtual-time.ts';

const DAY = 24 * HOUR;
const RECORDS = 1200;

async function openShop(bytes = 10) {
  const dataDir = temporaryFolder();
  const time = startVirtualTime();
  const store = await openTemporaryStore({ dataDir, now: time.now });
  const key = await makeKey(store);
  const object = { text: 'x'.repeat(bytes) };
  await Promise.all(
    Array.from({ length: RECORDS }, (_, i) =>
      store.records.append({ ...arrivalOf(key, { externalId: `${i}`, object }), receivedAt: time.now() - DAY }),
    ),
  );
  const slices: number[] = [];
  let damages = 0;
  const open = () => {
    const scrubber = openScrubber({
      store: {
        health: {
          readScrub: () => time.track(store.health.readScrub()),
          scrubSlice: () => (slices.push(time.monotonic()), time.track(store.health.scrubSlice())),
        },
        glance: { isQuiet: () => time.track(store.glance.isQuiet()) },
      },
      clock: time,
      onDamage: () => void (damages += 1),
      onFault(error) {
        throw error;
      },
    });
    onTestFinished(() => scrubber.close());
    return scrubber;
  };
  return { dataDir, store, time, slices, open, damages: () => damages };
}

test('damaged records are found and reported, and cleared once they are repaired', async () => {
  const { dataDir, store, time, open, damages } = await openShop();
  flipRecord(dataDir, 700);
  flipRecord(dataDir, RECORDS);
  open();
  await time.pass(HOUR);
  expect(damages()).toBeGreaterThan(0);
  expect((await store.health.readMachine()).damaged).toMatchObject({ count: 2, recordIds: [700, RECORDS] });
  flipRecord(dataDir, 700);
  await time.pass(8 * DAY);
  expect((await store.health.readMachine()).damaged).toMatchObject({ count: 1, recordIds: [RECORDS] });
});

test('the scrub runs once a week, in slices, and resumes after a restart', async () => {
  const { store, time, slices, open } = await openShop();
  const first = open();
  await time.passUntil(() => slices.length === 2, HOUR);
  first.close();
  await time.pass(1000);
  expect(await store.health.readScrub()).toMatchObject({ endedAt: null, afterId: 1000 });
  open();
  await time.pass(HOUR);
  expect(await store.health.readScrub()).toMatchObject({ endedAt: expect.any(Number) as number, afterId: RECORDS });
  expect(slices).toHaveLength(3);
  await time.pass(6 * DAY);
  expect(slices).toHaveLength(3);
  await time.pass(DAY);
  expect(slices).toHaveLength(6);
  await time.pass(28 * DAY);
  expect(slices).toHaveLength(18);
});

test('large records are read a few at a time', async () => {
  const { time, slices, open } = await openShop(20_000);
  open();
  await time.pass(HOUR);
  expect(slices.length).toBeGreaterThan(10);
});

test('an unreadable page is reported, and the pages behind it are read', async () => {
  const { dataDir, store, time, open } = await openShop(1000);
  const db = openDatabase(databasePath(dataDir), 'write');
  const page = db
    .prepare<[], number>("SELECT pageno FROM dbstat WHERE name = 'records' AND pagetype = 'leaf' LIMIT 1 OFFSET 100")
    .pluck()
    .get();
  checkpointTruncate(db);
  db.close();
  overwrite(databasePath(dataDir), ((page ?? 0) - 1) * 4096, 4096, 0);
  flipRecord(dataDir, RECORDS);
  open();
  await time.pass(HOUR);
  const { damaged } = await store.health.readMachine();
  expect(damaged?.recordIds).toContain(RECORDS);
  expect(damaged?.count).toBeGreaterThan(1);
  expect(await store.health.readScrub()).toMatchObject({ endedAt: expect.any(Number) as number, afterId: RECORDS });
});

test.each(['originals', 'sales'])(
  'a damaged index is found and reported, and rebuilt by the next start: %s',
  async (name) => {
    const { dataDir, store, time, open, damages } = await openShop();
    const key = await makeKey(store, 'Till 2');
    await store.records.append({ ...arrivalOf(key, { externalId: 'ID-CCCC' }), receivedAt: time.now() - DAY });
    await store.records.countStatuses(); // derives all rows now, because a later fold would write the damaged page again
    const db = openDatabase(databasePath(dataDir), 'write');
    checkpointTruncate(db);
    const find = db.prepare<[string], number>("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'").pluck();
    const pages = find.all(name);
    db.close();
    const file = databasePath(dataDir);
    const bytes = readFileSync(file);
    if (name === 'originals') {
      const at = pages
        .map((page) => bytes.indexOf('ID-CCCC', (page - 1) * 4096))
        .find((found) => pages.includes(Math.floor(found / 4096) + 1));
      bytes.write('ID-CCCD', at!);
    } else {
      bytes.fill(0, (pages[0]! - 1) * 4096 + 3000, (pages[0]! - 1) * 4096 + 3100);
    }
    writeFileSync(file, bytes);
    open();
    await time.pass(HOUR);
    expect(damages()).toBeGreaterThan(0);
    expect((await store.health.readMachine()).indexFault).toMatchObject({
      detail: expect.stringMatching(/index|originals|sales/),
    });
    await store.close();

    const again = await openTemporaryStore({ dataDir, now: time.now });
    expect((await again.health.readMachine()).indexFault).toBeNull();
    expect(await again.health.check()).toMatchObject({ structure: [], saleFaults: [] });
    expect(
      await again.records.append({ ...arrivalOf(key, { externalId: 'ID-CCCC' }), receivedAt: time.now() }),
    ).toMatchObject({
      status: 'IGNORED',
    });
  },
);

test('while tills send, slices are seconds apart', async () => {
  const { store, time, slices, open } = await openShop();
  const key = await makeKey(store, 'Till 2');
  open();
  await time.pass(MINUTE);
  for (let i = 0; i < 5; i++)
    await store.records.append({ ...arrivalOf(key, { externalId: `now ${i}` }), receivedAt: time.now() });
  await time.passUntil(() => slices.length === 2, HOUR);
  const [first = 0, second = 0] = slices;
  expect(second - first).toBeGreaterThanOrEqual(5000);
});
