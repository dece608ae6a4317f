import { describe, expect, test } from 'vitest';

import { isLaneShown, toneOf, worstLane } from '../../../renderer/model/lanes.ts';
import { lane, NOTHING } from '../lane.ts';

describe('a lane of the earlier interface', () => {
  test('is shown only if it has an upstream or records', () => {
    const earlier = { interface: 'earlier', url: null } as const;
    expect(isLaneShown(lane({ url: null }))).toBe(true);
    expect(isLaneShown(lane(earlier))).toBe(false);
    expect(isLaneShown(lane({ ...earlier, url: 'https://a.example' }))).toBe(true);
    expect(isLaneShown(lane({ ...earlier, deliveries: { ...NOTHING, delivered: 1 } }))).toBe(true);
  });
});

test('the worst lane is chosen among those with an upstream or waiting records', () => {
  const running = lane({ id: 1 });
  const unset = lane({ id: 2, url: null, state: 'paused' });
  const down = lane({ id: 3, state: 'line down' });
  const refused = lane({ id: 4, state: 'refused' });
  expect(worstLane([running, down, refused])).toBe(refused);
  expect(worstLane([running, down])).toBe(down);
  expect(worstLane([unset, running])).toBe(running);
  expect(worstLane([{ ...unset, deliveries: { ...NOTHING, waiting: 1 } }, running])).toMatchObject({ id: 2 });
  expect(worstLane([unset])).toBe(unset);
  expect(worstLane([])).toBeUndefined();
});

test('a lane without an upstream has the tone unknown', () => {
  expect(toneOf(lane({ url: null, state: 'paused' }))).toBe('unknown');
  expect([toneOf(lane()), toneOf(lane({ state: 'refused' }))]).toEqual(['fine', 'bad']);
});
