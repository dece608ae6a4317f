// Each operation on the disk fails once, or from then on. The shop may get refusals, but no false acknowledgement, and the store
// never crashes. Then the power is cut. In the tier of a commit, some operations fail; in the others, each of them. With --count,
// the seeds 1, 2, … choose different errors, until all were chosen.

import { basename } from 'node:path';

import { expect, test } from 'vitest';

import { ERROR_CODES } from '../../server/contract/codes.ts';
import { cutPower, type Entry, readRecord } from '../support/disk/power-cut.ts';
import { HAS_RECORDER, openJudge, openRecordedShop, readLeft } from '../support/disk/recorded-shop.ts';
import { PACKED } from '../support/disk/shop-plan.ts';
import { openRandom } from '../support/till/random.ts';
import { countOf, repeatOf, report, SEED } from './tier.ts';

const CASES = countOf({ commit: 8, nightly: 1_000_000 });
const AT_ONCE = 2;
const CUTS = 2;
const CUTS_OF_FOLDER = 30;
const PLAN = { from: 0, to: 16, checkpointEvery: 4, archives: true } as const;
/** The operations of recorder.c that can fail, by the operation that counts them. */
const OPERATIONS = {
  create: 'create',
  write: 'write',
  short: 'write',
  sync: 'sync',
  truncate: 'truncate',
  unlink: 'unlink',
};

test('an error of the disk at any operation loses no acknowledged sale and does not stop the process', async (context) => {
  if (!HAS_RECORDER) return context.skip('needs Linux and a C compiler');
  const sound = openRecordedShop();
  await sound.run({ ...PLAN, onRefusal: 'repeat' });
  const entries = readRecord(sound.record);
  expect(entries.some(({ bytes }) => bytes.toString() === `${PACKED}\n`)).toBe(true);
  const firstSale = entries.findIndex(({ path, operation }) => path === sound.acknowledged && operation === 'write');
  const every = Object.entries(OPERATIONS).flatMap(([operation, counted]) =>
    [...entries.entries()]
      .filter(([, entry]) => entry.operation === counted && entry.path !== sound.acknowledged)
      .flatMap(([at], n) =>
        (['once', 'always'] as const).map((how) => ({ fail: `${operation} * ${n + 1} ${how}`, how, at })),
      ),
  );
  // Most operations belong to the start, but most errors in a shop happen later.
  const ordered = mix(
    every.filter(({ at }) => at >= firstSale),
    every.filter(({ at }) => at < firstSale),
  );
  const parts = Math.ceil(every.length / CASES);
  const from = ((SEED - 1) % parts) * CASES;
  const cases = ordered.slice(from, from + CASES);
  expect(cases.length, 'a seed begins with 1').toBeGreaterThan(0);
  const random = openRandom(SEED);

  const judge = openJudge();
  const faults: string[] = [];
  let [failedStarts, refusals, next] = [0, 0, 0];
  async function work(): Promise<void> {
    for (let each = cases[next++]; each !== undefined; each = cases[next++]) {
      const { fail, how } = each;
      const shop = openRecordedShop();
      const said = await shop.run({ ...PLAN, onRefusal: how === 'once' ? 'repeat' : 'give up' }, fail).catch(String);
      const left = readLeft(shop);
      if (said !== undefined) failedStarts += 1;
      if (said?.startsWith('Error') === true || said?.includes('\n') === true) faults.push(`${fail}: ${said}`);
      const codes = left.lines
        .filter((line) => line.startsWith('refused '))
        .map((line) => line.slice('refused '.length));
      refusals += codes.length;
      for (const code of new Set(codes))
        if (ERROR_CODES[code as keyof typeof ERROR_CODES]?.status !== 503) faults.push(`${fail}: refused with ${code}`);
      const cut = cutPower(readRecord(shop.record), shop.acknowledged, { count: CUTS, from: 0, random });
      for (const state of [left, ...cut]) {
        const fault = await judge.findFault(state);
        if (fault !== undefined) faults.push(`${fail}: ${fault}`);
      }
      shop.remove();
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(faults, repeatOf('R4', CASES)).toEqual([]);
  report(
    context,
    `errors ${from + 1} to ${from + cases.length} of ${every.length}: 0 false acknowledgements, 0 crashes, ${refusals} refusals, ${failedStarts} failed starts`,
  );
});

test('an error while syncing the data folder costs no acknowledged sale', async ({ skip }) => {
  if (!HAS_RECORDER) return skip('needs Linux and a C compiler');
  const sound = openRecordedShop();
  await sound.run({ ...PLAN, onRefusal: 'repeat' });
  const isSync = ({ operation, path }: Entry): boolean => operation === 'sync' && path === sound.dataDir;
  const syncs = readRecord(sound.record).filter(isSync).length;
  expect(syncs).toBeGreaterThan(0);
  const judge = openJudge();
  const faults: string[] = [];
  let failedStarts = 0;
  for (let n = 1; n <= syncs; n++) {
    const shop = openRecordedShop();
    const fail = `sync ${basename(shop.dataDir)} ${n} always`;
    const said = await shop.run({ ...PLAN, onRefusal: 'give up' }, fail);
    if (said !== undefined) failedStarts += 1;
    const cuts = { count: CUTS_OF_FOLDER, from: 0, random: openRandom(SEED) };
    for (const cut of cutPower(readRecord(shop.record), shop.acknowledged, cuts)) {
      const fault = await judge.findFault(cut);
      if (fault !== undefined) faults.push(`${fail}: ${fault}`);
    }
  }
  expect(faults).toEqual([]);
  expect(failedStarts).toBeGreaterThan(0);
});

/** Mixes the errors in a fixed order: three later ones for each one of the start. */
function mix<T>(later: readonly T[], start: readonly T[]): T[] {
  const random = openRandom(1);
  return [...rankAtRandom(later, random, 1 / 3), ...rankAtRandom(start, random, 1)]
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

/** Shuffles the items and gives them ranks with a fixed distance. */
function rankAtRandom<T>(all: readonly T[], random: () => number, distance: number): { one: T; rank: number }[] {
  return all
    .map((one) => ({ one, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }, index) => ({ one, rank: index * distance }));
}
