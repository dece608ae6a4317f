import { expect, test } from 'vitest';

import { countRecent } from '../../../renderer/model/recent-refusals.ts';
import type { RefusalGroup } from '../../../server/contract/records.ts';

const NOW = 1_800_000_000_000;
const endedAgo = (minutes: number): RefusalGroup => ({ lastAt: NOW - minutes * 60_000 }) as RefusalGroup;

test('refusals need attention until an hour after the last call', () => {
  expect(countRecent([endedAgo(59), endedAgo(60), endedAgo(0)], NOW)).toBe(2);
});
