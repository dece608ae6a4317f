// Which lanes are spoken of, on every screen, and how they stand. Pure.

import type { LaneView } from '../../server/contract/lanes.ts';
import type { Tone } from '../theme/theme.ts';

/** A lane that is to be shown: the earlier interface is of no concern where nobody speaks it. */
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

/** The lane to speak of: of those that matter, the one that is worst off. */
export function worstLane(lanes: readonly LaneView[]): LaneView | undefined {
  const inUse = lanes.filter(({ url, deliveries }) => url !== null || deliveries.waiting > 0);
  const candidates = inUse.length > 0 ? inUse : lanes.slice(0, 1);
  return candidates.toSorted((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state)).at(0);
}

export function toneOf(lane: LaneView): Tone {
  return lane.url === null ? 'unknown' : TONE_OF[lane.state];
}
