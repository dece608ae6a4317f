// What damage in a write-ahead log means: acknowledged commits after it, or only the rest of an interrupted commit. The rig of
// power cuts (test/faults/r02-power-cut.test.ts) judges real logs.

import { expect, test } from 'vitest';

import { judge } from '../../../../../server/store/sqlite/integrity/wal-finding.ts';
import type { WalFrame } from '../../../../../server/store/sqlite/integrity/wal-scan.ts';

const HEADER = { pageSize: 4096, isBigEndian: false, salts: [1, 2], checksum: [3, 4] } as const;
/** With pages of 4096 bytes, a sector of 512 bytes ends before the salts of this frame. */
const SPLIT = 41;

const proven = (page: number, commitPages = 0): WalFrame => ({ page, commitPages, isOurs: true, isProven: true });
const unproven = (page: number, commitPages = 0): WalFrame => ({ ...proven(page, commitPages), isProven: false });

/** Judges a log with readable commits up to `from`, and then these frames. */
function judgeAfter(from: number, ...rest: WalFrame[]): string {
  const readable = Array.from({ length: from }, () => proven(7, 160));
  return judge({
    kind: 'broken',
    header: HEADER,
    isHeaderDamaged: false,
    frames: [...readable, ...rest],
    readable: from,
  }).kind;
}

/** A commit that a power cut interrupted. A frame still has the words of a commit of an earlier log. */
const torn = (size: number): WalFrame[] => [
  proven(1),
  unproven(20),
  unproven(77, size),
  proven(60),
  unproven(161, 161),
];

test('an interrupted commit is no damage, although a torn frame names a commit of an earlier log', () => {
  expect(judgeAfter(SPLIT - 2, ...torn(140))).toBe('cut_off');
  expect(judgeAfter(SPLIT - 2, ...torn(161))).toBe('cut_off');
  expect(judgeAfter(SPLIT + 64 - 2, ...torn(140))).toBe('cut_off');
});

test('a commit in a frame that cannot be torn there is an acknowledged commit', () => {
  expect(judgeAfter(SPLIT - 1, ...torn(140))).toBe('damaged');
});

test('damage in a commit that another commit follows is never taken for an interrupted commit', () => {
  const later = [proven(4), proven(20, 161)];
  expect(judgeAfter(SPLIT - 1, unproven(5), unproven(20, 160), ...later)).toBe('damaged');
  expect(judgeAfter(SPLIT - 1, unproven(3), proven(20, 160), ...later)).toBe('damaged');
  const inOrder = [proven(21, 161), proven(22, 162)];
  expect(judgeAfter(SPLIT - 1, unproven(5), unproven(20, 160), ...inOrder)).toBe('damaged');
});
