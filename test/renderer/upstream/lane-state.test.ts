import { describe, expect, test } from 'vitest';

import { estimateEmptyMs, laneSentence, pathOf } from '../../../renderer/upstream/lane-state.ts';
import { lane, NOTHING } from '../lane.ts';

describe('the sentence of a lane', () => {
  test.each([
    ['nothing was ever sent', { deliveredAt: null }, { kind: 'ready', count: 0 }],
    ['every record is upstream', {}, { kind: 'allUpstream', count: 0 }],
    ['some records wait', { deliveries: { ...NOTHING, waiting: 3, held: 1 } }, { kind: 'onTheirWay', count: 3 }],
    ['some records are held', { deliveries: { ...NOTHING, held: 2 } }, { kind: 'allButHeld', count: 2 }],
    ['the line is down', { state: 'line down' }, { kind: 'lineDown', since: 1000, count: 0 }],
    ['the upstream refuses us', { state: 'refused', since: null }, { kind: 'refusedUs', since: null, count: 0 }],
    ['a person paused the lane', { state: 'paused' }, { kind: 'paused', since: 1000, count: 0 }],
    ['no upstream is set', { state: 'paused', url: null }, { kind: 'noUpstream', count: 0 }],
  ] as const)('when %s', (_, over, expected) => {
    expect(laneSentence(lane(over))).toEqual(expected);
  });
});

describe('the time until no record waits', () => {
  test('depends on the rate', () => {
    expect(estimateEmptyMs(lane({ perSecond: 5, deliveries: { ...NOTHING, waiting: 10 } }))).toBe(2000);
  });

  test('is unknown while no record moves', () => {
    const deliveries = { ...NOTHING, waiting: 10 };
    expect(estimateEmptyMs(lane({ deliveries }))).toBeUndefined();
    expect(estimateEmptyMs(lane({ perSecond: 5 }))).toBeUndefined();
    expect(estimateEmptyMs(lane({ perSecond: 5, deliveries, state: 'line down' }))).toBeUndefined();
  });
});

describe('the path of a record', () => {
  test.each([
    ['running', { state: 'running' }, undefined],
    ['line down', { state: 'line down' }, 'line'],
    ['refused', { state: 'refused' }, 'upstream'],
    ['paused', { state: 'paused' }, 'line'],
    ['without an upstream', { state: 'paused', url: null }, 'line'],
  ] as const)('is broken at the failed part: %s', (_, over, expected) => {
    const way = pathOf(lane(over), null);
    expect(way.broken).toBe(expected);
    expect(way.pieces.map(({ name }) => name)).toEqual(['tills', 'here', 'line', 'upstream']);
    // The tills are never shown as the broken part.
    expect(way.pieces.slice(0, 2).every(({ tone }) => tone === 'fine')).toBe(true);
  });

  test('is broken at the gateway when it accepts no records, whatever the line does', () => {
    const way = pathOf(lane({ state: 'line down' }), { code: 'store_full', hint: '', since: 0 });
    expect(way.broken).toBe('here');
    expect(way.pieces[0]).toMatchObject({ word: 'cannotSend' });
  });
});
