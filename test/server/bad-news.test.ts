// The sentences about problems of the gateway and its machine. Tests with a disk that is really full cover the sentences that
// this file does not test.

import { expect, test } from 'vitest';

import { listProblems } from '../../server/bad-news.ts';
import { type HealthView, MAX_TOLD_DISK_DAYS } from '../../server/contract/machine.ts';

const SINCE = Date.UTC(2026, 10, 23, 12);
const WELL: HealthView = {
  trouble: null,
  unwrittenRefusals: 0,
  machine: { disk: null, clock: null, walDamage: null, damaged: null, indexFault: null },
};

const sentencesOf = (health: Partial<HealthView>): string[] =>
  listProblems({ ...WELL, ...health }, '/data').map(({ sentence }) => sentence);

test.each([
  [0, ''],
  [1, ' 1 call was refused; tills must send it again.'],
  [3, ' 3 calls were refused; tills must send them again.'],
])('the sentence says how many calls tills must send again, for %d refused calls', (unwrittenRefusals, calls) => {
  expect(sentencesOf({ trouble: { code: 'store_full', hint: '', since: SINCE }, unwrittenRefusals })).toEqual([
    `The disk is full: no sale has been accepted since 2026-11-23 12:00:00Z.${calls} Every sale that was confirmed is safe. Free some space on the disk of /data; the gateway then continues automatically.`,
  ]);
});

function diskSentence(daysLeft: number | null): string {
  const disk = { freeBytes: 9e9, totalBytes: 1e11, daysLeft, isLow: true };
  return sentencesOf({ machine: { disk, clock: null, walDamage: null, damaged: null, indexFault: null } })[0] ?? '';
}

test.each([
  [null, 'are free.'],
  [0, 'are free, enough for less than a day.'],
  [1, 'are free, enough for about 1 day.'],
  [MAX_TOLD_DISK_DAYS, 'are free, enough for about 366 days.'],
  [MAX_TOLD_DISK_DAYS + 1, 'are free.'],
])('a nearly full disk that lasts for %j days “%s”', (daysLeft, said) => {
  expect(diskSentence(daysLeft)).toBe(
    `The disk is nearly full: 9.0 GB of 100.0 GB ${said} Tills can still sell. Free some space on the disk of /data.`,
  );
});
