// The list of promises is complete, and names only tests that exist. Each rig belongs to a promise, and each planted fault fits
// its source.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { MUTANTS } from '../faults/mutants.ts';
import { PLANTED } from '../faults/planted.ts';
import { PROMISES } from '../faults/promises.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The promises whose tests plant their own faults. */
const FAULTS_ELSEWHERE = ['R9', 'R13', 'S12', 'S14'];
const numbered = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);

test('the promises are R1 to R19 and S1 to S14, in order', () => {
  expect(PROMISES.map(({ id }) => id)).toEqual([...numbered('R', 19), ...numbered('S', 14)]);
});

test.each(PROMISES)('the tests of $id exist', ({ tests }) => {
  expect(tests.filter((file) => globSync(file, { cwd: ROOT }).length === 0)).toEqual([]);
});

test('each rig belongs to the promise in its name', () => {
  for (const file of globSync('test/faults/*.test.ts', { cwd: ROOT })) {
    const [, letter = '', number] = /([rs])(\d\d)-[a-z-]+\.test\.ts$/.exec(file) ?? [];
    const promise = PROMISES.find(({ id }) => id === `${letter.toUpperCase()}${Number(number)}`);
    expect(promise?.tests, file).toContain(file);
  }
});

test('each promise has a planted fault', () => {
  const planted = new Set([...PLANTED.map(({ row }) => row), ...FAULTS_ELSEWHERE]);
  expect(PROMISES.filter(({ id }) => !planted.has(id))).toEqual([]);
});

test('each planted fault finds its text once in its file', () => {
  const texts = [
    ...PLANTED.flatMap(({ file, edits }) => edits.map(([text]) => [file, text] as const)),
    ...MUTANTS.map(({ file, text }) => [`server/forward/${file}`, text] as const),
  ];
  const unfit = texts.filter(([file, text]) => readFileSync(join(ROOT, file), 'utf8').split(text).length !== 2);
  expect(unfit).toEqual([]);
});
