// The sentences of bad news that no test on a real disk gives.

import { expect, test } from 'vitest';

import { listProblems } from '../../server/bad-news.ts';
import type { HealthView } from '../../server/contract.ts';

const SINCE = Date.UTC(2026, 10, 23, 12);
const WELL: HealthView = { trouble: null, unwrittenRefusals: 0, machine: { disk: null, clock: null } };

const sentencesOf = (health: Partial<HealthView>): string[] =>
  listProblems({ ...WELL, ...health }, '/data').map(({ sentence }) => sentence);

test.each([
  [0, ''],
  [1, ' 1 call was refused; tills must send it again.'],
  [3, ' 3 calls were refused; tills must send them again.'],
])('what tills must send again is said for %d refused calls', (unwrittenRefusals, calls) => {
  expect(sentencesOf({ trouble: { code: 'store_full', hint: '', since: SINCE }, unwrittenRefusals })).toEqual([
    `The disk is full: no sale has been taken since 2026-11-23 12:00:00Z.${calls} Every sale that was answered is safe. Free some space on the disk of /data; the gateway then goes on automatically.`,
  ]);
});
