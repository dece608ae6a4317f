// The weekly scrub, in virtual time, with a real store: damage is found and told, and mended damage is forgotten.

import { expect, onTestFinished, test } from 'vitest';

import { openScrubber } from '../../server/scrubber.ts';
import { flipRecord } from '../support/damage.ts';
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
      store.append({ ...arrivalOf(key, { externalId: `${i}`, object }), receivedAt: time.now() - DAY }),
    ),
  );
  const slices: number[] = [];
  let damages = 0;
  const open = () => {
    const scrubber = openScrubber({
      store: {
        readScrub: () => time.track(store.readScrub()),
        scrubSlice: () => (slices.push(time.monotonic()), time.track(store.scrubSlice())),
        isQuiet: () => time.track(store.isQuiet()),
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

test('damaged records are found, named, told, and forgotten once they are whole again', async () => {
  const { dataDir, store, time, open, damages } = await openShop();
  flipRecord(dataDir, 700);
  flipRecord(dataDir, RECORDS);
  open();
  await time.pass(HOUR);
  expect(damages()).toBeGreaterThan(0);
  expect((await store.readMachine()).damaged).toMatchObject({ count: 2, recordIds: [700, RECORDS] });
  flipRecord(dataDir, 700);
  await time.pass(8 * DAY);
  expect((await store.readMachine()).damaged).toMatchObject({ count: 1, recordIds: [RECORDS] });
});

test('it is done once a week, in slices, and goes on after a restart where it was', async () => {
  const { store, time, slices, open } = await openShop();
  const first = open();
  await time.passUntil(() => slices.length === 2, HOUR);
  first.close();
  await time.pass(1000);
  expect(await store.readScrub()).toMatchObject({ endedAt: null, afterId: 1000 });
  open();
  await time.pass(HOUR);
  expect(await store.readScrub()).toMatchObject({ endedAt: expect.any(Number) as number, afterId: RECORDS });
  expect(slices).toHaveLength(3);
  await time.pass(6 * DAY);
  expect(slices).toHaveLength(3);
  await time.pass(DAY);
  expect(slices).toHaveLength(6);
});

test('large records are read a few at a time', async () => {
  const { time, slices, open } = await openShop(20_000);
  open();
  await time.pass(HOUR);
  expect(slices.length).toBeGreaterThan(10);
});

test('while tills send, slices are seconds apart', async () => {
  const { store, time, slices, open } = await openShop();
  const key = await makeKey(store, 'Till 2');
  open();
  await time.pass(MINUTE);
  for (let i = 0; i < 5; i++)
    await store.append({ ...arrivalOf(key, { externalId: `now ${i}` }), receivedAt: time.now() });
  await time.passUntil(() => slices.length === 2, HOUR);
  const [first = 0, second = 0] = slices;
  expect(second - first).toBeGreaterThanOrEqual(5000);
});
