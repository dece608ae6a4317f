// When the write-ahead log (WAL) is copied into the database.

import { expect, onTestFinished, test } from 'vitest';

import { openCheckpoints } from '../../../../../server/store/sqlite/engine/checkpoint.ts';

const PAGE_BYTES = 4096;
const MIB = 1024 * 1024;

/** Returns the number of equal commits after which a checkpoint is due. */
function countCommits(rows: number, bytes: number): number {
  let isDue = false;
  const checkpoints = openCheckpoints(
    async () => {
      isDue = true;
      return 0;
    },
    () => {},
  );
  onTestFinished(() => checkpoints.close());
  let commits = 0;
  while (!isDue) {
    checkpoints.noteWritten(rows, bytes);
    commits += 1;
  }
  return commits;
}

test('the WAL of a lone till stays below 8 MB, although each commit writes whole pages', () => {
  const pages = 2 * countCommits(1, 500); // a commit with one sale writes its record and its id
  expect(pages * PAGE_BYTES).toBeLessThan(8 * MIB);
  expect(pages * PAGE_BYTES).toBeGreaterThan(4 * MIB);
});

test('many tills together make a checkpoint due after thousands of sales', () => {
  expect(64 * countCommits(64, 64 * 500)).toBeGreaterThan(3900);
});
