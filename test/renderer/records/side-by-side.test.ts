import { describe, expect, test } from 'vitest';

import { linesOfJson } from '../../../renderer/records/body-lines.ts';
import { rowsOf } from '../../../renderer/records/side-by-side.ts';

const shown = (original: string, resent: string, differing: readonly string[]): string[] =>
  rowsOf(linesOfJson(original) ?? [], linesOfJson(resent) ?? [], differing).map(
    (row) => `${row.original?.text ?? ''} | ${row.resent?.text ?? ''}${row.isDifferent ? ' ≠' : ''}`,
  );

describe('side by side', () => {
  test('a different value is marked on the row of its name', () => {
    expect(shown('{"a":1,"total":12.50}', '{"a":1,"total":12.05}', ['/total'])).toEqual([
      '{ | {',
      '"a": 1, | "a": 1,',
      '"total": 12.50 | "total": 12.05 ≠',
      '} | }',
    ]);
  });

  test('a line on only one side has its own row, and equal lines after it share rows again', () => {
    expect(shown('{"a":{"x":1},"c":3}', '{"b":2,"c":3}', ['/a', '/b'])).toEqual([
      '{ | {',
      '"a": { |  ≠',
      '"x": 1 |  ≠',
      '}, |  ≠',
      ' | "b": 2, ≠',
      '"c": 3 | "c": 3',
      '} | }',
    ]);
  });

  test('members in another order are not a difference, and each is shown once', () => {
    const rows = shown('{"a":1,"b":2,"c":3}', '{"c":3,"a":1,"b":2}', []);
    expect(rows).toEqual(['{ | {', ' | "c": 3,', '"a": 1, | "a": 1,', '"b": 2, | "b": 2', '"c": 3 | ', '} | }']);
  });

  test('a name with the same beginning is not marked', () => {
    expect(shown('{"a":1,"ab":2}', '{"a":3,"ab":2}', ['/a'])[2]).toBe('"ab": 2 | "ab": 2');
  });

  test.each([
    ['a name a hundred thousand times', (n: number) => `{${Array(100_000).fill(`"":${n}`).join(',')}}`, ['']],
    ['half a million values', (n: number) => `{"a":[${Array(480_000).fill(n).join(',')}]}`, many(50, '/a/')],
  ])('%s are aligned without quadratic work', (_what, bodyOf, differing) => {
    const rows = shown(bodyOf(1), bodyOf(2), differing);
    expect(rows.filter((row) => row.endsWith('≠')).length).toBeGreaterThanOrEqual(50);
  });
});

function many(count: number, parent: string): string[] {
  return Array.from({ length: count }, (_, n) => `${parent}${n}`);
}
