// How answers change the state of a line. There is no store and no upstream, and the test gives the times.

import { describe, expect, test } from 'vitest';

import { causeOf } from '../../../server/cause.ts';
import { meaningOf } from '../../../server/forward/answer.ts';
import { type Attempt, type Fate, type Line, openLine } from '../../../server/forward/line.ts';
import { answered } from '../../support/forwarding.ts';

const UP = meaningOf(answered(201));
const TROUBLE = meaningOf(answered(500));
const CAUSE = causeOf('trouble', 500);
const UNREACHABLE = meaningOf({ kind: 'unreachable', reason: 'ECONNREFUSED' });

/** A line that has been up since time 0 and allows the maximum number of calls in flight. */
function openUp(): Line {
  const line = openLine(() => 0.5);
  for (let recordId = 1; recordId <= 20; recordId++) judge(line, { recordId, sentAt: 0 }, UP, 1);
  return line;
}

function judge(line: Line, attempt: Partial<Attempt>, meaning = TROUBLE, now = attempt.sentAt ?? 0): Fate {
  return line.judge({ recordId: 1, sentAt: 0, isProbe: false, isOnlyOne: false, ...attempt }, meaning, now);
}

test('one record may be sent at first, and one more after each pass', () => {
  const line = openLine(() => 0.5);
  expect(line.window()).toBe(1);
  for (let recordId = 1; recordId <= 30; recordId++) judge(line, { recordId }, UP);
  expect(line.window()).toBe(16);
});

describe('records in a row without a proper answer', () => {
  test('three mean that the line is down, when nothing passed lately', () => {
    const line = openLine(() => 0.5);
    for (const recordId of [1, 2]) judge(line, { recordId });
    expect(line.halt()).toBeUndefined();
    judge(line, { recordId: 3 });
    expect(line.halt()).toMatchObject({ state: 'down', probes: 0, nextAt: 500 });
  });

  test('eight make the line suspected if others passed just before, and the newest record is sent as a probe', () => {
    const line = openUp();
    for (let recordId = 101; recordId <= 108; recordId++) judge(line, { recordId, sentAt: 10 });
    expect(line.halt()).toMatchObject({ state: 'suspected', nextAt: 10 });
    expect(line.describe(12)).toMatchObject({ state: 'running', cause: { code: 'trouble', detail: '500' } });
    expect(line.takeProbePlace()).toBe(1);

    judge(line, { recordId: 999, sentAt: 11, isProbe: true }, UP, 12);
    expect(line.halt()).toBeUndefined();
    expect(line.describe(12)).toEqual({ state: 'running', cause: null });
    expect(judge(line, { recordId: 101, sentAt: 1000 })).toMatchObject({ kind: 'step back', blamedFor: CAUSE });
  });

  test('the line is down when that probe fails too, and none of the records is blamed', () => {
    const line = openUp();
    for (let recordId = 101; recordId <= 108; recordId++) judge(line, { recordId, sentAt: 10 });
    judge(line, { recordId: 999, sentAt: 11, isProbe: true });
    expect(line.halt()).toMatchObject({ state: 'down' });
    judge(line, { recordId: 998, sentAt: 2000, isProbe: true }, UP);
    expect(judge(line, { recordId: 101, sentAt: 2001 })).toMatchObject({ blamedFor: null });
  });

  test('one record is enough if it is the only one that waits and no other has passed lately', () => {
    const line = openUp();
    judge(line, { recordId: 101, sentAt: 20_000, isOnlyOne: true }, TROUBLE, 20_000);
    expect(line.halt()).toMatchObject({ state: 'down' });
  });

  test('one record does not bring the line down shortly after another has passed, even if no other waits', () => {
    const line = openUp();
    judge(line, { recordId: 101, sentAt: 10, isOnlyOne: true });
    expect(line.halt()).toBeUndefined();
  });
});

test('many failures at the same time shrink the window once', () => {
  const line = openUp();
  for (let recordId = 101; recordId <= 107; recordId++) judge(line, { recordId, sentAt: 10 }, TROUBLE, 20);
  expect(line.window()).toBe(8);
  judge(line, { recordId: 200, sentAt: 20 }, UP, 21);
  judge(line, { recordId: 108, sentAt: 21 }, TROUBLE, 30);
  expect(line.window()).toBe(4);
});

test('a record that fails while others pass is at fault, and slows no other', () => {
  const line = openUp();
  judge(line, { recordId: 101, sentAt: 10 });
  const { window } = { window: line.window() };
  judge(line, { recordId: 102, sentAt: 11 }, UP);
  expect(judge(line, { recordId: 101, sentAt: 1000 })).toEqual({
    kind: 'step back',
    dueAt: 2000,
    blamedFor: CAUSE,
  });
  expect(line.window()).toBe(window + 1);
});

test('probes take the newest record, one in memory, and any, in turn', () => {
  const line = openLine(() => 0.25);
  judge(line, {}, UNREACHABLE);
  const places = Array.from({ length: 6 }, (_, i) => {
    const place = line.takeProbePlace();
    judge(line, { recordId: i, isProbe: true }, UNREACHABLE);
    return place;
  });
  expect(places).toEqual([1, undefined, 0.25, undefined, 1, undefined]);
});

test('a new record is sent as an early probe, at most twice a minute', () => {
  const line = openLine(() => 1);
  for (let probe = 0; probe < 10; probe++) judge(line, { isProbe: probe > 0 }, UNREACHABLE);
  expect(line.halt()).toMatchObject({ probes: 9, nextAt: 300_000 });
  line.noteNewRecords(100_000);
  expect(line.halt()).toMatchObject({ nextAt: 100_000 });
  expect(line.takeProbePlace()).toBe(1);
  judge(line, { isProbe: true, sentAt: 100_000 }, UNREACHABLE);
  line.noteNewRecords(129_999);
  expect(line.halt()).toMatchObject({ nextAt: 400_000 });
});

test('a record at fault is blamed again only if others passed since, and is no evidence against the line', () => {
  const line = openUp();
  judge(line, { recordId: 101, sentAt: 10 });
  judge(line, { recordId: 200, sentAt: 11 }, UP);
  expect(judge(line, { recordId: 101, sentAt: 1000 })).toMatchObject({ blamedFor: CAUSE });
  for (const sentAt of [20_000, 30_000, 40_000, 50_000]) {
    expect(judge(line, { recordId: 101, sentAt, isOnlyOne: true })).toMatchObject({ blamedFor: null });
  }
  expect(line.halt()).toBeUndefined();
  for (const recordId of [201, 202, 203]) judge(line, { recordId, sentAt: 60_000 });
  expect(line.halt()).toMatchObject({ state: 'down' });
});

test('the first 429 without Retry-After pauses for at most a second, the next for twice as long', () => {
  const line = openLine(() => 1);
  judge(line, { recordId: 1, sentAt: 0 }, meaningOf(answered(429)));
  expect(line.quietUntil()).toBe(1000);
  judge(line, { recordId: 2, sentAt: 1000 }, meaningOf(answered(429)));
  expect(line.quietUntil()).toBe(3000);
});

test('two 429 of the same pause count as one: the retry still goes first after it', () => {
  const line = openLine(() => 1);
  judge(line, { recordId: 1 }, UP);
  for (const recordId of [2, 3]) judge(line, { recordId, sentAt: 10 }, meaningOf(answered(429)), 20);
  expect([line.window(), line.maxRetries(true)]).toEqual([1, 1]);
  judge(line, { recordId: 2, sentAt: 1020 }, meaningOf(answered(429)));
  expect(line.maxRetries(true)).toBe(0);
});

test('a new upstream starts without history: three failures in a row are enough', () => {
  const line = openUp();
  line.reset();
  for (const recordId of [101, 102, 103]) judge(line, { recordId, sentAt: 2 });
  expect(line.halt()).toMatchObject({ state: 'down' });
});

test('429 to records that failed before is obeyed when nothing passes', () => {
  const line = openUp();
  judge(line, { recordId: 101, sentAt: 10 });
  judge(line, { recordId: 200, sentAt: 11 }, UP);
  judge(line, { recordId: 101, sentAt: 1000 });
  judge(line, { recordId: 101, sentAt: 2000 }, meaningOf(answered(429, { retryAfterMs: 60_000 })));
  expect(line.quietUntil()).toBe(62_000);
});

describe('the newest cause is shown', () => {
  test('a cause after the end of a Retry-After replaces it', () => {
    const line = openUp();
    judge(line, { recordId: 101, sentAt: 10 }, meaningOf(answered(429, { retryAfterMs: 5000 })));
    expect(line.describe(5000).cause).toEqual(causeOf('slow_down', 429));
    judge(line, { recordId: 102, sentAt: 5010 }, TROUBLE, 5020);
    expect(line.describe(5020).cause).toEqual(CAUSE);
    judge(line, { recordId: 103, sentAt: 5030 }, meaningOf(answered(503, { retryAfterMs: 5000 })), 5040);
    expect(line.describe(5040).cause).toEqual(causeOf('come_back', 503));
  });

  test('a Retry-After while it runs, whatever calls in flight draw', () => {
    const line = openUp();
    judge(line, { recordId: 101, sentAt: 10 }, meaningOf(answered(429, { retryAfterMs: 5000 })), 20);
    judge(line, { recordId: 102, sentAt: 10 }, TROUBLE, 30);
    expect(line.describe(30).cause).toEqual(causeOf('slow_down', 429));
  });

  test.each([
    ['unreachable', UNREACHABLE, meaningOf({ kind: 'unreachable', reason: 'ENOTFOUND' })],
    ['unanswered', UNREACHABLE, meaningOf({ kind: 'unanswered', reason: 'UND_ERR_SOCKET' })],
    ['key_refused', meaningOf(answered(404)), meaningOf(answered(403))],
  ])('%s of a record in flight, and it changes no back-off', (code, first, then) => {
    const line = openUp();
    judge(line, { recordId: 101, sentAt: 10 }, first, 20);
    const halt = line.halt();
    judge(line, { recordId: 102, sentAt: 11 }, then, 30);
    expect(line.describe(30)).toMatchObject({
      state: halt?.state === 'down' ? 'line down' : 'refused',
      cause: { code },
    });
    expect(line.halt()).toMatchObject({ probes: halt?.probes, nextAt: halt?.nextAt });
  });
});
