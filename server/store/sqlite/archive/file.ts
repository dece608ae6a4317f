// The format of an archive file: a mark, then blocks. A block is compressed alone, so that one record can be read without the
// others, and has a SHA-256, so that a changed byte is found. A file never changes after it was written.
//
// Block: "CFB1", length of the packed bytes (4 bytes), their SHA-256, the packed bytes. Packed with zstd: the number of records (4),
// for each record its id (6) and the length of its body (4), then the bodies. All numbers are big-endian.

import { hash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const FILE_MARK = Buffer.from('Counterfoil archive 1\n');
const BLOCK_MARK = Buffer.from('CFB1');
const DIGEST_BYTES = 32;
const HEAD_BYTES = BLOCK_MARK.byteLength + 4 + DIGEST_BYTES;
const ENTRY_BYTES = 10;
/**
 * A block is closed when its bodies have this size. A larger block needs less space, but the writer moves a block in one
 * transaction, and tills wait for it.
 */
const BLOCK = { bytes: 32 * 1024, records: 250 };
/** Maximum size of a block in memory. A body has at most 1 MiB. */
const MAX_UNPACKED_BYTES = 4 * 1024 * 1024;
const LEVEL = 12;

/** The place of a block in its file. `bytes` includes its head. */
export interface BlockPlace {
  readonly offset: number;
  readonly bytes: number;
}

export interface Block extends BlockPlace {
  /** The bodies by record id. */
  readonly bodies: ReadonlyMap<number, Buffer>;
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
  let waiting: { readonly recordId: number; readonly body: Uint8Array }[] = [];
  let waitingBytes = 0;
  let size = 0;

  function write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength;) at += writeSync(file, bytes, at);
    size += bytes.byteLength;
  }
  function flush(): void {
    if (waiting.length === 0) return;
    beforeBlock();
    const index = Buffer.alloc(4 + waiting.length * ENTRY_BYTES);
    index.writeUInt32BE(waiting.length, 0);
    waiting.forEach(({ recordId, body }, i) => {
      index.writeUIntBE(recordId, 4 + i * ENTRY_BYTES, 6);
      index.writeUInt32BE(body.byteLength, 10 + i * ENTRY_BYTES);
    });
    const packed = zstdCompressSync(Buffer.concat([index, ...waiting.map(({ body }) => body)]), {
      params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
    });
    const length = Buffer.alloc(4);
    length.writeUInt32BE(packed.byteLength);
    write(Buffer.concat([BLOCK_MARK, length, hash('sha256', packed, 'buffer'), packed]));
    waiting = [];
    waitingBytes = 0;
  }

  write(FILE_MARK);
  return {
    add(recordId, body) {
      waiting.push({ recordId, body });
      waitingBytes += body.byteLength;
      if (waitingBytes >= BLOCK.bytes || waiting.length === BLOCK.records) flush();
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
  const packed = whole.subarray(HEAD_BYTES);
  const isOurs =
    bytes > HEAD_BYTES &&
    whole.subarray(0, BLOCK_MARK.byteLength).equals(BLOCK_MARK) &&
    whole.readUInt32BE(BLOCK_MARK.byteLength) === packed.byteLength &&
    hash('sha256', packed, 'buffer').equals(whole.subarray(HEAD_BYTES - DIGEST_BYTES, HEAD_BYTES));
  if (!isOurs) throw damaged();
  try {
    return { offset, bytes, bodies: unpack(packed) };
  } catch (error) {
    throw Object.assign(damaged(), { cause: error }); // only if somebody has made the file on purpose
  }
}

function unpack(packed: Buffer): Map<number, Buffer> {
  const content = zstdDecompressSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
  const count = content.readUInt32BE(0);
  const bodies = new Map<number, Buffer>();
  let from = 4 + count * ENTRY_BYTES;
  for (let i = 0; i < count; i++) {
    const length = content.readUInt32BE(10 + i * ENTRY_BYTES);
    if (from + length > content.byteLength) throw new RangeError('a body ends after the block');
    bodies.set(content.readUIntBE(4 + i * ENTRY_BYTES, 6), content.subarray(from, from + length));
    from += length;
  }
  return bodies;
}
