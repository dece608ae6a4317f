// Writes pixels as PNG, ICO and ICNS. Pixels are RGBA, 8 bits each, not premultiplied, rows from the top. The same pixels
// always give the same bytes.

import { crc32, deflateSync } from 'node:zlib';

/** @typedef {{ size: number, rgba: Buffer }} Picture A square of `size` pixels. */

/**
 * @param {Picture} picture
 * @returns {Buffer}
 */
export function writePng({ size, rgba }) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8); // 8 bits, RGBA, deflate, filters per row, not interlaced
  const pixels = [0, 1, 2].map((filter) => deflateSync(filterRows(size, rgba, filter), { level: 9 }));
  const [smallest] = pixels.toSorted((one, other) => one.length - other.length);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', smallest ?? Buffer.alloc(0)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** @type {(type: string, content: Buffer) => Buffer} */
function pngChunk(type, content) {
  const chunk = Buffer.alloc(content.length + 12);
  chunk.writeUInt32BE(content.length, 0);
  chunk.write(type, 4, 'latin1');
  content.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

/**
 * Filters all rows of the pixels in the same way: 0 no filter, 1 the difference to the pixel on the left, 2 the difference to
 * the pixel above.
 * @type {(size: number, rgba: Buffer, filter: number) => Buffer}
 */
function filterRows(size, rgba, filter) {
  const stride = size * 4;
  const rows = Buffer.alloc(size * (stride + 1), filter);
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const before = filter === 1 && x >= 4 ? rgba[at - 4] : filter === 2 && y > 0 ? rgba[at - stride] : 0;
      rows[y * (stride + 1) + 1 + x] = (rgba[at] ?? 0) - (before ?? 0);
    }
  return rows;
}

/**
 * Entries below 256 px are bitmaps, which every part of Windows reads. The entry of 256 px is a PNG, as in Windows' own
 * icons.
 * @param {readonly Picture[]} pictures at most 256 px
 * @returns {Buffer}
 */
export function writeIco(pictures) {
  const images = pictures.map((picture) => (picture.size < 256 ? writeDib(picture) : writePng(picture)));
  const directory = Buffer.alloc(6 + 16 * pictures.length);
  directory.writeUInt16LE(1, 2); // an icon
  directory.writeUInt16LE(pictures.length, 4);
  let offset = directory.length;
  for (const [index, { size }] of pictures.entries()) {
    const length = images[index]?.length ?? 0;
    const at = 6 + 16 * index;
    directory.set([size % 256, size % 256], at); // 0 means 256
    directory.writeUInt16LE(1, at + 4); // planes
    directory.writeUInt16LE(32, at + 6); // bits per pixel
    directory.writeUInt32LE(length, at + 8);
    directory.writeUInt32LE(offset, at + 12);
    offset += length;
  }
  return Buffer.concat([directory, ...images]);
}

/**
 * Writes the pixels as BGRA, from the bottom row up. A mask of one bit per pixel follows, for programs that ignore alpha.
 * @type {(picture: Picture) => Buffer}
 */
function writeDib({ size, rgba }) {
  const maskStride = Math.ceil(size / 32) * 4;
  const maskStart = 40 + size * size * 4;
  const dib = Buffer.alloc(maskStart + maskStride * size);
  dib.writeUInt32LE(40, 0); // BITMAPINFOHEADER
  dib.writeInt32LE(size, 4);
  dib.writeInt32LE(size * 2, 8); // this height counts the rows of the pixels and of the mask
  dib.writeUInt16LE(1, 12);
  dib.writeUInt16LE(32, 14);
  dib.writeUInt32LE(dib.length - 40, 20);
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const [r = 0, g = 0, b = 0, a = 0] = rgba.subarray(((size - 1 - y) * size + x) * 4);
      dib.set([b, g, r, a], 40 + (y * size + x) * 4);
      const at = maskStart + y * maskStride + (x >> 3);
      if (a < 128) dib[at] = (dib[at] ?? 0) | (0x80 >> (x & 7));
    }
  return dib;
}

/** The entries of an ICNS file for macOS 11 and later. `size` is the number of pixels, so 16 at 2x has the size 32. */
export const ICNS_ENTRIES = /** @type {const} */ ([
  { type: 'ic04', size: 16 },
  { type: 'ic05', size: 32 },
  { type: 'ic07', size: 128 },
  { type: 'ic08', size: 256 },
  { type: 'ic09', size: 512 },
  { type: 'ic10', size: 1024 }, // 512 at 2x
  { type: 'ic11', size: 32 }, // 16 at 2x
  { type: 'ic12', size: 64 }, // 32 at 2x
  { type: 'ic13', size: 256 }, // 128 at 2x
  { type: 'ic14', size: 512 }, // 256 at 2x
]);

/**
 * 16 and 32 px at 1x are run-length encoded, because macOS shows no PNG at these sizes. All other entries are PNG.
 * @param {(size: number) => Picture} pictureOf
 * @returns {Buffer}
 */
export function writeIcns(pictureOf) {
  const entries = ICNS_ENTRIES.map(({ type, size }) => {
    const picture = pictureOf(size);
    return icnsEntry(type, type === 'ic04' || type === 'ic05' ? writeArgb(picture) : writePng(picture));
  });
  return icnsEntry('icns', Buffer.concat(entries));
}

/** @type {(type: string, content: Buffer) => Buffer} */
function icnsEntry(type, content) {
  const header = Buffer.alloc(8);
  header.write(type, 0, 'latin1');
  header.writeUInt32BE(content.length + 8, 4);
  return Buffer.concat([header, content]);
}

/**
 * Encodes the channels alpha, red, green and blue one after the other, each with run-length encoding.
 * @type {(picture: Picture) => Buffer}
 */
function writeArgb({ size, rgba }) {
  const channels = [3, 0, 1, 2].map((channel) =>
    encodeRuns(Uint8Array.from({ length: size * size }, (_, index) => rgba[index * 4 + channel] ?? 0)),
  );
  return Buffer.concat([Buffer.from('ARGB'), ...channels]);
}

/**
 * A byte n below 128 means: n + 1 literal bytes follow. A byte n of 128 or more means: the next byte is repeated n - 125 times.
 * @type {(bytes: Uint8Array) => Buffer}
 */
function encodeRuns(bytes) {
  /** @type {number[]} */
  const out = [];
  let start = 0; // start of the literal bytes that are not written yet
  /** @param {number} end */
  const flush = (end) => {
    for (; start < end; start += 128) {
      const part = bytes.subarray(start, Math.min(end, start + 128));
      out.push(part.length - 1, ...part);
    }
    start = end;
  };
  for (let at = 0; at < bytes.length;) {
    let end = at + 1;
    while (end < bytes.length && end - at < 130 && bytes[end] === bytes[at]) end += 1;
    if (end - at >= 3) {
      flush(at);
      out.push(end - at + 125, bytes[at] ?? 0);
      start = end;
    }
    at = end;
  }
  flush(bytes.length);
  return Buffer.from(out);
}
