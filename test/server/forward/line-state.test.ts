// The table of a line's state transitions is complete and explains each transition. A line follows this table for any sequence
// of answers.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { causeOf } from '../../../server/cause.ts';
import type { Meaning } from '../../../server/forward/answer.ts';
import {
  LINE_EVENTS,
  LINE_STATES,
  type LineEvent,
  type LineState,
  nextLineState,
  TRANSITIONS,
} from '../../../server/forward/line-state.ts';
import { openLine } from '../../../server/forward/line.ts';
import { MAX_PAUSE_MS } from '../../../server/forward/pause.ts';

const CAUSE = causeOf('trouble', 500);
const nameOf = (state: LineState) => state?.state ?? 'up';
/** An example of each state, after the fewest answers that lead to it. */
const STATES: Record<(typeof LINE_STATES)[number], LineState> = {
  up: undefined,
  suspected: { state: 'suspected', cause: CAUSE, probes: 0, nextAt: 5 },
  down: { state: 'down', cause: CAUSE, probes: 2, nextAt: 5 },
  refused: { state: 'refused', cause: CAUSE, probes: 2, nextAt: 5 },
};
const after = (state: LineState, event: LineEvent, now = 1000): LineState =>
  nextLineState(state, event, { cause: causeOf('unreachable', 'ENOTFOUND'), now, random: () => 1 });

describe.each(LINE_STATES)('%s', (name) => {
  test('has exactly one row for every event, each with its reason', () => {
    expect(Object.keys(TRANSITIONS[name])).toEqual([...LINE_EVENTS]);
    for (const event of LINE_EVENTS) {
      const { to, reason } = TRANSITIONS[name][event];
      expect(LINE_STATES).toContain(to);
      expect(reason).toMatch(/^[A-Z].+\.$/);
    }
  });

  test.each(LINE_EVENTS)('leads where its row says, and a row says how it stays only if it stays: %s', (event) => {
    const { to, stay } = TRANSITIONS[name][event];
    expect(nameOf(after(STATES[name], event))).toBe(to);
    expect(stay !== undefined).toBe(to === name);
    if (to === 'up' || to === 'suspected') expect(['keep', undefined]).toContain(stay);
  });
});

test.each<[rule: string, from: readonly (typeof LINE_STATES)[number][], events: readonly LineEvent[], to: string]>([
  ['an answer about a record, or a request to wait, means up', LINE_STATES, ['pass', 'slow down'], 'up'],
  ['a refusal means refused', LINE_STATES, ['refusal', 'refused probe'], 'refused'],
  ['a probe without a connection means down', LINE_STATES, ['unreachable probe'], 'down'],
  ['a failed probe means down while only probes go', ['down', 'refused'], ['failed probe'], 'down'],
])('%s', (_rule, from, events, to) => {
  for (const name of from) for (const event of events) expect(nameOf(after(STATES[name], event))).toBe(to);
});

test('a record sent before a halt changes neither the number of probes nor the time of the next', () => {
  for (const [name, event] of [
    ['down', 'unreachable'],
    ['down', 'failure'],
    ['refused', 'refusal'],
    ['refused', 'failure'],
    ['suspected', 'failure'],
    ['suspected', 'failures in a row'],
  ] as const) {
    expect(after(STATES[name], event)).toMatchObject({ state: name, probes: STATES[name]?.probes, nextAt: 5 });
  }
});

test('failed probes wait longer each time, at most five minutes; a new halt begins with the first back-off', () => {
  const waits = (event: LineEvent): number[] => {
    let state = after(undefined, event, 0);
    return Array.from({ length: 11 }, () => {
      const waited = state?.nextAt ?? NaN;
      state = after(state, event, 0);
      return waited / 1000;
    });
  };
  expect(waits('unreachable probe')).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  expect(waits('refused probe').slice(0, 4)).toEqual([60, 120, 240, 300]);
  expect(after(STATES.refused, 'unreachable', 0)).toMatchObject({ state: 'down', probes: 0, nextAt: 1000 });
});

describe('for any sequence of answers', () => {
  const meaning = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Meaning>({ kind: 'unclear', cause: CAUSE }) },
    fc.constantFrom<Meaning>(
      { kind: 'delivered' },
      { kind: 'record refused' },
      { kind: 'we are refused', cause: causeOf('key_refused', 401) },
      { kind: 'line down', cause: causeOf('unreachable', 'ECONNREFUSED') },
      { kind: 'not now', cause: causeOf('slow_down', 429), retryAfterMs: undefined },
      { kind: 'not now', cause: causeOf('slow_down', 429), retryAfterMs: 2 * MAX_PAUSE_MS },
    ),
  );
  const answer = fc.record({
    meaning,
    recordId: fc.integer({ min: 1, max: 40 }),
    agoMs: fc.integer({ min: 0, max: 3000 }),
    elapsedMs: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 20_000 })),
    isProbe: fc.boolean(),
    isOnlyOne: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  });
  const sequence = fc.array(answer, { maxLength: 120, size: 'max' });

  test('no record is lost, and only an answer about a record settles it', () => {
    fc.assert(
      fc.property(sequence, (answers) => {
        const line = openLine(() => 0.5);
        let now = 0;
        for (const { meaning: drawn, recordId, agoMs, elapsedMs, isProbe, isOnlyOne } of answers) {
          now += elapsedMs;
          const fate = line.judge({ recordId, sentAt: now - agoMs, isProbe, isOnlyOne }, drawn, now);
          expect(fate.kind === 'delivered').toBe(drawn.kind === 'delivered');
          expect(fate.kind === 'held').toBe(drawn.kind === 'record refused');
          // The line sends the record again at the latest when the longest requested pause and the longest back-off have
          // passed.
          if (fate.kind === 'step back') expect(fate.dueAt).toBeLessThanOrEqual(now + MAX_PAUSE_MS + 300_000);
          if (fate.kind === 'step back' && fate.blamedFor !== null) expect(drawn.kind).toBe('unclear');
        }
      }),
    );
  });

  test('the state follows the last answer, and the window keeps its bounds', () => {
    fc.assert(
      fc.property(sequence, (answers) => {
        const line = openLine(() => 0.5);
        let now = 0;
        for (const { meaning: drawn, recordId, agoMs, elapsedMs, isProbe, isOnlyOne } of answers) {
          now += elapsedMs;
          const before = nameOf(line.halt());
          line.judge({ recordId, sentAt: now - agoMs, isProbe, isOnlyOne }, drawn, now);
          const state = nameOf(line.halt());
          const expected: Record<Meaning['kind'], string[]> = {
            delivered: ['up'],
            'record refused': ['up'],
            'not now': ['up'],
            'we are refused': ['refused'],
            'line down': ['down'],
            unclear: {
              up: ['up', 'suspected', 'down'],
              suspected: ['suspected', 'down'],
              down: ['down'],
              refused: [isProbe ? 'down' : 'refused'],
            }[before],
          };
          expect(expected[drawn.kind]).toContain(state);
          expect(line.window()).toBeGreaterThanOrEqual(1);
          expect(line.window()).toBeLessThanOrEqual(16);
          if (state === 'down' || state === 'refused') expect(line.isInTrouble()).toBe(false);
        }
      }),
    );
  });
});
