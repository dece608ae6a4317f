// Which ids of a store day form a sequence, and which do not.

import { randomUUID } from 'node:crypto';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { SequenceView } from '../../../server/contract/gaps.ts';
import { viewSequence } from '../../../server/reconcile/gap.ts';
import { learnSequences, type Sequence } from '../../../server/reconcile/sequence.ts';
import { openSales } from '../../support/till/sales.ts';

const DATE = '2026-11-20';

/** The ids with the numbers `from` to `to`, as a till writes them. */
const ids = (prefix: string, from: number, to: number, digits = 1): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => prefix + String(from + n).padStart(digits, '0'));

const without = (all: readonly string[], ...gone: readonly string[]): string[] =>
  all.filter((id) => !gone.includes(id));

const learn = (tills: Readonly<Record<string, readonly string[]>>, here: readonly string[] = []): SequenceView[] =>
  learnSequences(Object.entries(tills).map(([label, each]) => ({ label, ids: each }))).map((sequence) =>
    view(sequence, Object.values(tills).flat(), here),
  );

/** Finds the gaps in a sequence on the day DATE. `sold` are the ids of that day; `here` are ids stored under other days. */
function view(sequence: Sequence, sold: readonly string[], here: readonly string[] = []): SequenceView {
  const [ofDay, elsewhere] = [new Set(sold), new Set(here)];
  const dateOf = (id: string): string | undefined => (ofDay.has(id) ? DATE : undefined);
  const viewed = viewSequence(sequence, { date: DATE, dateOf, isHere: (id) => elsewhere.has(id) });
  if (viewed === undefined) throw new Error('nothing is said of the day');
  return viewed;
}

/** Repeatable random numbers from 0 to 1, evenly distributed (mulberry32). */
function openChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Each sequence as a short text: its first and last number, and the missing numbers. */
const said = (views: readonly SequenceView[]): string[] =>
  views.map(({ first, last, gaps }) => {
    const ranges = gaps.map(({ from, to }) => (from === to ? from : `${from} to ${to}`));
    return [`${first} … ${last}`, ...ranges].join(', ');
  });

test('a sequence has its numbers, its gaps and the tills that use it', () => {
  const all = ids('T3-', 412, 511, 6);
  const [odd, even] = [1, 0].map((rest) => all.filter((_, n) => n % 2 === rest));
  const kept = { Kiosk: without(odd!, 'T3-000421'), Bar: without(even!, 'T3-000422', 'T3-000500') };
  expect(learn(kept)).toEqual([
    {
      prefix: 'T3-',
      tills: ['Bar', 'Kiosk'],
      first: 'T3-000412',
      last: 'T3-000511',
      here: 97,
      skipped: 3,
      gaps: [
        { from: 'T3-000421', to: 'T3-000422', between: null },
        { from: 'T3-000500', to: 'T3-000500', between: null },
      ],
      sureness: 'almost certain',
    },
  ]);
});

describe('a sequence', () => {
  const dense = ids('', 1, 40);
  test.each<[string, readonly string[], readonly string[]]>([
    ['does not exist without ids', [], []],
    ['needs twenty ids', ids('A', 1, 19), []],
    ['is listed from twenty ids on, even without gaps', ids('A', 1, 20), ['A1 … A20']],
    ['may have no prefix', without(ids('', 5, 60), '7'), ['5 … 60, 7']],
    ['continues with more digits', without(ids('A', 80, 130), 'A99', 'A100'), ['A80 … A130, A99 to A100']],
    [
      'continues after the leading zeros are used up',
      without(ids('A', 980, 1020, 3), 'A999', 'A1001'),
      ['A980 … A1020, A999, A1001'],
    ],
    [
      'continues from leading zeros to none',
      without(ids('A', 80, 120, 3), 'A099', 'A100'),
      ['A080 … A120, A099 to A100'],
    ],
    [
      'is separate from one with other leading zeros',
      [...ids('A', 1, 30, 4), ...ids('A', 1, 30, 6)],
      ['A0001 … A0030', 'A000001 … A000030'],
    ],
    [
      'may have the date as a prefix',
      without(ids('20261121-', 1, 30, 4), '20261121-0007'),
      ['20261121-0001 … 20261121-0030, 20261121-0007'],
    ],
    [
      'may have the date as a prefix without a separator',
      [...without(ids('202611200', 970, 999), '202611200980'), ...without(ids('202611210', 1, 30, 3), '202611210007')],
      ['202611200970 … 202611200999, 202611200980', '202611210001 … 202611210030, 202611210007'],
    ],
    [
      'is separate for each till whose name is the prefix',
      [...ids('T1-', 1, 30), ...ids('T2-', 1, 30)],
      ['T1-1 … T1-30', 'T2-1 … T2-30'],
    ],
    [
      'may have more digits than a number can hold',
      without(ids('9007199254740993', 100, 140), '9007199254740993105'),
      ['9007199254740993100 … 9007199254740993140, 9007199254740993105'],
    ],
    [
      'keeps its leading zeros with very many digits',
      ids('00000000000000', 100, 130, 6),
      ['00000000000000000100 … 00000000000000000130'],
    ],
    ['is not changed by one stray number far away', [...dense, '900000', '123456789012345'], ['1 … 40']],
    ['is not changed by two strays', [...without(dense, '9'), '5000', '90000'], ['1 … 40, 9']],
    [
      'may start again',
      [...ids('A', 9970, 9999), ...without(ids('A', 1, 30), 'A8')],
      ['A1 … A30, A8', 'A9970 … A9999'],
    ],
    [
      'continues where its till continues after hours',
      without(ids('A', 1, 200), ...ids('A', 61, 160)),
      ['A1 … A200, A61 to A160'],
    ],
    [
      'does not continue if the gap is larger than the sequence',
      without(ids('A', 1, 200), ...ids('A', 61, 161)),
      ['A1 … A60', 'A162 … A200'],
    ],
    ['has gaps of at most a fifth', ids('A', 1, 50).filter((_, n) => n % 4 !== 1), []],
    ['does not count up by tens', ids('A', 1, 60).map((id) => `${id}0`), []],
    ['has no suffix after its numbers', ids('A', 1, 60).map((id) => `${id}-NL`), []],
    ['does not end in a letter', ids('A', 1, 60).map((id) => `${id}b`), []],
    ['does not consist of UUIDs', Array.from({ length: 500 }, () => randomUUID()), []],
    [
      'does not consist of times in milliseconds',
      Array.from({ length: 500 }, (_, n) => String(1_763_712_000_000 + n * 61_007)),
      [],
    ],
    ['does not consist of times in seconds', Array.from({ length: 500 }, (_, n) => String(1_763_712_000 + n * 61)), []],
    ['does not consist of squares', Array.from({ length: 20_000 }, (_, n) => `A${n ** 2 + 1000}`), []],
  ])('%s', (_name, all, sequences) => {
    expect(said(learn({ Till: all })).toSorted()).toEqual([...sequences].toSorted());
  });

  test('excludes random numbers that are close by chance', () => {
    const part = fc.double({ min: 0.2, max: 0.6, noNaN: true });
    fc.assert(
      fc.property(fc.integer(), part, (seed, density) => {
        const chance = openChance(seed);
        expect(learn({ Till: ids('A', 1, 2000).filter(() => chance() < density) })).toEqual([]);
      }),
    );
  });

  test('is a new one where another till continues after a jump', () => {
    const found = learn({ Bar: ids('', 1, 60), Kiosk: ids('', 101, 150) });
    expect(found).toMatchObject([
      { tills: ['Bar'], first: '1', last: '60', skipped: 0 },
      { tills: ['Kiosk'], first: '101', last: '150', skipped: 0 },
    ]);
  });

  test('is found beside a till with random numbers', () => {
    const random = Array.from({ length: 400 }, (_, n) => String(4_000_000 + ((n * 7919) % 1_000_000)));
    const found = learn({ Counter: without(ids('', 1, 200), '17'), Web: random });
    expect(found).toMatchObject([{ tills: ['Counter'], first: '1', last: '200', skipped: 1 }]);
  });
});

test('any numbers removed from a sequence are listed as skipped, and no others', () => {
  const removal = fc
    .record({
      first: fc.nat(1e12),
      count: fc.integer({ min: 100, max: 300 }),
      digits: fc.integer({ min: 1, max: 15 }),
      prefix: fc.string().map((text) => text.replace(/\d+$/, '')),
    })
    .chain((sequence) =>
      fc.record({
        sequence: fc.constant(sequence),
        gone: fc.uniqueArray(fc.integer({ min: 1, max: sequence.count - 2 }), { maxLength: 20 }),
        order: fc.constantFrom(1, -1),
      }),
    );
  fc.assert(
    fc.property(removal, ({ sequence: { first, count, digits, prefix }, gone, order }) => {
      const all = ids(prefix, first, first + count - 1, digits);
      const missing = gone.toSorted((a, b) => a - b).map((at) => all[at]!);
      const left = without(all, ...missing).toSorted(() => order);
      const sequences = learnSequences([{ label: 'Till', ids: left }]);
      expect(sequences).toHaveLength(1);
      const found = view(sequences[0]!, left);
      expect([found.first, found.last, found.here]).toEqual([all[0], all.at(-1), left.length]);
      expect(found.skipped).toBe(missing.length);
      const inGaps = found.gaps.flatMap(({ from, to }) => all.slice(all.indexOf(from), all.indexOf(to) + 1));
      expect(inGaps).toEqual(missing);
    }),
  );
});

describe('a view', () => {
  test('is less certain if many numbers are skipped', () => {
    const all = ids('A', 1, 100);
    const surenessWithout = (count: number) => learn({ Till: without(all, ...all.slice(40, 40 + count)) })[0]?.sureness;
    expect([0, 3, 4, 20, 40].map(surenessWithout)).toEqual([
      'almost certain',
      'almost certain',
      'likely',
      'likely',
      'likely',
    ]);
  });

  test('does not list numbers that are here on another day', () => {
    const all = without(ids('A', 1, 40), 'A7', 'A8', 'A9');
    const [found] = learn({ Till: all }, ['A8']);
    expect(found).toMatchObject({ here: 37, skipped: 2, sureness: 'likely' });
    expect(found?.gaps).toEqual([
      { from: 'A7', to: 'A7', between: null },
      { from: 'A9', to: 'A9', between: null },
    ]);
    expect(learn({ Till: all }, ['A7', 'A8', 'A9'])).toMatchObject([
      { here: 37, skipped: 0, gaps: [], sureness: 'almost certain' },
    ]);
  });

  test('lists the first hundred gaps and the total of skipped numbers', () => {
    const all = ids('A', 1, 1001).filter((_, n) => n % 7 !== 3);
    const [view] = learn({ Till: all });
    expect(view).toMatchObject({ skipped: 143 });
    expect(view?.gaps).toHaveLength(100);
    expect(view?.gaps.at(-1)).toEqual({ from: 'A697', to: 'A697', between: null });
  });
});

describe('a day of the bakery', () => {
  const readDay = async (date: string): Promise<string[]> => {
    const day: string[] = [];
    for await (const line of openSales()) {
      const sale = JSON.parse(line.toString()) as { external_id: string; timestamp: string };
      if (sale.timestamp.startsWith(date)) day.push(sale.external_id);
    }
    return day;
  };

  test('has no gap, and lists three sales that were removed', async () => {
    const day = await readDay('2017-02-04');
    expect(day.length).toBeGreaterThan(50);
    expect(learn({ Counter: day })).toMatchObject([{ prefix: 'bakery-', here: day.length, skipped: 0, gaps: [] }]);
    const gone = [day[10]!, day[30]!, day[31]!];
    expect(learn({ Counter: without(day, ...gone) })).toMatchObject([
      {
        here: day.length - 3,
        skipped: 3,
        gaps: [
          { from: gone[0], to: gone[0] },
          { from: gone[1], to: gone[2] },
        ],
      },
    ]);
  });
});
