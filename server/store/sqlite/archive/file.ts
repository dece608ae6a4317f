// The format of an archive file: a mark, then blocks. A block is compressed alone, so that one record can be read without the
// others, and has a SHA-256, so that a changed byte is found. A file never changes after it was written.
//
// Block: "CFB1", length of the compressed bytes (4 bytes, big-endian), their SHA-256, the compressed bytes
// (block.ts).

import { hash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

import { beginBlock, type Bodies, decompressBlock } from './block.ts';

const FILE_MARK = Buffer.from('Counterfoil archive 1\n');
const BLOCK_MARK = Buffer.from('CFB1');
const DIGEST_BYTES = 32;
const HEAD_BYTES = BLOCK_MARK.byteLength + 4 + DIGEST_BYTES;

/** The place of a block in its file. `bytes` includes its head. */
export interface BlockPlace {
  readonly offset: number;
  readonly bytes: number;
}

export interface Block extends BlockPlace {
  readonly bodies: Bodies;
}

/** Thrown when a file does not have the bytes that were written. */
export class ArchiveDamagedError extends Error {
  constructor(path: string, what: string) {
    super(`${path} is damaged: ${what}`);
  }
}

export interface ArchiveWriter {
  /** Adds a body. Call it once for each record. */
  add(recordId: number, body: Uint8Array): void;
  /** Writes the last block and syncs the file. Returns its size. */
  end(): number;
  /** Closes the file. Call it always. */
  close(): void;
}

/** Creates a file that only its owner can read. Throws if it exists. Calls `beforeBlock` before it writes a block. */
export function createArchiveFile(path: string, beforeBlock: () => void = () => {}): ArchiveWriter {
  const file = openSync(path, 'wx', 0o600);
  let block = beginBlock();
  let size = 0;

  function write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength;) at += writeSync(file, bytes, at);
    size += bytes.byteLength;
  }
  function flush(): void {
    if (block.recordIds.length === 0) return;
    beforeBlock();
    const compressed = block.compress();
    const length = Buffer.alloc(4);
    length.writeUInt32BE(compressed.byteLength);
    write(Buffer.concat([BLOCK_MARK, length, hash('sha256', compressed, 'buffer'), compressed]));
    block = beginBlock();
  }

  write(FILE_MARK);
  return {
    add(recordId, body) {
      if (block.add(recordId, body)) flush();
    },
    end() {
      flush();
      fsyncSync(file);
      return size;
    },
    close: () => closeSync(file),
  };
}

/** Reads one block. Throws an ArchiveDamagedError if a byte has changed, or the error of the file system. */
export function readBlock(path: string, place: BlockPlace): Block {
  return withFile(path, (file) => readAt(path, file, place));
}

/** Reads a whole file, block by block. Throws like `readBlock`. */
export function* readBlocks(path: string): Generator<Block> {
  const file = openSync(path, 'r');
  try {
    const size = fstatSync(file).size;
    if (!readBytes(path, file, 0, FILE_MARK.byteLength).equals(FILE_MARK))
      throw new ArchiveDamagedError(path, 'it does not begin like an archive file');
    for (let offset = FILE_MARK.byteLength; offset < size;) {
      const head = readBytes(path, file, offset, HEAD_BYTES);
      const bytes = HEAD_BYTES + head.readUInt32BE(BLOCK_MARK.byteLength);
      if (offset + bytes > size) throw new ArchiveDamagedError(path, `the block at ${offset} is not complete`);
      yield readAt(path, file, { offset, bytes });
      offset += bytes;
    }
  } finally {
    closeSync(file);
  }
}

function withFile<T>(path: string, work: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

function readBytes(path: string, file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const read = readSync(file, bytes, at, length - at, offset + at);
    if (read === 0) throw new ArchiveDamagedError(path, `it ends before byte ${offset + length}`);
    at += read;
  }
  return bytes;
}

function readAt(path: string, file: number, { offset, bytes }: BlockPlace): Block {
  const damaged = (): ArchiveDamagedError => new ArchiveDamagedError(path, `the block at ${offset} has changed`);
  const whole = readBytes(path, file, offset, bytes);
  const compressed = whole.subarray(HEAD_BYTES);
  const isOurs =
    bytes > HEAD_BYTES &&
    whole.subarray(0, BLOCK_MARK.byteLength).equals(BLOCK_MARK) &&
    whole.readUInt32BE(BLOCK_MARK.byteLength) === compressed.byteLength &&
    hash('sha256', compressed, 'buffer').equals(whole.subarray(HEAD_BYTES - DIGEST_BYTES, HEAD_BYTES));
  if (!isOurs) throw damaged();
  try {
    return { offset, bytes, bodies: decompressBlock(compressed) };
  } catch (error) {
    throw Object.assign(damaged(), { cause: error }); // only if somebody has made the file on purpose
  }
}
