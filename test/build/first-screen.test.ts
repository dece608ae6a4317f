// A browser must load little before it shows Today, because a shop's wireless network may be slow. The tests check sizes, which
// are equal on every machine.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

import { buildAll } from '../e2e/build.ts';

const MAX_BYTES = 240_000;
const LANGUAGES = 3;
const RENDERER = join(import.meta.dirname, '../../dist/renderer');

const manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
);
type Chunk = z.infer<typeof manifest>[string];
let chunks: z.infer<typeof manifest>;

beforeAll(() => {
  buildAll();
  chunks = manifest.parse(JSON.parse(readFileSync(join(RENDERER, '.vite/manifest.json'), 'utf8')));
}, 120_000);

/** The scripts and styles of a chunk and of all its imports. */
function filesOf(chunk: Chunk | undefined, seen = new Set<string>()): Set<string> {
  if (chunk === undefined) throw new Error('a chunk was not built');
  if (seen.has(chunk.file)) return seen;
  for (const file of [chunk.file, ...chunk.css]) seen.add(file);
  for (const each of chunk.imports) filesOf(chunks[each], seen);
  return seen;
}

/** The files that a browser loads to show Today in one language. */
function firstScreen(): Set<string> {
  const named = [
    ...read('index.html')
      .toString()
      .matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g),
  ].map(([, file = '']) => file);
  const files = new Set(named.filter((file) => file.endsWith('.css')));
  for (const chunk of Object.values(chunks)) if (named.includes(chunk.file)) filesOf(chunk, files);
  const largest = textChunks('first')
    .map((chunk) => filesOf(chunk))
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
    .at(-1);
  return files.union(largest ?? new Set());
}

/** The chunks of the first or the later texts, one per language. */
function textChunks(part: 'first' | 'later'): Chunk[] {
  return Object.entries(chunks)
    .filter(([name]) => name.startsWith('locales/') && name.endsWith(`.json?${part}`))
    .map(([, chunk]) => chunk);
}

const read = (file: string): Buffer => readFileSync(join(RENDERER, file));
const sizeOf = (files: Set<string>): number => [...files].reduce((sum, file) => sum + gzipSync(read(file)).length, 0);

test('script and style of the first screen are at most 240 kB, gzipped', () => {
  const files = firstScreen();
  expect([...files].filter((file) => file.endsWith('.js')).length).toBeGreaterThanOrEqual(2);
  expect([...files].filter((file) => file.endsWith('.css'))).not.toEqual([]);
  const sizes = [...files].map((file) => `${file} ${sizeOf(new Set([file]))}`);
  expect(sizeOf(files), sizes.join('\n')).toBeLessThanOrEqual(MAX_BYTES);
});

test('the texts of other screens are not part of the first screen', () => {
  expect(textChunks('first')).toHaveLength(LANGUAGES);
  expect(textChunks('later')).toHaveLength(LANGUAGES);
  const later = textChunks('later').map(({ file }) => file);
  expect([...firstScreen()].filter((file) => later.includes(file))).toEqual([]);
});

test('the charts load when one is first drawn, not with the first screen', () => {
  // Only scripts count, because the print styles of the first screen contain class names of charts.
  const isChart = (file: string): boolean => file.endsWith('.js') && read(file).includes('recharts-');
  expect([...filesOf(chunks['today/quarter-chart.tsx'])].filter(isChart)).not.toEqual([]);
  expect([...firstScreen()].filter(isChart)).toEqual([]);
});
