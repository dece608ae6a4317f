// Reads the write-ahead log byte by byte, without SQLite. SQLite ignores every frame after the first damaged
// one, and overwrites them. Here each frame is verified on its own, by the checksum that its predecessor carries, and one flipped
// bit is corrected. Format: https://sqlite.org/fileformat2.html#the_write_ahead_log

import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Its last bit says that checksums are of big-endian words. */
const MAGIC = 0x377f0682;
const VERSION = 3_007_000;
const IS_BIG_ENDIAN = endianness() === 'BE';
/** Frames read at once. */
const CHUNK_FRAMES = 512;
/** Salts that differ in at most this many of 64 bits are the same, damaged. Those of another generation are random. */
const MAX_SALT_DAMAGE = 3;

/** A checksum: two running sums, as signed 32-bit integers. */
type Checksum = readonly [number, number];

export interface WalHeader {
  readonly pageSize: number;
  /** Whether checksums are of big-endian words: those of the machine that made the log. */
  readonly isBigEndian: boolean;
  readonly salts: readonly [number, number];
  /** Undefined where the header was lost and rebuilt from the frames. */
  readonly checksum: Checksum | undefined;
}

export interface WalFrame {
  /** The page of the database, from 1. */
  readonly page: number;
  /** The number of pages of the database in the last frame of a commit, else 0. */
  readonly commitPages: number;
  /** Whether it belongs to this log, and not to an earlier one in the same file. */
  readonly isOurs: boolean;
  /** Whether a checksum proves what it holds, as it is or repaired. */
  readonly isProven: boolean;
  /** The repaired page, where the file has another. */
  readonly repaired?: Uint8Array | undefined;
}

export type WalScan =
  /** SQLite reads every commit that was finished, or there is none. */
  | { readonly kind: 'sound' }
  /** Frames of a commit follow a place where SQLite stops reading. */
  | {
      readonly kind: 'broken';
      readonly header: WalHeader;
      /** Not where the file holds zeros alone, as after a power cut before the first commit. */
      readonly isHeaderDamaged: boolean;
      /** In the order of the file, up to the last that belongs to this log. */
      readonly frames: readonly WalFrame[];
      /** The number of frames that SQLite reads: up to the last commit before the damage. */
      readonly readable: number;
    };

/**
 * Scans the log of a database that no process has open. A page that was copied into the database before it was damaged is
 * repaired from there.
 */
export function scanWal(walFile: string, databaseFile: string): WalScan {
  const wal = openIfThere(walFile);
  if (wal === undefined) return { kind: 'sound' };
  const database = openIfThere(databaseFile);
  try {
    return scan(wal, database);
  } finally {
    closeSync(wal);
    if (database !== undefined) closeSync(database);
  }
}

/**
 * Writes every byte of a log again as it is, and syncs it: what a failed sync has left only in memory is on the disk then. Returns
 * the number of frames up to the last commit. The caller keeps others from writing; whoever reads sees no change.
 */
export function rewriteWal(walFile: string): number {
  const wal = openSync(walFile, 'r+');
  try {
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

function countReadable(wal: number): number {
  const header = parseHeader(readAt(wal, 0, HEADER_BYTES));
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

/** A page as a frame holds it; valid until the next one is asked for. */
export interface IntactFrame {
  readonly page: number;
  readonly content: Buffer;
}

/** The frames up to the first that SQLite does not read. Returns whether they are all of this WAL. */
export function* readIntactFrames(walFile: string): Generator<IntactFrame, boolean> {
  const wal = openIfThere(walFile);
  if (wal === undefined) return true;
  try {
    const header = parseHeader(readAt(wal, 0, HEADER_BYTES));
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

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function scan(wal: number, database: number | undefined): WalScan {
  const bytes = readAt(wal, 0, HEADER_BYTES);
  const valid = parseHeader(bytes);
  const guessed = valid === undefined ? guessHeader(wal, database) : undefined;
  const header = valid ?? repairHeader(bytes, guessed) ?? guessed;
  if (header === undefined) {
    if (bytes.byteLength < HEADER_BYTES || fstatSync(wal).size === HEADER_BYTES) return { kind: 'sound' };
    return { kind: 'broken', header: NO_HEADER, isHeaderDamaged: !isBlank(wal), frames: [], readable: 0 };
  }
  const frames: WalFrame[] = [];
  /** What the frame before may be; the next frame shows which. Empty where it is lost. */
  let readings: readonly Reading[] = header.checksum === undefined ? [] : [{ checksum: header.checksum }];
  let isReadable = valid !== undefined;
  let readable = 0;
  for (const raw of eachFrame(wal, header)) {
    const before = readings.findLast(({ checksum }) => raw.isIntact(checksum)) ?? readings[0];
    if (before?.frame !== undefined) frames[frames.length - 1] = before.frame;
    isReadable &&= before === readings[0] && raw.isIntact(before?.checksum);
    const [frame, ...more] = readFrame(raw, before?.checksum, header, database);
    frames.push(frame.frame);
    readings = frame.frame.isOurs ? [frame, ...more] : [];
    if (isReadable && frame.frame.commitPages !== 0) readable = frames.length;
  }
  const ours = frames.slice(0, frames.findLastIndex(({ isOurs }) => isOurs) + 1);
  const isBroken = ours.slice(readable).some(({ commitPages }) => commitPages !== 0);
  if (!isBroken) return { kind: 'sound' };
  return { kind: 'broken', header, isHeaderDamaged: valid === undefined, frames: ours, readable };
}

interface RawFrame extends IntactFrame {
  readonly commitPages: number;
  readonly salts: readonly [number, number];
  /** Bits in which they differ from the header's. */
  readonly saltDamage: number;
  readonly checksum: Checksum;
  /** What is added up: the first two words of its header, and its page. */
  readonly words: Uint32Array;
  /** Whether SQLite reads it after a frame with this checksum. */
  isIntact(before: Checksum | undefined): boolean;
}

/** A frame is valid until the next one is asked for. */
function* eachFrame(wal: number, { pageSize, salts, isBigEndian }: WalHeader): Generator<RawFrame> {
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  const words = new Uint32Array((8 + pageSize) / 4);
  const summed = Buffer.from(words.buffer);
  for (let at = HEADER_BYTES; ; at += CHUNK_FRAMES * frameBytes) {
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

/** What a frame may be, and the checksum that the next one follows then. */
interface Reading {
  readonly checksum: Checksum;
  readonly frame?: WalFrame;
}

/**
 * What a frame is after one with the checksum `before`: first what it is taken for, then what it is instead if only the next
 * frame fits that.
 */
function readFrame(
  raw: RawFrame,
  before: Checksum | undefined,
  header: WalHeader,
  database: number | undefined,
): readonly [Required<Reading>, ...Required<Reading>[]] {
  const { page, commitPages, checksum } = raw;
  const isOurs = raw.saltDamage <= MAX_SALT_DAMAGE;
  const lost = { checksum, frame: { page, commitPages, isOurs, isProven: false } };
  if (!isOurs) return [{ checksum, frame: { page: 0, commitPages: 0, isOurs, isProven: false } }];
  if (before === undefined) return [lost];
  const asItIs = { page, commitPages, isOurs, isProven: page !== 0 };
  const actual = addUp(raw.words, before);
  if (isSame(actual, checksum)) return [{ checksum, frame: asItIs }];
  const { words: flipped, isUnclear } = flipOneBit(raw.words, actual, checksum);
  const words = takeFromDatabase(raw, before, header, database) ?? flipped;
  const repaired = words && { checksum, frame: frameOf(words, header) };
  const damagedBits = countBits(actual[0] ^ checksum[0]) + countBits(actual[1] ^ checksum[1]);
  if (damagedBits > 1) return [repaired ?? lost];
  // The flipped bit is in the checksum, unless one in the page leaves the same trace.
  const inChecksum = { checksum: actual, frame: asItIs };
  if (repaired !== undefined) return [lost, inChecksum, repaired];
  return isUnclear ? [lost, inChecksum] : [inChecksum];
}

function frameOf(words: Uint32Array, { isBigEndian }: WalHeader): WalFrame {
  const bytes = Buffer.from(words.buffer);
  if (isBigEndian !== IS_BIG_ENDIAN) bytes.swap32();
  const [page, commitPages] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
  return { page, commitPages, isOurs: true, isProven: page !== 0, repaired: bytes.subarray(8) };
}

/**
 * The words with the one bit flipped back that explains the checksum; undefined where none does, or it is unclear which: of the
 * upper nine bits of a word, many leave the same trace.
 */
function flipOneBit(
  words: Uint32Array,
  actual: Checksum,
  wanted: Checksum,
): { readonly words?: Uint32Array; readonly isUnclear: boolean } {
  const missing = [(wanted[0] - actual[0]) | 0, (wanted[1] - actual[1]) | 0] as const;
  let found: { readonly at: number; readonly bit: number } | undefined;
  /** What 1 more in the first and the second word of a pair adds to the checksum; begins with the last pair. */
  let weights: readonly Checksum[] = [
    [1, 1],
    [0, 1],
  ];
  for (let pair = words.length - 2; pair >= 0; pair -= 2) {
    for (const [half, [toFirst, toSecond]] of weights.entries()) {
      const word = words[pair + half] ?? 0;
      for (let bit = 0; bit < 32; bit++) {
        const change = (word >>> bit) & 1 ? -(1 << bit) : 1 << bit;
        if (Math.imul(change, toFirst) !== missing[0] || Math.imul(change, toSecond) !== missing[1]) continue;
        if (found !== undefined) return { isUnclear: true };
        found = { at: pair + half, bit };
      }
    }
    weights = weights.map(([first, second]) => [(first + second) | 0, (first + 2 * second) | 0]);
  }
  if (found === undefined) return { isUnclear: false };
  const repaired = words.slice();
  repaired[found.at] = (repaired[found.at] ?? 0) ^ (1 << found.bit);
  return { words: repaired, isUnclear: false };
}

/** The words with the page as the database has it, where the checksum proves that it is the one that was written. */
function takeFromDatabase(
  { page, words, checksum }: RawFrame,
  before: Checksum,
  { pageSize, isBigEndian }: WalHeader,
  database: number | undefined,
): Uint32Array | undefined {
  if (database === undefined || page === 0) return undefined;
  const bytes = readAt(database, (page - 1) * pageSize, pageSize);
  if (bytes.byteLength < pageSize) return undefined;
  if (isBigEndian !== IS_BIG_ENDIAN) bytes.swap32();
  const candidate = words.slice();
  Buffer.from(candidate.buffer).set(bytes, 8);
  return isSame(addUp(candidate, before), checksum) ? candidate : undefined;
}

/** Undefined unless SQLite reads the log after this header. */
function parseHeader(bytes: Buffer): WalHeader | undefined {
  if (bytes.byteLength < HEADER_BYTES) return undefined;
  const word = (index: number): number => bytes.readInt32BE(4 * index);
  const pageSize = word(2);
  const isBigEndian = word(0) === (MAGIC | 1);
  if ((word(0) !== MAGIC && !isBigEndian) || word(1) !== VERSION || !isPageSize(pageSize)) return undefined;
  const checksum: Checksum = [word(6), word(7)];
  if (!isSame(sumOfHeader(bytes, isBigEndian), checksum)) return undefined;
  return { pageSize, isBigEndian, salts: [word(4), word(5)], checksum };
}

/** The header with one bit flipped back; where that is possible in two places, the one that agrees with the frames. */
function repairHeader(bytes: Buffer, guessed: WalHeader | undefined): WalHeader | undefined {
  const candidates = Array.from({ length: 8 * bytes.byteLength }, (_, bit) => {
    const candidate = Buffer.from(bytes);
    candidate.writeUInt8(candidate.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    return parseHeader(candidate);
  }).filter((header) => header !== undefined);
  const agrees = ({ salts }: WalHeader): boolean => salts.every((salt, index) => salt === guessed?.salts[index]);
  return candidates.find(agrees) ?? candidates[0];
}

/** Of a WAL in which no frame tells anything. */
const NO_HEADER: WalHeader = { pageSize: 4096, isBigEndian: IS_BIG_ENDIAN, salts: [0, 0], checksum: undefined };

/**
 * What the database and the frames say of a header that is lost: the first two frames that continue one another are of this WAL,
 * because those of an earlier one follow it. In a WAL of one frame, that frame is believed. Undefined where nothing is told.
 */
function guessHeader(wal: number, database: number | undefined): WalHeader | undefined {
  const pageSize = database === undefined ? 0 : readPageSize(database);
  if (!isPageSize(pageSize)) return undefined;
  const header = { ...NO_HEADER, pageSize };
  let count = 0;
  let before: RawFrame | undefined;
  for (const raw of eachFrame(wal, header)) {
    const follows =
      before !== undefined &&
      isSame(raw.salts, before.salts) &&
      isSame(addUp(raw.words, before.checksum), raw.checksum);
    if (follows && !isSame(raw.salts, NO_HEADER.salts)) return { ...header, salts: raw.salts }; // zeros follow zeros
    [count, before] = [count + 1, raw];
  }
  return count === 1 && before !== undefined && !isSame(before.salts, NO_HEADER.salts)
    ? { ...header, salts: before.salts }
    : undefined;
}

function isBlank(file: number): boolean {
  const chunkBytes = 1024 * 1024;
  for (let at = 0; ; at += chunkBytes) {
    const chunk = readAt(file, at, chunkBytes);
    if (chunk.some((byte) => byte !== 0)) return false;
    if (chunk.byteLength < chunkBytes) return true;
  }
}

function readPageSize(database: number): number {
  const bytes = readAt(database, 0, 18);
  const pageSize = bytes.byteLength < 18 ? 0 : bytes.readUInt16BE(16);
  return pageSize === 1 ? 65_536 : pageSize;
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;
}

/**
 * Writes a WAL that SQLite reads to its end, as one commit: of each page the last of `frames`. The file is new, synced and read
 * back. Does nothing and returns false where there is no commit.
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
    const head = Buffer.alloc(HEADER_BYTES);
    for (const [index, word] of [MAGIC | Number(isBigEndian), VERSION, pageSize, 0, ...salts].entries())
      head.writeInt32BE(word | 0, 4 * index);
    let checksum = sumOfHeader(head, isBigEndian);
    writeChecksum(head, 24, checksum);
    writeAt(target, 0, head);
    const frameBytes = FRAME_HEADER_BYTES + pageSize;
    let [left, end] = [kept.size, HEADER_BYTES];
    for (const [page, index] of kept) {
      left -= 1;
      const bytes = readAt(source, HEADER_BYTES + index * frameBytes, frameBytes);
      const { repaired } = frames[index] as WalFrame; // an index of `frames`
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

function writeChecksum(bytes: Buffer, at: number, [first, second]: Checksum): void {
  bytes.writeInt32BE(first, at);
  bytes.writeInt32BE(second, at + 4);
}

function sumOfHeader(bytes: Buffer, isBigEndian: boolean): Checksum {
  const summed = Buffer.from(new Uint8Array(24).buffer);
  bytes.copy(summed, 0, 0, 24);
  if (isBigEndian !== IS_BIG_ENDIAN) summed.swap32();
  return addUp(new Uint32Array(summed.buffer), [0, 0]);
}

function addUp(words: Uint32Array, before: Checksum): Checksum {
  let [first, second] = before;
  for (let index = 0; index < words.length; index += 2) {
    first = (first + (words[index] ?? 0) + second) | 0;
    second = (second + (words[index + 1] ?? 0) + first) | 0;
  }
  return [first, second];
}

function isSame(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

function countBits(word: number): number {
  let count = 0;
  for (let left = word; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** A single write may take fewer bytes. */
function writeAt(file: number, position: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.byteLength;)
    written += writeSync(file, bytes, written, bytes.byteLength - written, position + written);
}

/** Reads up to `length` bytes; fewer at the end of the file. */
function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const got = readSync(file, bytes, read, length - read, position + read);
    if (got === 0) break;
    read += got;
  }
  return bytes.subarray(0, read);
}
