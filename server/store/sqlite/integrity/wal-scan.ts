// Finds damage in a write-ahead log (WAL). SQLite ignores all frames after the first damaged one, and overwrites them. This
// scan verifies each frame by the checksum of the frame before, and corrects one flipped bit.

import { closeSync, fstatSync } from 'node:fs';

import {
  type Checksum,
  WAL_HEADER_BYTES,
  IS_BIG_ENDIAN,
  MAX_SALT_DAMAGE,
  type RawFrame,
  type WalHeader,
  addUp,
  countBits,
  eachFrame,
  isPageSize,
  isSame,
  openIfThere,
  parseHeader,
  readAt,
} from './wal-format.ts';

export interface WalFrame {
  /** The number of the page in the database, from 1. */
  readonly page: number;
  /** For the last frame of a commit: the database's number of pages. For other frames: 0. */
  readonly commitPages: number;
  /** Whether the frame belongs to this WAL, and not to an earlier one in the same file. */
  readonly isOurs: boolean;
  /** Whether a checksum proves the content of the frame, as it is or repaired. */
  readonly isProven: boolean;
  /** The repaired page; undefined if the page in the file is right. */
  readonly repaired?: Uint8Array | undefined;
}

export type WalScan =
  /** SQLite reads every finished commit, or the WAL has no finished commit. */
  | { readonly kind: 'sound' }
  /** SQLite stops reading before the last commit. */
  | {
      readonly kind: 'broken';
      readonly header: WalHeader;
      /**
       * Whether the header is damaged. False for a file of zeros: a power cut before the first commit may leave such a file.
       */
      readonly isHeaderDamaged: boolean;
      /** The frames in the order of the file, up to the last frame of this WAL. */
      readonly frames: readonly WalFrame[];
      /** Number of frames that SQLite reads: up to the last commit before the damage. */
      readonly readable: number;
    };

/**
 * Scans the WAL of a database that no process has open. A damaged page that was already copied into the database is repaired
 * from there.
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

function scan(wal: number, database: number | undefined): WalScan {
  const bytes = readAt(wal, 0, WAL_HEADER_BYTES);
  const valid = parseHeader(bytes);
  const guessed = valid === undefined ? guessHeader(wal, database) : undefined;
  const header = valid ?? repairHeader(bytes, guessed) ?? guessed;
  if (header === undefined) {
    if (bytes.byteLength < WAL_HEADER_BYTES || fstatSync(wal).size === WAL_HEADER_BYTES) return { kind: 'sound' };
    return { kind: 'broken', header: NO_HEADER, isHeaderDamaged: !isBlank(wal), frames: [], readable: 0 };
  }
  const frames: WalFrame[] = [];
  /** Possible readings of the previous frame; the next frame shows which is right. Empty if the previous frame is lost. */
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

/** One way to read a damaged frame, and the checksum that the next frame would continue. */
interface Reading {
  readonly checksum: Checksum;
  readonly frame?: WalFrame;
}

/**
 * Reads the frame that follows a frame with the checksum `before`. Returns the most likely reading first. If the next frame
 * fits only another reading, that reading is right.
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
  // Only one bit of the checksum differs, so that bit may have been flipped. But a flipped bit in the
  // page is another possible cause.
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
 * Flips back the one bit that explains the checksum. `words` is undefined if no bit or several bits explain it: many of the
 * upper nine bits of a word change the checksum in the same way.
 */
function flipOneBit(
  words: Uint32Array,
  actual: Checksum,
  wanted: Checksum,
): { readonly words?: Uint32Array; readonly isUnclear: boolean } {
  const missing = [(wanted[0] - actual[0]) | 0, (wanted[1] - actual[1]) | 0] as const;
  let found: { readonly at: number; readonly bit: number } | undefined;
  /** How the checksum changes if the first or second word of a pair grows by 1. Starts with the last pair. */
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

/** Returns the page from the database, if the checksum proves that this page was written to the WAL. */
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

/**
 * Repairs a header in which one bit has changed. If several bits are possible, prefers the header that agrees with the frames.
 * Undefined if no bit explains the damage.
 */
function repairHeader(bytes: Buffer, guessed: WalHeader | undefined): WalHeader | undefined {
  const candidates = Array.from({ length: 8 * bytes.byteLength }, (_, bit) => {
    const candidate = Buffer.from(bytes);
    candidate.writeUInt8(candidate.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    return parseHeader(candidate);
  }).filter((header) => header !== undefined);
  const agrees = ({ salts }: WalHeader): boolean => salts.every((salt, index) => salt === guessed?.salts[index]);
  return candidates.find(agrees) ?? candidates[0];
}

/** The header to use if the frames of a WAL say nothing about its header. */
const NO_HEADER: WalHeader = { pageSize: 4096, isBigEndian: IS_BIG_ENDIAN, salts: [0, 0], checksum: undefined };

/**
 * Rebuilds a lost header from the database and the frames. The first two frames with fitting checksums belong to this WAL,
 * because frames of an earlier WAL come after it. If the WAL has only one frame, uses that frame. Undefined if nothing can be
 * concluded.
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
    // frames of zeros also fit each other, but prove nothing
    if (follows && !isSame(raw.salts, NO_HEADER.salts)) return { ...header, salts: raw.salts };
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
