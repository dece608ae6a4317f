// How answers decide whether an end point of the earlier interface is valid. There is no store, and the test gives the times.

import { describe, expect, test } from 'vitest';

import { type EndPoints, openEndPoints } from '../../../server/forward/end-point.ts';
import type { EndPointNote } from '../../../server/store/outbox/ledger.ts';

const SALES = { version: 'v1', resource: 'transaction' };
const OTHER = { version: 'v2', resource: 'transaction' };

function open(notes: readonly EndPointNote[] = []): { points: EndPoints; kept: EndPointNote[]; turns: string[] } {
  const kept: EndPointNote[] = [];
  const turns: string[] = [];
  const points = openEndPoints({
    notes,
    random: () => 0.5,
    onChange: (note) => void kept.push(note),
    onRefused: ({ version, resource }, ids) => void turns.push(`${version}/${resource} refused by ${ids.join(', ')}`),
    onValid: () => void turns.push('valid'),
  });
  return { points, kept, turns };
}

const judgeAll = ({ judge }: EndPoints, ids: readonly number[]): string[] => ids.map((id) => judge(SALES, id, 0));

test('before any pass the first 400 refuses an end point; another version is another end point', () => {
  const { points, turns } = open();
  expect(judgeAll(points, [1, 2])).toEqual(['end point', 'end point']);
  expect([points.isRefused(SALES), points.isRefused(OTHER)]).toEqual([true, false]);
  expect(turns).toEqual(['v1/transaction refused by 1']);
});

test('after a pass three different records in a row refuse it', () => {
  const { points } = open();
  points.notePass(SALES, 'delivered');
  expect(judgeAll(points, [1, 1, 1, 2])).toEqual(['record', 'record', 'record', 'record']);
  expect(judgeAll(points, [3])).toEqual(['end point']);
});

test.each(['delivered', 'judged'] as const)('a record that is %s ends the row, and the refusal', (as) => {
  const { points, turns } = open();
  points.notePass(SALES, 'delivered');
  judgeAll(points, [1, 2]);
  points.notePass(SALES, as);
  expect(judgeAll(points, [3, 4, 5])).toEqual(['record', 'record', 'end point']);
  points.notePass(SALES, as);
  expect(points.isRefused(SALES)).toBe(false);
  expect(turns).toEqual(['v1/transaction refused by 3, 4, 5', 'valid']);
});

test('a rejected record does not prove that records pass', () => {
  const { points } = open();
  points.notePass(SALES, 'judged');
  expect(judgeAll(points, [1])).toEqual(['end point']);
});

test('records that drew 400 before another passed are evidence only together with a new one', () => {
  const { points } = open();
  judgeAll(points, [1, 2, 3]);
  points.notePass(SALES, 'delivered');
  expect(judgeAll(points, [1, 2, 3])).toEqual(['record', 'record', 'record']);
  expect(judgeAll(points, [4])).toEqual(['end point']);
});

test('of thousands of bad records in a row only a few are kept', () => {
  const { points, kept } = open();
  const bad = Array.from({ length: 5000 }, (_, i) => i);
  judgeAll(points, bad);
  points.notePass(SALES, 'delivered');
  kept.length = 0;
  expect(new Set(judgeAll(points, bad))).toEqual(new Set(['record']));
  expect(kept.length).toBeLessThan(10);
  expect(judgeAll(points, [5001])).toEqual(['end point']);
});

test('an end point without waiting records is valid again, so that a new record is read', () => {
  const { points, turns } = open();
  judgeAll(points, [1]);
  points.noteEmpty(SALES);
  expect(turns).toEqual(['v1/transaction refused by 1', 'valid']);
});

describe('the stored state', () => {
  test('is stored when it changes, not for each record', () => {
    const { points, kept } = open();
    for (let i = 0; i < 100; i++) points.notePass(SALES, 'delivered');
    judgeAll(points, [1]);
    points.notePass(SALES, 'delivered');
    const valid = { ...SALES, hasPassed: true, isRefused: false };
    expect(kept).toEqual([
      { ...valid, refusedInARow: [] },
      { ...valid, refusedInARow: [1] },
      { ...valid, refusedInARow: [] },
    ]);
  });

  test('survives a restart: the row, and the refusal, which is tested at once', () => {
    const row = open([{ ...SALES, hasPassed: true, isRefused: false, refusedInARow: [1, 2] }]).points;
    expect(row.judge(SALES, 3, 0)).toBe('end point');
    const refused = open([{ ...SALES, hasPassed: false, isRefused: true, refusedInARow: [] }]).points;
    expect(refused.takeDue(0)).toEqual({ endPoint: SALES, place: 1 });
  });
});

describe('a refused end point is tried', () => {
  test('by one record at a time, each time after twice the interval: the newest, the oldest and a random one', () => {
    const { points } = open();
    judgeAll(points, [1]);
    const tries: [at: number, place: number | undefined][] = [];
    for (let i = 0; i < 12; i++) {
      const at = points.nextTryAt();
      expect(points.takeDue(at - 1)).toBeUndefined();
      tries.push([at, points.takeDue(at)?.place]);
      expect([points.takeDue(at + 1e9), points.nextTryAt()]).toEqual([undefined, Infinity]);
      points.endTry(SALES, at);
    }
    expect(tries.slice(0, 6)).toEqual([
      [500, 1],
      [1500, 0],
      [3500, 0.5],
      [7500, 0.5],
      [15_500, 1],
      [31_500, 0],
    ]);
    expect((tries[11]?.[0] ?? 0) - (tries[10]?.[0] ?? 0)).toBe(150_000);
  });

  test('by a new record at once, twice a minute at most, and on request', () => {
    const { points } = open();
    judgeAll(points, [1]);
    points.noteNewRecords(10);
    expect(points.takeDue(10)).toEqual({ endPoint: SALES, place: 1 });
    points.endTry(SALES, 10);
    points.noteNewRecords(11);
    expect(points.nextTryAt()).toBe(1010);
    points.tryNow();
    expect(points.takeDue(11)).toBeDefined();
  });

  test('is no longer refused when no record waits or the upstream has changed', () => {
    for (const forget of [(points: EndPoints) => points.noteEmpty(SALES), (points: EndPoints) => points.reset()]) {
      const { points } = open();
      judgeAll(points, [1]);
      forget(points);
      expect([points.listRefused(), points.nextTryAt()]).toEqual([[], Infinity]);
      expect(judgeAll(points, [2])).toEqual(['end point']);
    }
  });
});

test('the end point refused last is listed first', () => {
  const { points } = open();
  points.judge(SALES, 1, 10);
  points.judge(OTHER, 2, 20);
  expect(points.listRefused()).toEqual([OTHER, SALES]);
  points.judge(SALES, 3, 30);
  expect(points.listRefused()).toEqual([SALES, OTHER]);
});
