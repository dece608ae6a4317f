// For each promise, docs/reliability.md names a test and its file. The file must exist and contain a test with exactly that
// name.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type ESTree, parseSync, Visitor } from 'vite';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The rows of all tables, without their heading rows. */
const rows = read('docs/reliability.md')
  .split('\n')
  .map((line) => line.trimStart())
  .filter(
    (line) =>
      line.startsWith('|') && line !== '| Promise | Test | Cases; when it runs |' && line !== '| --- | --- | --- |',
  );

/** Whether a call runs a test: `test` or `it`, also with `.each(…)` or `.for(…)`. Skipped tests and `describe` do not count. */
function isRunner(callee: ESTree.Expression | ESTree.Super): boolean {
  if (callee.type === 'Identifier') return ['test', 'it'].includes(callee.name);
  if (callee.type !== 'CallExpression' || callee.callee.type !== 'MemberExpression') return false;
  const { object, property } = callee.callee;
  return isRunner(object) && property.type === 'Identifier' && ['each', 'for'].includes(property.name);
}

/** The names of all tests in a file. */
function listTestNames(file: string, text: string): readonly string[] {
  const names: string[] = [];
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [name] }) {
      if (isRunner(callee) && name?.type === 'Literal' && typeof name.value === 'string') names.push(name.value);
    },
  });
  visitor.visit(parseSync(file, text).program);
  return names;
}

test('the tables have promises', () => {
  expect(rows.length).toBeGreaterThan(40);
});

test.each(rows)('%s', (row) => {
  const [, file = '', name] = /^\| [^|]+ \| `(test\/[^`|]+\.test\.ts)`: ([^|]+) \| [^|]+ \|$/.exec(row) ?? [];
  expect(file, 'the row is | promise | `test/….test.ts`: name | figure |').not.toBe('');
  expect(listTestNames(file, read(file))).toContain(name);
});

describe('the name of a test is', () => {
  test.each([
    ["test('a', () => {});"],
    ["it('a', () => {});"],
    ["test(\n  'a',\n  LONG,\n  () => {},\n);"],
    ["test.each([f(')'), [1]])('a', () => {});"],
    ["describe('b', () => {\n  test.for([1])(\n    'a', () => {});\n});"],
  ])('the first argument of a test: %j', (text) => {
    expect(listTestNames('x.test.ts', text)).toEqual(['a']);
  });

  test.each([
    ["// test('a', () => {})"],
    ["describe('a', () => {});"],
    ["test.skip('a', () => {});"],
    ["test.todo('a');"],
    ["expect(text).toBe('a');"],
    ["call([])('a');"],
  ])('not of anything else: %j', (text) => {
    expect(listTestNames('x.test.ts', text)).toEqual([]);
  });
});
