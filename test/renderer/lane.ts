// Makes lanes for tests.

import type { LaneView } from '../../server/contract/lanes.ts';

export const NOTHING = { waiting: 0, delivered: 0, held: 0, 'set aside': 0 };

export function lane(over: Partial<LaneView> = {}): LaneView {
  return {
    id: 1,
    journalId: 1,
    interface: 'current',
    url: 'https://api.example.com',
    state: 'running',
    cause: null,
    since: 1000,
    perSecond: 0,
    deliveredAt: 2000,
    oldestWaitingAt: null,
    deliveries: NOTHING,
    ...over,
  };
}
