// The format of a block of bodies, in an archive file and in a pack: the number of records (4 bytes), for each record its id (6) and
// the length of its body (4), then the bodies. All numbers are big-endian, and everything is compressed with zstd.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const ENTRY_BYTES = 10;
/**
 * A block is full at this size or number of bodies. A larger one would need less space, but the writer moves a block in one
 * transaction, and tills wait for it.
 */
const FULL = { bytes: 32 * 1024, records: 250 };
/** Maximum size of a block in memory. A body has at most 1 MiB. */
const MAX_DECOMPRESSED_BYTES = 4 * 1024 * 1024;
const LEVEL = 12;

/** The bodies of a block by record id. */
export type Bodies = ReadonlyMap<number, Buffer>;

/** Collects the bodies of one block. */
export interface BlockFiller {
  /** Adds a body, and returns whether the block is full. Call it once for each record. */
  add(recordId: number, body: Uint8Array): boolean;
  readonly recordIds: readonly number[];
  /** Also decompresses the result, and throws if a body differs: the caller deletes these bodies elsewhere. */
  compress(): Buffer;
}

export function beginBlock(): BlockFiller {
  const recordIds: number[] = [];
  const bodies: Uint8Array[] = [];
  let bytes = 0;
  return {
    recordIds,
    add(recordId, body) {
      recordIds.push(recordId);
      bodies.push(body);
      bytes += body.byteLength;
      return bytes >= FULL.bytes || recordIds.length === FULL.records;
    },
    compress() {
      const index = Buffer.alloc(4 + recordIds.length * ENTRY_BYTES);
      index.writeUInt32BE(recordIds.length, 0);
      recordIds.forEach((recordId, i) => {
        index.writeUIntBE(recordId, 4 + i * ENTRY_BYTES, 6);
        index.writeUInt32BE(bodies[i]?.byteLength ?? 0, 10 + i * ENTRY_BYTES);
      });
      const block = Buffer.concat([index, ...bodies]);
      const compressed = zstdCompressSync(block, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
      if (!decompress(compressed).equals(block)) throw new Error('a compressed block differs from its bodies');
      return compressed;
    },
  };
}

/** Throws if the bytes are not those of a block. */
export function decompressBlock(compressed: Uint8Array): Bodies {
  const content = decompress(compressed);
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

function decompress(compressed: Uint8Array): Buffer {
  return zstdDecompressSync(compressed, { maxOutputLength: MAX_DECOMPRESSED_BYTES });
}
