// Writes a minimal zip file without compression. Node has no module for the format.

import { crc32 } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: string;
  /** The mode of the file, such as 0o755. */
  readonly mode: number;
}

/** The bytes of a zip file with the entries (PKWARE's APPNOTE, 4.3). */
export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode } of entries) {
    const bytes = Buffer.from(content);
    const fileName = Buffer.from(name);
    const common = Buffer.alloc(26); // fields of both headers: version, flags, method, time, checksum, sizes, lengths
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x21, 8); // 1980-01-01, because 0 is no date
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(fileName.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, fileName, bytes]);
    const rest = Buffer.alloc(14); // comment, disk and attributes; the upper half of the attributes is the mode
    rest.writeUInt32LE(((0o100000 | mode) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), common, rest, fileName); // made by Unix
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\u0005\u0006'), end]);
}
