// What a comparison of the gateway's records with the upstream's records finds, and how many queries it needs. Both sides are
// in memory, and either may change during the comparison.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { MAX_PAGE_SIZE } from '../../../server/contract/codes.ts';
import {
  compareAllIds,
  compareCounts,
  type Comparison,
  type HereSide,
  type UpstreamRecord,
  type UpstreamSide,
} from '../../../server/reconcile/compare.ts';
import type { DayRecord } from '../../../server/store/days/ledger.ts';
import type { Range } from '../../../server/store/records/ledger.ts';

const DAY: Range = { from: 1_760_000_000, to: 1_760_000_000 + 86_400 };
const WAYS = [
  ['counts', compareCounts],
  ['ids', compareAllIds],
] as const;

/** A record of the gateway that was delivered long ago. */
function recordOf(recordId: number, soldAt: number, more: Partial<DayRecord> = {}): DayRecord {
  return {
    recordId,
    externalId: `T-${recordId}`,
    type: 'sale',
    soldAt,
    state: 'delivered',
    answeredAt: 1,
    upstreamStatus: null,
    ...more,
  };
}

/** A record of the gateway as the upstream lists it. */
function thereOf({ externalId, type, soldAt }: UpstreamRecord, more: Partial<UpstreamRecord> = {}): UpstreamRecord {
  return { externalId, type, soldAt, ...more };
}

/** Makes this number of records, spread evenly over the day. */
function sell(count: number, first = 1): DayRecord[] {
  return Array.from({ length: count }, (_, i) =>
    recordOf(first + i, DAY.from + Math.floor((i * (DAY.to - DAY.from)) / count)),
  );
}

interface Scene {
  here: DayRecord[];
  upstream: UpstreamRecord[];
  /** How many records the upstream received more than once, according to its answers. */
  readonly resends?: number;
  /** Runs after the upstream has prepared an answer and before the next query. */
  readonly meanwhile?: (question: 'count' | 'list', asked: number) => void;
}

interface Asked {
  counts: number;
  readonly pages: Range[];
}

const NOW = 1_760_100_000_000;

/** Sorts records by time, so that the records of a range are found quickly. */
function openTimeline<T extends { readonly soldAt: number }>(records: readonly T[]): (range: Range) => T[] {
  const sorted = records.toSorted((a, b) => a.soldAt - b.soldAt);
  const placeOf = (at: number): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.soldAt ?? Infinity) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return ({ from, to }) => sorted.slice(placeOf(from), placeOf(to));
}

function openSides(scene: Scene): { here: HereSide; upstream: UpstreamSide; asked: Asked } {
  const asked: Asked = { counts: 0, pages: [] };
  let [here, upstream] = [openTimeline(scene.here), openTimeline(scene.upstream)];
  const passTime = (question: 'count' | 'list', count: number): void => {
    if (scene.meanwhile === undefined) return;
    scene.meanwhile(question, count);
    [here, upstream] = [openTimeline(scene.here), openTimeline(scene.upstream)];
  };
  return {
    asked,
    here: {
      count: (range) => Promise.resolve(here(range).length),
      list: (range) => Promise.resolve(here(range)),
      sumAnswers: () => Promise.resolve({ resends: scene.resends ?? 0, errors: 0 }),
      findPlace: (range, place) => Promise.resolve(here(range)[place]?.soldAt),
      findOriginals(ids) {
        const wanted = new Set(ids);
        return Promise.resolve(scene.here.filter(({ externalId }) => wanted.has(externalId)));
      },
      now: () => NOW,
    },
    upstream: {
      count(range) {
        asked.counts += 1;
        const { length } = upstream(range);
        passTime('count', asked.counts);
        return Promise.resolve(length);
      },
      list(range, most) {
        const listed = upstream(range);
        if (listed.length > most) return Promise.resolve(undefined);
        for (let n = 0; n < Math.max(1, Math.ceil(listed.length / MAX_PAGE_SIZE)); n++) asked.pages.push(range);
        passTime('list', asked.pages.length);
        return Promise.resolve({ count: listed.length, records: listed });
      },
    },
  };
}

/** The ids of the findings. */
function idsOf({ missing, foreign, twice, other }: Comparison) {
  const ids = (records: readonly { readonly externalId: string }[]): string[] =>
    records.map(({ externalId }) => externalId).toSorted();
  return { missing: ids(missing), foreign: ids(foreign), twice: ids(twice), other: ids(other) };
}
const NOTHING = { missing: [], foreign: [], twice: [], other: [] };

describe.each(WAYS)('by %s', (basis, compare) => {
  test.each<[name: string, scene: Scene, found: Partial<ReturnType<typeof idsOf>>, ids?: number]>([
    ['no sales at all', { here: [], upstream: [] }, {}],
    ['all records match', { here: sell(3000), upstream: sell(3000).map((each) => thereOf(each)) }, {}],
    [
      'one record is missing',
      {
        here: sell(3000),
        upstream: sell(3000)
          .toSpliced(1717, 1)
          .map((each) => thereOf(each)),
      },
      { missing: ['T-1718'] },
    ],
    [
      'the first and the last record are missing',
      {
        here: sell(3000),
        upstream: sell(3000)
          .slice(1, -1)
          .map((each) => thereOf(each)),
      },
      { missing: ['T-1', 'T-3000'] },
    ],
    [
      'the upstream has a foreign record',
      { here: sell(3000), upstream: [...sell(3000), recordOf(9000, DAY.to - 1)].map((each) => thereOf(each)) },
      { foreign: ['T-9000'] },
    ],
    [
      'held and set-aside records are missing like others, and so is one without a delivery',
      {
        here: [
          recordOf(1, DAY.from, { state: 'held' }),
          recordOf(2, DAY.from, { state: 'set aside' }),
          recordOf(3, DAY.from, { state: null, answeredAt: null }),
          recordOf(4, DAY.from),
        ],
        upstream: [thereOf(recordOf(4, DAY.from))],
      },
      { missing: ['T-1', 'T-2', 'T-3'] },
    ],
    [
      'a waiting record is not missing',
      { here: [recordOf(1, DAY.from, { state: 'waiting' }), recordOf(2, DAY.from)], upstream: [] },
      { missing: ['T-2'] },
    ],
    [
      'a record is listed twice, with another type',
      {
        here: [recordOf(1, DAY.from)],
        upstream: [thereOf(recordOf(1, DAY.from)), thereOf(recordOf(1, DAY.from, { type: 'refund' }))],
      },
      { twice: ['T-1'] },
      1,
    ],
  ])('%s', async (_name, scene, found, ids = scene.upstream.length) => {
    const sides = openSides(scene);
    const comparison = await compare(DAY, sides);
    const upstream = basis === 'ids' ? ids : scene.upstream.length;
    expect(comparison).toMatchObject({ basis, here: scene.here.length, upstream });
    expect(idsOf(comparison)).toEqual({ ...NOTHING, ...found });
  });

  test.each([
    ['a local record', [recordOf(1, DAY.from)], { listedTwice: 2 }, NOTHING],
    ['a foreign record', [], { listedTwice: 2 }, { ...NOTHING, foreign: ['T-1'] }],
  ])(
    '%s is listed three times alike: that is no difference, and every id is compared',
    async (_name, here, more, found) => {
      const upstream = [1, 1, 1].map((id) => thereOf(recordOf(id, DAY.from)));
      const comparison = await compare(DAY, openSides({ here, upstream }));
      expect(comparison).toMatchObject({ basis: 'ids', here: here.length, upstream: 1, ...more });
      expect(idsOf(comparison)).toEqual(found);
    },
  );

  test('thousands of records are missing', async () => {
    const here = sell(12_000);
    const isThere = ({ recordId }: DayRecord): boolean => recordId % 3 === 0;
    const sides = openSides({ here, upstream: here.filter(isThere).map((each) => thereOf(each)) });
    const { missing, foreign } = await compare(DAY, sides);
    expect(missing.map(({ recordId }) => recordId).toSorted((a, b) => a - b)).toEqual(
      here.filter((each) => !isThere(each)).map(({ recordId }) => recordId),
    );
    expect(foreign).toEqual([]);
  });

  test('the upstream has no records at all', async () => {
    const here = sell(12_000);
    const sides = openSides({ here, upstream: [] });
    const { missing, upstream } = await compare(DAY, sides);
    expect([missing.length, upstream]).toEqual([12_000, 0]);
    expect(sides.asked.pages.length).toBeLessThanOrEqual(2);
  });

  test('the upstream has far more records', async () => {
    const here = sell(3);
    const upstream = [...here, ...sell(60_000, 1000)].map((each) => thereOf(each));
    const sides = openSides({ here, upstream });
    const comparison = await compare(DAY, sides);
    expect(comparison).toMatchObject({ here: 3, upstream: 60_003, missing: [], twice: [], other: [] });
    expect(new Set(comparison.foreign.map(({ externalId }) => externalId)).size).toBe(60_000);
    expect(comparison.foreign.length).toBe(60_000);
  });

  test('thousands of records in one second, which cannot be halved', async () => {
    const before = sell(2000);
    const atOnce = Array.from({ length: 23_000 }, (_, i) => recordOf(10_000 + i, DAY.from + 4444));
    const upstream = [...before, ...atOnce.toSpliced(5000, 1), recordOf(99_999, DAY.from + 4444)].map((each) =>
      thereOf(each),
    );
    const sides = openSides({ here: [...before, ...atOnce], upstream: upstream.slice(0, -1) });
    expect(idsOf(await compare(DAY, sides))).toEqual({ ...NOTHING, missing: ['T-15000'] });
    const more = openSides({
      here: [...before, ...atOnce],
      upstream: [...upstream, thereOf(recordOf(99_998, DAY.from + 4444))],
    });
    expect(idsOf(await compare(DAY, more))).toEqual({
      ...NOTHING,
      missing: ['T-15000'],
      foreign: ['T-99998', 'T-99999'],
    });
  });

  test('the upstream has more records in one second than one comparison allows', async () => {
    const upstream = Array.from({ length: 45_000 }, (_, i) => thereOf(recordOf(i, DAY.from + 1)));
    const { foreign } = await compare(DAY, openSides({ here: [recordOf(0, DAY.from + 1)], upstream }));
    expect(foreign.length).toBe(44_999);
  });

  test('a record with another type upstream differs, even if the same id exists here on another day', async () => {
    const here = [recordOf(1, DAY.from), recordOf(2, DAY.from + 10), recordOf(3, DAY.to + 10)];
    const upstream = [
      thereOf(recordOf(1, DAY.from, { type: 'refund' })),
      thereOf(recordOf(2, DAY.from + 10)),
      thereOf(recordOf(3, DAY.to - 10)),
      thereOf(recordOf(4, DAY.from)),
    ];
    const comparison = await compare(DAY, openSides({ here, upstream }));
    expect(idsOf(comparison)).toEqual({ ...NOTHING, foreign: ['T-4'], other: ['T-1', 'T-3'] });
    expect(comparison.other).toEqual(
      expect.arrayContaining([
        { recordId: 1, externalId: 'T-1', type: 'refund', soldAt: DAY.from },
        { recordId: 3, externalId: 'T-3', type: 'sale', soldAt: DAY.to - 10 },
      ]),
    );
  });

  test('a record with another time upstream is not missing, however far away in the day', async () => {
    const here = sell(25_000);
    const upstream = here.map((each) => thereOf(each, { ...(each.recordId === 7 && { soldAt: DAY.to - 1 }) }));
    // T-7 has moved to the end of the day. The comparison by counts lists the old place of T-7 only because T-10 is missing
    // nearby.
    const comparison = await compare(DAY, openSides({ here, upstream: upstream.toSpliced(9, 1) }));
    expect(idsOf(comparison)).toEqual({ ...NOTHING, missing: ['T-10'], other: ['T-7'] });
  });

  test('a record delivered during the answer is not missing; one delivered before is', async () => {
    const here = [
      recordOf(1, DAY.from, { answeredAt: NOW - 1 }),
      recordOf(2, DAY.from, { answeredAt: NOW }),
      recordOf(3, DAY.from, { state: 'waiting', answeredAt: null }),
    ];
    const scene: Scene = {
      here,
      upstream: [],
      meanwhile(question) {
        if (question === 'list') scene.here[2] = recordOf(3, DAY.from, { answeredAt: NOW + 5 });
      },
    };
    expect(idsOf(await compare(DAY, openSides(scene)))).toEqual({ ...NOTHING, missing: ['T-1'] });
  });

  test('a record held during the answer is missing', async () => {
    const scene: Scene = {
      here: [recordOf(1, DAY.from, { state: 'waiting', answeredAt: null })],
      upstream: [],
      meanwhile(question) {
        if (question === 'list') scene.here[0] = recordOf(1, DAY.from, { state: 'held', answeredAt: NOW + 5 });
      },
    };
    expect(idsOf(await compare(DAY, openSides(scene)))).toEqual({ ...NOTHING, missing: ['T-1'] });
  });

  test('records that arrive while both sides are queried are neither missing nor foreign', async () => {
    let arrivals = 0;
    const scene: Scene = {
      here: sell(12_000),
      upstream: sell(12_000).map((each) => thereOf(each)),
      meanwhile() {
        // One new record waits, and another is delivered immediately.
        const [waiting, sent] = [90_000 + arrivals++, 95_000 + arrivals];
        scene.here.push(
          recordOf(waiting, DAY.from + ((arrivals * 977) % 86_400), { state: 'waiting', answeredAt: null }),
        );
        const arrived = recordOf(sent, DAY.from + ((arrivals * 7919) % 86_400), { answeredAt: NOW + arrivals });
        scene.here.push(arrived);
        scene.upstream.push(thereOf(arrived));
      },
    };
    expect(idsOf(await compare(DAY, openSides(scene)))).toEqual(NOTHING);
    expect(arrivals).toBeGreaterThan(1);
  });
});

describe('a swap', () => {
  const scene = (): Scene => ({
    here: sell(3000),
    upstream: [...sell(3000).slice(1), recordOf(9000, DAY.from)].map((each) => thereOf(each)),
  });

  test('is hidden by equal counts, which are queried once', async () => {
    const sides = openSides(scene());
    const comparison = await compareCounts(DAY, sides);
    expect(comparison).toMatchObject({ here: 3000, upstream: 3000 });
    expect(idsOf(comparison)).toEqual(NOTHING);
    expect(sides.asked).toEqual({ counts: 1, pages: [] });
  });

  test('is found by ids', async () => {
    expect(idsOf(await compareAllIds(DAY, openSides(scene())))).toEqual({
      ...NOTHING,
      missing: ['T-1'],
      foreign: ['T-9000'],
    });
  });
});

test('a record that arrives between the two counts does not hide a difference permanently', async () => {
  const scene: Scene = {
    here: sell(3000),
    upstream: sell(3000)
      .slice(0, -1)
      .map((each) => thereOf(each)), // the last record is missing upstream
    meanwhile(question, asked) {
      if (question === 'count' && asked === 2) scene.here.push(recordOf(9000, DAY.from, { state: 'waiting' }));
    },
  };
  const { here, upstream } = await compareCounts(DAY, openSides(scene));
  expect([here, upstream, scene.here.length]).toEqual([3000, 2999, 3001]);
});

test('one missing sale among fifty thousand is found with a page and few queries, at any time of the day', async () => {
  const here = sell(50_000);
  for (const place of [0, 1, 12_345, 24_999, 25_000, 49_999]) {
    const sides = openSides({ here, upstream: here.toSpliced(place, 1).map((each) => thereOf(each)) });
    expect((await compareCounts(DAY, sides)).missing).toEqual([here[place]]);
    expect(sides.asked.counts).toBeLessThanOrEqual(2 * Math.log2(here.length / MAX_PAGE_SIZE) + 2);
    expect(sides.asked.pages.length).toBe(1);
  }
});

test('comparing every id of fifty thousand takes at most one page per five hundred and one more per slice', async () => {
  const here = sell(50_000);
  const sides = openSides({ here, upstream: here.map((each) => thereOf(each)) });
  expect(idsOf(await compareAllIds(DAY, sides))).toEqual(NOTHING);
  expect(sides.asked.counts).toBe(0);
  expect(sides.asked.pages.length).toBeLessThanOrEqual(50_000 / MAX_PAGE_SIZE + 5);
});

describe('for any sales,', () => {
  /** The records that were sold in one second, and how many of them differ in each way. */
  interface Second {
    readonly soldAt: number;
    readonly both: number;
    readonly missing: number;
    readonly foreign: number;
    readonly twice: number;
    readonly otherType: number;
    /** For each record whose time of sale differs upstream: its time upstream. */
    readonly otherTime: readonly number[];
  }
  const time = fc.oneof(
    fc.integer({ min: DAY.from, max: DAY.to - 1 }),
    fc.integer({ min: 0, max: 20 }).map((at) => DAY.from + at),
  );
  const few = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3), fc.nat(200));
  const second = fc.record({
    soldAt: time,
    both: fc.oneof(fc.nat(5), fc.nat(900)),
    missing: few,
    foreign: few,
    twice: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3)),
    otherType: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3)),
    otherTime: fc.array(time, { maxLength: 2 }),
  });
  const seconds = fc.array(second, { maxLength: 60, size: 'max' });

  function play(
    all: readonly Second[],
  ): Scene & { readonly expected: ReturnType<typeof idsOf>; readonly repeated: number } {
    const scene: Scene = { here: [], upstream: [] };
    const expected: Record<keyof typeof NOTHING, string[]> = { missing: [], foreign: [], twice: [], other: [] };
    let id = 0;
    let repeated = 0;
    const add = (count: number, soldAt: number, to: (record: DayRecord) => void): void => {
      for (let n = 0; n < count; n++) to(recordOf(++id, soldAt));
    };
    const addHere = (record: DayRecord, ...there: UpstreamRecord[]): void => {
      scene.here.push(record);
      scene.upstream.push(...there);
    };
    for (const { soldAt, both, missing, foreign, twice, otherType, otherTime } of all) {
      add(both, soldAt, (each) => addHere(each, thereOf(each)));
      add(missing, soldAt, (each) => {
        addHere(each);
        expected.missing.push(each.externalId);
      });
      add(foreign, soldAt, (each) => {
        scene.upstream.push(thereOf(each));
        expected.foreign.push(each.externalId);
      });
      add(twice, soldAt, (each) => {
        addHere(each, thereOf(each), thereOf(each));
        repeated += 1;
      });
      add(otherType, soldAt, (each) => {
        addHere(each, thereOf(each, { type: 'refund' }));
        expected.other.push(each.externalId);
      });
      for (const at of otherTime)
        add(1, soldAt, (each) => {
          addHere(each, thereOf(each, { soldAt: at }));
          if (at !== soldAt) expected.other.push(each.externalId);
        });
    }
    const { missing, foreign, twice, other } = expected;
    return {
      ...scene,
      repeated,
      expected: {
        missing: missing.toSorted(),
        foreign: foreign.toSorted(),
        twice: twice.toSorted(),
        other: other.toSorted(),
      },
    };
  }

  const check = (property: (all: readonly Second[]) => Promise<void>): Promise<void> =>
    fc.assert(fc.asyncProperty(seconds, property), { numRuns: 100 });

  test('ids find exactly the differing records', () =>
    check(async (all) => {
      const { expected, repeated, ...scene } = play(all);
      const comparison = await compareAllIds(DAY, openSides(scene));
      expect(idsOf(comparison)).toEqual(expected);
      const upstream = scene.upstream.length - repeated;
      expect(comparison).toMatchObject({ here: scene.here.length, upstream, listedTwice: repeated });
    }));

  test.each(['missing', 'foreign'] as const)('counts find exactly the %s records if nothing else differs', (kind) =>
    check(async (all) => {
      const nothing = { missing: 0, foreign: 0, twice: 0, otherType: 0, otherTime: [] };
      const { expected, ...scene } = play(all.map((each) => ({ ...each, ...nothing, [kind]: each[kind] })));
      expect(idsOf(await compareCounts(DAY, openSides(scene)))).toEqual(expected);
    }),
  );

  test('counts find no false difference, and never query more than a page for several seconds', () =>
    check(async (all) => {
      const { expected, ...scene } = play(all.map((each) => ({ ...each, twice: 0, otherTime: [] })));
      const sides = openSides(scene);
      const comparison = await compareCounts(DAY, sides);
      const found = idsOf(comparison);
      for (const kind of ['missing', 'foreign', 'twice', 'other'] as const) {
        const differing = new Set(expected[kind]);
        expect(found[kind].filter((id) => !differing.has(id))).toEqual([]);
        expect(new Set(found[kind]).size).toBe(found[kind].length);
      }
      expect(comparison).toMatchObject({ here: scene.here.length, upstream: scene.upstream.length });
      const asked = Map.groupBy(sides.asked.pages, ({ from }) => from);
      for (const pages of asked.values())
        if (pages.length > 1) expect(pages[0]).toMatchObject({ to: (pages[0]?.from ?? 0) + 1 });
    }));
});
