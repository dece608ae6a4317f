// Reads the pixels of PNG, ICO and ICNS files. Shares no code with build/icon-files.mjs, which writes them.

import { inflateSync } from 'node:zlib';

import { expect } from 'vitest';

export interface Picture {
  readonly size: number;
  readonly rgba: Buffer;
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Reads a PNG with four channels (RGBA) of 8 bits. Knows only the row filters none, sub and up. */
export function readPng(file: Buffer): Picture {
  expect(file.subarray(0, 8)).toEqual(PNG_SIGNATURE);
  const size = file.readUInt32BE(16);
  expect(file.readUInt32BE(20), 'height').toBe(size);
  expect([...file.subarray(24, 29)], 'RGBA, 8 bits, not interlaced').toEqual([8, 6, 0, 0, 0]);
  const content: Buffer[] = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at) + 12)
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      content.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  const rows = inflateSync(Buffer.concat(content));
  const stride = size * 4;
  const rgba = Buffer.alloc(size * stride);
  for (let at = 0; at < rgba.length; at += 1) {
    const [y, x] = [Math.floor(at / stride), at % stride];
    const filter = rows[y * (stride + 1)]!;
    if (filter > 2) throw new Error(`PNG filter ${filter} is not expected here`);
    const before = filter === 1 && x >= 4 ? rgba[at - 4]! : filter === 2 && y > 0 ? rgba[at - stride]! : 0;
    rgba[at] = rows[y * (stride + 1) + 1 + x]! + before;
  }
  return { size, rgba };
}

/** Reads all images of an ICO file. Checks that its directory describes each image correctly. */
export function readIco(file: Buffer): { size: number; isPng: boolean; picture: Picture }[] {
  expect([file.readUInt16LE(0), file.readUInt16LE(2)], 'an icon').toEqual([0, 1]);
  return Array.from({ length: file.readUInt16LE(4) }, (_, index) => {
    const at = 6 + 16 * index;
    const size = file[at]! || 256;
    const start = file.readUInt32LE(at + 12);
    const image = file.subarray(start, start + file.readUInt32LE(at + 8));
    const isPng = image.subarray(0, 8).equals(PNG_SIGNATURE);
    const picture = isPng ? readPng(image) : readDib(image);
    expect(picture.size).toBe(size);
    return { size, isPng, picture };
  });
}

function readDib(dib: Buffer): Picture {
  const size = dib.readInt32LE(4);
  expect([dib.readUInt32LE(0), dib.readInt32LE(8), dib.readUInt16LE(14)]).toEqual([40, size * 2, 32]);
  expect(dib.length, 'header, pixels, mask').toBe(40 + size * size * 4 + size * Math.ceil(size / 32) * 4);
  const rgba = Buffer.alloc(size * size * 4);
  for (let at = 0; at < size * size; at += 1) {
    const from = 40 + ((size - 1 - Math.floor(at / size)) * size + (at % size)) * 4;
    const [blue = 0, green = 0, red = 0, alpha = 0] = dib.subarray(from, from + 4);
    rgba.set([red, green, blue, alpha], at * 4);
  }
  return { size, rgba };
}

export function readIcns(file: Buffer): { type: string; picture: Picture }[] {
  expect(file.toString('latin1', 0, 4)).toBe('icns');
  expect(file.readUInt32BE(4)).toBe(file.length);
  const entries: { type: string; picture: Picture }[] = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4)) {
    const content = file.subarray(at + 8, at + file.readUInt32BE(at + 4));
    const isRuns = content.toString('latin1', 0, 4) === 'ARGB';
    entries.push({
      type: file.toString('latin1', at, at + 4),
      picture: isRuns ? readRuns(content.subarray(4)) : readPng(content),
    });
  }
  return entries;
}

function readRuns(runs: Buffer): Picture {
  const bytes: number[] = [];
  for (let at = 0; at < runs.length;) {
    const lead = runs[at]!;
    if (lead < 128) bytes.push(...runs.subarray(at + 1, at + lead + 2));
    else bytes.push(...Array.from({ length: lead - 125 }, () => runs[at + 1]!));
    at += lead < 128 ? lead + 2 : 2;
  }
  const area = bytes.length / 4;
  const rgba = Array.from({ length: area }, (_, at) => [1, 2, 3, 0].map((channel) => bytes[channel * area + at]!));
  return { size: Math.sqrt(area), rgba: Buffer.from(rgba.flat()) };
}
