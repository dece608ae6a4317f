// Decides what damage in a write-ahead log (WAL) means: whether acknowledged commits follow it, or whether it is only the rest of a
// commit that a power cut interrupted. Pure.

import { FRAME_HEADER_BYTES, WAL_HEADER_BYTES } from './wal-format.ts';
import type { WalFrame, WalScan } from './wal-scan.ts';

export type BrokenWal = Extract<WalScan, { readonly kind: 'broken' }>;

/** The possible ways to treat a damaged WAL. */
export type Finding =
  /** Checksums prove that all frames up to `end` are right. */
  | { readonly kind: 'repaired'; readonly end: number }
  /**
   * Acknowledged commits follow the damage. The last readable commit after the damage ends with frame `end`; 0 if there is
   * none. With `hasLostEnd`, more commits after `end` are lost.
   */
  | { readonly kind: 'damaged'; readonly end: number; readonly hasLostEnd: boolean }
  /** Only the last commit is incomplete: a power cut came before any till got an answer about it, or the commit is damaged. */
  | { readonly kind: 'cut_off' };

/** A disk writes a sector wholly or not at all. */
const SECTOR_BYTES = 512;
/** The bytes of a frame before its salts: the number of the page, and the size of the database after a commit. */
const BYTES_BEFORE_SALTS = 8;

/**
 * A commit starts only after the previous one was synced. So if two commits follow the damage, the first of them was
 * acknowledged.
 */
export function judge(wal: BrokenWal): Finding {
  const { frames, readable, isHeaderDamaged } = wal;
  const end = frames.findLastIndex(({ isProven, commitPages }) => isProven && commitPages !== 0) + 1;
  const hasLostEnd = frames.slice(end).some(isCommit);
  if (end > readable && !hasLostEnd && frames.slice(0, end).every(({ isProven }) => isProven))
    return { kind: 'repaired', end };
  const commits = frames.slice(readable).filter(isCommit).length;
  if (isHeaderDamaged || (commits > 1 && !isOneTornCommit(wal)))
    return { kind: 'damaged', end: end > readable ? end : 0, hasLostEnd };
  return { kind: 'cut_off' };
}

function isCommit({ commitPages }: WalFrame): boolean {
  return commitPages !== 0;
}

/**
 * Whether the frames after the damage may be one commit that a power cut interrupted. If a sector ends before the salts of a frame,
 * the frame may have its new salts but still the two words of a frame of an earlier WAL, also of a commit. All pages of one commit
 * are in the order of their numbers. Two commits nearly always write some page twice, so their pages are not in this order.
 */
function isOneTornCommit({ frames, readable, header }: BrokenWal): boolean {
  const frameBytes = FRAME_HEADER_BYTES + header.pageSize;
  const rest = frames.slice(readable).filter((frame, after) => {
    const saltsAt = WAL_HEADER_BYTES + (readable + after) * frameBytes + BYTES_BEFORE_SALTS;
    const hasOwnWords = frame.isProven || saltsAt % SECTOR_BYTES !== 0;
    return frame.isOurs && hasOwnWords && frame.page !== 0;
  });
  const isAscending = rest.every(({ page }, at) => page > (rest[at - 1]?.page ?? 0));
  return isAscending && rest.filter(isCommit).length <= 1;
}
