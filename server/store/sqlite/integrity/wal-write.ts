// Writes a write-ahead log (WAL): either a new WAL from salvaged frames, or the bytes of the present WAL again.

import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync } from 'node:fs';

import {
  type Checksum,
  FRAME_HEADER_BYTES,
  WAL_HEADER_BYTES,
  IS_BIG_ENDIAN,
  MAGIC,
  VERSION,
  type WalHeader,
  addUp,
  countReadable,
  parseHeader,
  readAt,
  sumOfHeader,
  writeAt,
} from './wal-format.ts';
import type { WalFrame } from './wal-scan.ts';

/**
 * Writes a new WAL with one commit. If `frames` has several frames of a page, the commit has the last of them. Syncs the WAL
 * and reads it back. Returns false, and writes nothing, if the frames have no commit.
 */
export function writeWal(file: string, walFile: string, header: WalHeader, frames: readonly WalFrame[]): boolean {
  const last = frames.findLast(({ commitPages }) => commitPages !== 0);
  if (last === undefined) return false;
  const kept = new Map<number, number>();
  for (const [index, { page, isOurs }] of frames.entries())
    if (isOurs && page > 0 && page <= last.commitPages) kept.set(page, index);
  const target = openSync(file, 'wx+', 0o600);
  const source = openSync(walFile, 'r');
  try {
    const { pageSize, isBigEndian, salts } = header;
    const head = Buffer.alloc(WAL_HEADER_BYTES);
    for (const [index, word] of [MAGIC | Number(isBigEndian), VERSION, pageSize, 0, ...salts].entries())
      head.writeInt32BE(word | 0, 4 * index);
    let checksum = sumOfHeader(head, isBigEndian);
    writeChecksum(head, 24, checksum);
    writeAt(target, 0, head);
    const frameBytes = FRAME_HEADER_BYTES + pageSize;
    let [left, end] = [kept.size, WAL_HEADER_BYTES];
    for (const [page, index] of kept) {
      left -= 1;
      const bytes = readAt(source, WAL_HEADER_BYTES + index * frameBytes, frameBytes);
      const { repaired } = frames[index] as WalFrame; // `index` is always a valid index of `frames`
      if (repaired !== undefined) bytes.set(repaired, FRAME_HEADER_BYTES);
      for (const [at, word] of [page, left === 0 ? last.commitPages : 0, ...salts].entries())
        bytes.writeInt32BE(word | 0, 4 * at);
      const summed = Buffer.from(new Uint8Array(8 + pageSize).buffer);
      bytes.copy(summed, 0, 0, 8);
      bytes.copy(summed, 8, FRAME_HEADER_BYTES);
      if (isBigEndian !== IS_BIG_ENDIAN) summed.swap32();
      checksum = addUp(new Uint32Array(summed.buffer), checksum);
      writeChecksum(bytes, 16, checksum);
      writeAt(target, end, bytes);
      end += frameBytes;
    }
    fsyncSync(target);
    if (countReadable(target) !== kept.size) throw new Error(`${file} cannot be read as it was written`);
    return true;
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/**
 * Writes the first frames of a WAL again and syncs them. After a failed sync, bytes may be only in memory; this puts them on the
 * disk. Cuts off all other frames first. They are those of a failed commit. The next commit would overwrite them, and a power cut
 * could mix both. Returns the number of frames up to the last commit. The caller must prevent other writes; readers see no change.
 */
export function rewriteWal(walFile: string, frames: number): number {
  const wal = openSync(walFile, 'r+');
  try {
    const header = parseHeader(readAt(wal, 0, WAL_HEADER_BYTES));
    const frameBytes = FRAME_HEADER_BYTES + (header?.pageSize ?? Infinity);
    const end = WAL_HEADER_BYTES + frames * frameBytes;
    if (frames >= 0 && fstatSync(wal).size > end) ftruncateSync(wal, end);
    const chunkBytes = 4 * 1024 * 1024;
    for (let at = 0; ; at += chunkBytes) {
      const chunk = readAt(wal, at, chunkBytes);
      writeAt(wal, at, chunk);
      if (chunk.byteLength < chunkBytes) break;
    }
    fsyncSync(wal);
    return countReadable(wal);
  } finally {
    closeSync(wal);
  }
}

function writeChecksum(bytes: Buffer, at: number, [first, second]: Checksum): void {
  bytes.writeInt32BE(first, at);
  bytes.writeInt32BE(second, at + 4);
}
