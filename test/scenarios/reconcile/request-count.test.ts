// The number of queries that a check needs to find one missing sale. The check queries one count for each day. Then it queries
// one count for each halving of the range, until the remaining range fits on a page.

import { describe, expect, onTestFinished, test } from 'vitest';

import { ACTORS } from '../../../server/contract/codes.ts';
import { prepareConnections } from '../../../server/forward/connection.ts';
import { machineClock } from '../../../server/lib/clock.ts';
import { compareCounts, type Comparison } from '../../../server/reconcile/compare.ts';
import { openDays } from '../../../server/reconcile/days.ts';
import { runAsked } from '../../../server/reconcile/reconciler.ts';
import { always, listStoreDays } from '../../../server/store-day.ts';
import type { Range } from '../../../server/store/records/ledger.ts';
import { postBody } from '../../support/http-call.ts';
import { arrivalOf, makeKey, openTemporaryStore, settleRecords } from '../../support/temp-store.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

const PAGE = 500;
const TOKEN = 'prod_upstream';
const DAYS = listStoreDays('2025-10-01', '2025-10-31', always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }));

/** The maximum number of queries for counts in one day: one for the day and one for each halving. */
const maxCounts = (records: number): number => 1 + Math.max(0, Math.ceil(Math.log2(records / PAGE)));

describe('one missing sale among 1,000,000 in a month is found with at most 40 counts and 2 pages:', () => {
  /** The relative sales of each weekday, starting with Sunday. */
  const weights = [0.7, 0.8, 0.8, 0.9, 1, 1.3, 1.5];
  const weightOf = (date: string): number => weights[new Date(date).getUTCDay()] ?? 1;
  const allWeights = DAYS.reduce((sum, { date }) => sum + weightOf(date), 0);
  let [sold, weight] = [0, 0];
  const here = DAYS.flatMap(({ date, from }) => {
    weight += weightOf(date);
    const count = Math.round((weight / allWeights) * 1_000_000) - sold;
    sold += count;
    return Array.from({ length: count }, (_, n) => from + Math.floor((4 + (n / count) * 14) * 3600));
  });

  test.each<[which: string, lost: number]>([
    ['the first', 0],
    ['the second', 1],
    ['one missing sale on the busiest day', 575_000],
    ['another', 123_456],
    ['the last', 999_999],
  ])('%s', async (_, lost) => {
    const asked = { counts: 0, pages: 0 };
    const there = here.toSpliced(lost, 1);
    const found: Comparison[] = [];
    for (const day of DAYS) found.push(await compareCounts(day, sidesOf(here, there, lost, asked)));
    expect(here).toHaveLength(1_000_000);
    expect(found.flatMap(({ missing }) => missing.map(({ externalId }) => externalId))).toEqual([idOf(lost)]);
    const { here: records = 0 } = found.find(({ missing }) => missing.length > 0) ?? {};
    expect(asked).toEqual({ counts: expect.any(Number), pages: 1 });
    expect(asked.counts).toBeLessThanOrEqual(DAYS.length - 1 + maxCounts(records));
    expect(asked.counts).toBeLessThanOrEqual(40);
  });
});

const idOf = (n: number): string => `S-${n}`;

/** Both sides of a comparison, given the times of the sales at this gateway. The sale `lost` is missing upstream. */
function sidesOf(
  here: readonly number[],
  there: readonly number[],
  lost: number,
  asked: { counts: number; pages: number },
): Parameters<typeof compareCounts>[1] {
  const listNumbers = (sold: readonly number[], range: Range): number[] => {
    const first = placeOf(sold, range.from);
    return Array.from({ length: countSold(sold, range) }, (_, n) => first + n);
  };
  return {
    here: {
      count: async (range) => countSold(here, range),
      list: async (range) =>
        listNumbers(here, range).map((n) => ({
          recordId: n,
          externalId: idOf(n),
          type: 'sale',
          soldAt: here[n] ?? 0,
          state: 'delivered',
          answeredAt: 1,
          upstreamStatus: null,
        })),
      sumAnswers: async () => ({ resends: 0, errors: 0 }),
      findPlace: async (range, place) => here[placeOf(here, range.from) + place],
      findOriginals: async () => [],
      now: () => 2,
    },
    upstream: {
      async count(range) {
        asked.counts += 1;
        return countSold(there, range);
      },
      async list(range) {
        const listed = listNumbers(there, range);
        asked.pages += Math.max(1, Math.ceil(listed.length / PAGE));
        const records = listed.map((n) => ({
          externalId: idOf(n < lost ? n : n + 1),
          type: 'sale',
          soldAt: there[n] ?? 0,
        }));
        return { count: records.length, records };
      },
    },
  };
}

const countSold = (sold: readonly number[], { from, to }: Range): number => placeOf(sold, to) - placeOf(sold, from);

/** The number of records sold before `soldAt`. */
function placeOf(sorted: readonly number[], soldAt: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < soldAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

test('a check sends one count over HTTP, one query for each halving, and one page', async () => {
  const records = 2000;
  const lost = 1300;
  const upstream = await openStandIn();
  onTestFinished(() => upstream.close());
  const store = await openTemporaryStore();
  const key = await makeKey(store);
  const lane = store.outbox.lanes().find(({ mode, interface: by }) => mode === 'production' && by === 'current')!;
  await store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }, 'test');
  await store.outbox.performAct(lane, { kind: 'set upstream', upstream: { url: upstream.url, token: TOKEN } }, 'test');
  const opening = DAYS[9]!.from + 4 * 3600;
  const arrivals = Array.from({ length: records }, (_, n) =>
    arrivalOf(key, { externalId: idOf(n), soldAt: opening + Math.floor((n / records) * 14 * 3600) }),
  );
  const kept = await Promise.all(arrivals.map((arrival) => store.records.append(arrival)));
  await settleRecords(
    store,
    lane.id,
    kept.map(({ recordId }) => recordId),
    { state: 'delivered' },
  );
  const others = arrivals.filter((_, n) => n !== lost);
  const post = async (): Promise<void> => {
    for (let next = others.pop(); next !== undefined; next = others.pop())
      expect((await postBody(upstream.url, TOKEN, Buffer.from(next.body))).status).toBe(201);
  };
  await Promise.all(Array.from({ length: 16 }, post));

  const day = DAYS[9]!.date;
  const wanted = { journal: lane.journalId, from: day, to: day, byIds: false };
  const check = await openDays({ store, clock: machineClock }).check(wanted, ACTORS.commandLine);
  await runAsked([{ ...check!, journalId: lane.journalId }], {
    store,
    openDispatcher: prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined }),
    clock: machineClock,
    signal: new AbortController().signal,
  });

  const asked = upstream.attempts.filter(({ method }) => method === 'GET').map(({ path }) => path);
  const pages = asked.filter((path) => path.includes('expand=raw_transactions'));
  expect(pages).toHaveLength(1);
  expect(asked.length - pages.length).toBe(maxCounts(records));
  const waiting = await store.outbox.listWaiting(lane.id, 0);
  expect(waiting.records.map(({ recordId }) => recordId)).toEqual([kept[lost]!.recordId]);
});
