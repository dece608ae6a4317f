// How long a nearly full disk lasts, as it is said: never a number of days that means nothing.

import { expect, test } from 'vitest';

import { listProblems } from '../../server/bad-news.ts';
import { MAX_TOLD_DISK_DAYS } from '../../server/contract.ts';

function diskSentence(daysLeft: number | null): string {
  const disk = { freeBytes: 9e9, totalBytes: 1e11, daysLeft, isLow: true };
  const health = { trouble: null, unwrittenRefusals: 0, machine: { disk, clock: null } };
  return listProblems(health, '/data')[0]?.sentence ?? '';
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
