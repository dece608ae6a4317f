// The committed icons exist in every size that the systems need, are sharp, can be read on light and dark backgrounds, and
// differ in shape.

import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { writeIcns, writeIco, writePng } from '../../build/icon-files.mjs';
import { TRAY_STATES } from '../../build/tray-shapes.mjs';
import { type Picture, readIcns, readIco, readPng } from '../support/icon-reader.ts';

const ROOT = join(import.meta.dirname, '../..');
const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
const WINDOWS_SIZES = [16, 20, 24, 32, 40, 48, 64, 256];
const WINDOWS_TRAY_SIZES = [16, 20, 24, 32, 40, 48];
const PAIRS = TRAY_STATES.flatMap((one, index) => TRAY_STATES.slice(index + 1).map((other) => [one, other] as const));
const ICNS_ENTRIES = [
  { type: 'ic04', size: 16 },
  { type: 'ic05', size: 32 },
  { type: 'ic07', size: 128 },
  { type: 'ic08', size: 256 },
  { type: 'ic09', size: 512 },
  { type: 'ic10', size: 1024 },
  { type: 'ic11', size: 32 },
  { type: 'ic12', size: 64 },
  { type: 'ic13', size: 256 },
  { type: 'ic14', size: 512 },
];

describe('the app icon', () => {
  test.each(LINUX_SIZES)('exists for Linux at %i px', (size) => {
    expect(readPng(read(`build/icons/${size}x${size}.png`)).size).toBe(size);
  });

  test('has bitmaps at the small sizes and a PNG at 256 px for Windows', () => {
    const entries = readIco(read('build/icons/icon.ico'));
    expect(entries.map(({ size }) => size)).toEqual(WINDOWS_SIZES);
    expect(entries.filter(({ isPng }) => isPng).map(({ size }) => size)).toEqual([256]);
  });

  test('has every size from 16 to 1024 px for macOS, at 1x and 2x', () => {
    const entries = readIcns(read('build/icons/icon.icns'));
    expect(entries.map(({ type, picture }) => ({ type, size: picture.size }))).toEqual(ICNS_ENTRIES);
  });

  test('keeps the margins of macOS’s grid', () => {
    for (const { picture } of readIcns(read('build/icons/icon.icns')).filter(({ picture: { size } }) => size > 16)) {
      const margin = (picture.size * 3) / 32;
      expect(findBounds(picture)).toEqual({ left: margin, top: margin, right: margin, bottom: margin });
    }
  });

  test('exists for windows and notifications at 512 px', () => {
    expect(readPng(read('electron/public/icon.png')).size).toBe(512);
  });

  test('is the file that the packager uses', () => {
    const { win, mac, linux } = JSON.parse(read('build/electron-builder.json').toString()) as Record<
      string,
      { icon: string }
    >;
    expect([win?.icon, mac?.icon, linux?.icon]).toEqual([
      'build/icons/icon.ico',
      'build/icons/icon.icns',
      'build/icons',
    ]);
  });

  test.each([...LINUX_SIZES, 20, 40])('has its edges on whole pixels at %i px', (size) => {
    const entry = readIco(read('build/icons/icon.ico')).find((each) => each.size === size);
    expectWholePixels(entry?.picture ?? readPng(read(`build/icons/${size}x${size}.png`)));
  });
});

describe.each(TRAY_STATES)('the tray icon %s', (state) => {
  test.each([
    ['.png', 22],
    ['@1.5x.png', 33],
    ['@2x.png', 44],
    ['Template.png', 18],
    ['Template@2x.png', 36],
  ])('%s has %i px', (name, size) => {
    expect(readPng(read(`electron/public/tray/${state}${name}`)).size).toBe(size);
  });

  test('has one bitmap for each display scale of Windows', () => {
    const entries = readIco(read(`electron/public/tray/${state}.ico`));
    expect(entries.map(({ size, isPng }) => ({ size, isPng }))).toEqual(
      WINDOWS_TRAY_SIZES.map((size) => ({ size, isPng: false })),
    );
  });

  test.each(['Template.png', 'Template@2x.png'])('%s is black, with alpha only', (name) => {
    const { rgba } = readPng(read(`electron/public/tray/${state}${name}`));
    const pixels = pixelsOf(rgba);
    expect(pixels.filter(({ red, green, blue }) => red + green + blue > 0)).toEqual([]);
    expect(new Set(pixels.map(({ alpha }) => alpha))).toSatisfy((seen: Set<number>) => seen.has(0) && seen.has(255));
  });

  test.each([
    ['light', 0xf3],
    ['dark', 0x1c],
  ])('is readable on a %s bar', (_name, bar) => {
    for (const { rgba } of coloured(state)) {
      const visible = pixelsOf(rgba).filter(({ alpha }) => alpha > 128);
      const clear = visible.filter(({ red, green, blue }) => contrast([red, green, blue], [bar, bar, bar]) >= 3);
      expect(clear.length / visible.length).toBeGreaterThan(0.5);
    }
  });
});

describe('the four states', () => {
  test.each(PAIRS)('%s and %s differ in shape at every size, without any colour', (one, other) => {
    for (const [index, first] of [...coloured(one), ...templates(one)].entries()) {
      const second = [...coloured(other), ...templates(other)][index]!;
      const differing = pixelsOf(first.rgba).filter(({ alpha }, at) => alpha > 128 !== second.rgba[at * 4 + 3]! > 128);
      expect(differing.length / first.size ** 2).toBeGreaterThan(0.1);
    }
  });

  test('the ticket has its edges on whole pixels at every size', () => {
    for (const picture of [...coloured('safe'), ...templates('safe')]) expectWholePixels(picture);
  });
});

test('all icons together stay below 400 kB', () => {
  const paths = globSync(['build/icons/*', 'electron/public/**/*.{png,ico}'], { cwd: ROOT });
  const sizes = paths.map((path) => statSync(join(ROOT, path)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000);
});

describe('pixels read back are the written pixels', () => {
  const noise = makePicture(32, (at) => (at * at * 7 + (at >> 3)) & 0xff);
  const flat = makePicture(32, (at) => (at % 4 === 3 ? 255 : at < 1500 ? 40 : 90));

  test.each([
    ['noise', noise],
    ['flat', flat],
  ])('%s, from each kind of file', (_name, picture) => {
    expect(readPng(writePng(picture))).toEqual(picture);
    expect(readIco(writeIco([picture]))[0]?.picture).toEqual(picture);
    const pictureOf = (size: number) => (size === 32 ? picture : makePicture(size, () => 0));
    expect(readIcns(writeIcns(pictureOf)).find(({ type }) => type === 'ic05')?.picture).toEqual(picture);
  });
});

function read(path: string): Buffer {
  return readFileSync(join(ROOT, path));
}

function coloured(state: string): Picture[] {
  const pngs = ['', '@1.5x', '@2x'].map((scale) => readPng(read(`electron/public/tray/${state}${scale}.png`)));
  return [...pngs, ...readIco(read(`electron/public/tray/${state}.ico`)).map(({ picture }) => picture)];
}

function templates(state: string): Picture[] {
  return ['', '@2x'].map((scale) => readPng(read(`electron/public/tray/${state}Template${scale}.png`)));
}

function makePicture(size: number, byteAt: (at: number) => number): Picture {
  return { size, rgba: Buffer.from(Array.from({ length: size * size * 4 }, (_, at) => byteAt(at))) };
}

function pixelsOf(rgba: Buffer): { red: number; green: number; blue: number; alpha: number }[] {
  return Array.from({ length: rgba.length / 4 }, (_, at) => {
    const [red = 0, green = 0, blue = 0, alpha = 0] = rgba.subarray(at * 4, at * 4 + 4);
    return { red, green, blue, alpha };
  });
}

/** The number of empty pixels on each side. */
function findBounds({ size, rgba }: Picture): { left: number; top: number; right: number; bottom: number } {
  const inked = Array.from({ length: size * size }, (_, at) => at).filter((at) => rgba[at * 4 + 3]! > 0);
  const columns = inked.map((at) => at % size);
  const rows = inked.map((at) => Math.floor(at / size));
  const least = (list: number[]) => list.reduce((one, other) => Math.min(one, other));
  const most = (list: number[]) => list.reduce((one, other) => Math.max(one, other));
  return { left: least(columns), top: least(rows), right: size - 1 - most(columns), bottom: size - 1 - most(rows) };
}

/** Fails if an edge of the drawing is blurred. Looks along the middle row, and along a column right of the middle. */
function expectWholePixels({ size, rgba }: Picture): void {
  const [middle, right] = [Math.floor(size / 2), Math.floor(size * 0.6)];
  const alphas = Array.from({ length: size }, (_, at) => [
    rgba[(middle * size + at) * 4 + 3],
    rgba[(at * size + right) * 4 + 3],
  ]).flat();
  expect([...new Set(alphas)].filter((alpha) => alpha !== 0 && alpha !== 255)).toEqual([]);
}

/** The contrast ratio of two colours, as WCAG 2.2 defines it. */
function contrast(one: number[], other: number[]): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (higher + 0.05) / (lower + 0.05);
}

function luminance(rgb: number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((byte) =>
    byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
