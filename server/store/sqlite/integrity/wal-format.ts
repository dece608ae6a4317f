// The format of SQLite's write-ahead log (WAL): its header, its frames and their checksums. This code reads it without SQLite.
// The checksum of each frame continues the checksum of the frame before. Format:
// https://sqlite.org/fileformat2.html#the_write_ahead_log

import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';

/** Also the size of a WAL that has no frames. */
export const WAL_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
/** First word of a WAL. If its last bit is set, checksums are calculated over big-endian words. */
export const MAGIC = 0x377f0682;
export const VERSION = 3_007_000;
export const IS_BIG_ENDIAN = endianness() === 'BE';
/** Number of frames that are read together. */
const CHUNK_FRAMES = 512;
/**
 * If more than this number of the 64 salt bits differ from the header, the frame belongs to an earlier WAL, because salts are
 * random. If fewer differ, the frame is damaged.
 */
export const MAX_SALT_DAMAGE = 3;

/** A checksum: two running sums, as signed 32-bit integers. */
export type Checksum = readonly [number, number];

export interface WalHeader {
  readonly pageSize: number;
  /** Whether checksums are calculated over big-endian words. The machine that created the WAL decides it. */
  readonly isBigEndian: boolean;
  readonly salts: readonly [number, number];
  /** The checksum of the header. Undefined if the header was lost and rebuilt from the frames. */
  readonly checksum: Checksum | undefined;
}

/** A page in a frame. `content` is valid only until the next frame is read. */
interface IntactFrame {
  readonly page: number;
  readonly content: Buffer;
}

/** Yields the frames that SQLite reads. Returns true at the end of this WAL, and false if damage ended the reading. */
export function* readIntactFrames(walFile: string): Generator<IntactFrame, boolean> {
  const wal = openIfThere(walFile);
  if (wal === undefined) return true;
  try {
    const header = parseHeader(readAt(wal, 0, WAL_HEADER_BYTES));
    if (header === undefined) return false;
    let checksum = header.checksum;
    for (const raw of eachFrame(wal, header)) {
      if (!raw.isIntact(checksum)) return raw.saltDamage > MAX_SALT_DAMAGE;
      checksum = raw.checksum;
      yield raw;
    }
    return true;
  } finally {
    closeSync(wal);
  }
}

/** Counts the frames that SQLite reads: up to the last commit before any damage. */
export function countReadable(wal: number): number {
  const header = parseHeader(readAt(wal, 0, WAL_HEADER_BYTES));
  let checksum = header?.checksum;
  let [frames, readable] = [0, 0];
  if (header === undefined) return 0;
  for (const raw of eachFrame(wal, header)) {
    if (!raw.isIntact(checksum)) break;
    checksum = raw.checksum;
    frames += 1;
    if (raw.commitPages !== 0) readable = frames;
  }
  return readable;
}

export interface RawFrame extends IntactFrame {
  readonly commitPages: number;
  readonly salts: readonly [number, number];
  /** Number of bits in which `salts` differ from the salts in the header of the WAL. */
  readonly saltDamage: number;
  readonly checksum: Checksum;
  /** The words that the checksum covers: the first two words of the frame's header, and the page. */
  readonly words: Uint32Array;
  /** Whether SQLite reads this frame after a frame with the checksum `before`. */
  isIntact(before: Checksum | undefined): boolean;
}

/** Yields every frame in the file. A frame is valid until the next frame is read. */
export function* eachFrame(wal: number, { pageSize, salts, isBigEndian }: WalHeader): Generator<RawFrame> {
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  const words = new Uint32Array((8 + pageSize) / 4);
  const summed = Buffer.from(words.buffer);
  for (let at = WAL_HEADER_BYTES; ; at += CHUNK_FRAMES * frameBytes) {
    const chunk = readAt(wal, at, CHUNK_FRAMES * frameBytes);
    for (let from = 0; from + frameBytes <= chunk.byteLength; from += frameBytes) {
      const word = (index: number): number => chunk.readInt32BE(from + 4 * index);
      const checksum: Checksum = [word(4), word(5)];
      const own = [word(2), word(3)] as const;
      const saltDamage = countBits(own[0] ^ salts[0]) + countBits(own[1] ^ salts[1]);
      const page = word(0) >>> 0;
      chunk.copy(summed, 0, from, from + 8);
      chunk.copy(summed, 8, from + FRAME_HEADER_BYTES, from + frameBytes);
      if (isBigEndian !== IS_BIG_ENDIAN) summed.swap32();
      yield {
        page,
        content: chunk.subarray(from + FRAME_HEADER_BYTES, from + frameBytes),
        commitPages: word(1) >>> 0,
        salts: own,
        saltDamage,
        checksum,
        words,
        isIntact: (before) =>
          before !== undefined && saltDamage === 0 && page !== 0 && isSame(addUp(words, before), checksum),
      };
    }
    if (chunk.byteLength < CHUNK_FRAMES * frameBytes) return;
  }
}

/** Reads the header of a WAL. Undefined if SQLite would not read a WAL with this header. */
export function parseHeader(bytes: Buffer): WalHeader | undefined {
  if (bytes.byteLength < WAL_HEADER_BYTES) return undefined;
  const word = (index: number): number => bytes.readInt32BE(4 * index);
  const pageSize = word(2);
  const isBigEndian = word(0) === (MAGIC | 1);
  if ((word(0) !== MAGIC && !isBigEndian) || word(1) !== VERSION || !isPageSize(pageSize)) return undefined;
  const checksum: Checksum = [word(6), word(7)];
  if (!isSame(sumOfHeader(bytes, isBigEndian), checksum)) return undefined;
  return { pageSize, isBigEndian, salts: [word(4), word(5)], checksum };
}

export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;
}

export function sumOfHeader(bytes: Buffer, isBigEndian: boolean): Checksum {
  const summed = Buffer.from(new Uint8Array(24).buffer);
  bytes.copy(summed, 0, 0, 24);
  if (isBigEndian !== IS_BIG_ENDIAN) summed.swap32();
  return addUp(new Uint32Array(summed.buffer), [0, 0]);
}

export function addUp(words: Uint32Array, before: Checksum): Checksum {
  let [first, second] = before;
  for (let index = 0; index < words.length; index += 2) {
    first = (first + (words[index] ?? 0) + second) | 0;
    second = (second + (words[index + 1] ?? 0) + first) | 0;
  }
  return [first, second];
}

export function isSame(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

export function countBits(word: number): number {
  let count = 0;
  for (let left = word; left !== 0; left &= left - 1) count += 1;
  return count;
}

export function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads up to `length` bytes; returns fewer at the end of the file. */
export function readAt(file: number, position: number, length: number): Buffer {
  // The rest of the file is usually much shorter than `length`, and unused memory costs time too.
  const bytes = Buffer.alloc(Math.min(length, Math.max(0, fstatSync(file).size - position)));
  let read = 0;
  while (read < bytes.byteLength) {
    const got = readSync(file, bytes, read, bytes.byteLength - read, position + read);
    if (got === 0) break;
    read += got;
  }
  return bytes.subarray(0, read);
}
/** Writes all bytes. If one write takes only a part of them, writes the rest in further steps. */
export function writeAt(file: number, position: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.byteLength;)
    written += writeSync(file, bytes, written, bytes.byteLength - written, position + written);
}
