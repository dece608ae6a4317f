// Finds the lanes that the screens show, and the colour of their state. Pure.

import type { LaneView } from '../../server/contract/lanes.ts';
import type { Tone } from '../theme/theme.ts';

/** A lane of the earlier interface is hidden until it has an upstream or records. */
export function isLaneShown({ interface: by, url, deliveries }: LaneView): boolean {
  return by === 'current' || url !== null || Object.values(deliveries).some((count) => count > 0);
}

const WORST_FIRST = ['refused', 'line down', 'paused', 'running'] as const;
const TONE_OF: Record<LaneView['state'], Tone> = {
  running: 'fine',
  'line down': 'differs',
  refused: 'bad',
  paused: 'unknown',
};

/** The lane in the worst state among those with an upstream or waiting records. If there are none, the first lane. */
export function worstLane(lanes: readonly LaneView[]): LaneView | undefined {
  const inUse = lanes.filter(({ url, deliveries }) => url !== null || deliveries.waiting > 0);
  const candidates = inUse.length > 0 ? inUse : lanes.slice(0, 1);
  return candidates.toSorted((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state)).at(0);
}

export function toneOf(lane: LaneView): Tone {
  return lane.url === null ? 'unknown' : TONE_OF[lane.state];
}
