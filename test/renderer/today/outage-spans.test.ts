import { expect, test } from 'vitest';

import { spansOf } from '../../../renderer/today/outage-spans.ts';
import type { Outage } from '../../../server/contract/lanes.ts';

const MINUTE = 60_000;
const outage = (from: number, to: number | null, state: Outage['state'] = 'line down'): Outage => ({
  laneId: 1,
  state,
  cause: null,
  from: from * MINUTE,
  to: to === null ? null : to * MINUTE,
});

test('outages that follow each other within a minute are one span', () => {
  const outages = [outage(0, 1), outage(1.5, 2), outage(10, 12), outage(11, null)];
  expect(spansOf(outages, 0, 20 * MINUTE)).toEqual([
    { from: 0, to: 2 * MINUTE },
    { from: 10 * MINUTE, to: 20 * MINUTE },
  ]);
});

test('a pause, and an outage before the chart, are not shown', () => {
  expect(spansOf([outage(0, 1), outage(3, 5, 'paused')], 2 * MINUTE, 20 * MINUTE)).toEqual([]);
});
