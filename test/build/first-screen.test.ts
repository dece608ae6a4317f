// What a browser loads before it shows Today: little, also over the shop's wireless, and without the charts. A size is the
// same on every machine, unlike a speed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

import { buildAll } from '../e2e/build.ts';

const MOST_BYTES = 250_000;
const RENDERER = join(import.meta.dirname, '../../dist/renderer');

const manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
);
let chunks: z.infer<typeof manifest>;

beforeAll(() => {
  buildAll();
  chunks = manifest.parse(JSON.parse(readFileSync(join(RENDERER, '.vite/manifest.json'), 'utf8')));
}, 120_000);

/** The files of a chunk, script and style, and of all that it cannot run without. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = chunks[name];
  if (chunk === undefined) throw new Error(`${name} was not built`);
  if (seen.has(chunk.file)) return seen;
  for (const file of [chunk.file, ...chunk.css]) seen.add(file);
  for (const each of chunk.imports) filesOf(each, seen);
  return seen;
}

/** Today is in the entry; the words of other languages than English come one by one. */
function firstScreen(): Set<string> {
  const languages = Object.keys(chunks).filter((name) => name.startsWith('words/'));
  const largest = languages.toSorted((a, b) => sizeOf(filesOf(a)) - sizeOf(filesOf(b))).at(-1);
  return filesOf('index.html', new Set(largest === undefined ? [] : filesOf(largest)));
}

const read = (file: string): Buffer => readFileSync(join(RENDERER, file));
const sizeOf = (files: Set<string>): number => [...files].reduce((sum, file) => sum + gzipSync(read(file)).length, 0);

test('script and style of the first screen are at most 250 kB, gzipped', () => {
  const files = firstScreen();
  expect(files.size).toBeGreaterThan(5);
  expect([...files].filter((file) => file.endsWith('.css'))).not.toEqual([]);
  expect(sizeOf(files)).toBeLessThanOrEqual(MOST_BYTES);
});

test('the charts are loaded when one is first drawn, and are not part of the first screen', () => {
  const isChart = (file: string): boolean => read(file).includes('recharts-');
  expect([...filesOf('today/quarter-chart.tsx')].filter(isChart)).not.toEqual([]);
  expect([...firstScreen()].filter(isChart)).toEqual([]);
});
