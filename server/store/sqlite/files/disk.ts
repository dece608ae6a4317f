// Judges the free space of the disk with the data.

import { statfs } from 'node:fs/promises';

import type { DiskState } from '../../../contract/machine.ts';
import type { Space } from '../../health/ledger.ts';

/** The disk is nearly full if its free space is below one of these: a share of the disk, bytes, or days of growth. */
const LOW = { share: 0.1, bytes: 1e9, days: 30 };
/**
 * A disk that was nearly full counts as nearly full until its free space exceeds the limits by this factor. Otherwise each
 * small change would be reported.
 */
const RECOVERED = 1.2;

export async function readSpace(folder: string): Promise<Space | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}

/** Judges the free space. `bytesPerDay` is the growth of the data; null if unknown. `wasLow` is the previous result. */
export function judgeDisk(
  freeBytes: number,
  totalBytes: number,
  bytesPerDay: number | null,
  wasLow: boolean,
): DiskState {
  const factor = wasLow ? RECOVERED : 1;
  const daysLeft = bytesPerDay === null ? null : Math.floor(freeBytes / bytesPerDay);
  const isLow =
    freeBytes < totalBytes * LOW.share * factor ||
    freeBytes < LOW.bytes * factor ||
    (daysLeft !== null && daysLeft <= LOW.days * factor);
  return { freeBytes, totalBytes, daysLeft, isLow };
}
