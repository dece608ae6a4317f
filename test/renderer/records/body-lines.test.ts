import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { indented, linesOfJson, linesOfQuery } from '../../../renderer/records/body-lines.ts';

const shown = (json: string): string | undefined => linesOfJson(json)?.map(indented).join('\n');

describe('a body as lines', () => {
  test('numbers, texts and the order of members stay exactly as they were sent', () => {
    const body = String.raw`{"b":12.50,"a":9196877626998785,"c":1e400,"b":-0.0,"t":"a\"{[,:]}\\ \u00e9"}`;
    expect(shown(body)).toBe(
      [
        '{',
        '  "b": 12.50,',
        '  "a": 9196877626998785,',
        '  "c": 1e400,',
        '  "b": -0.0,',
        String.raw`  "t": "a\"{[,:]}\\ \u00e9"`,
        '}',
      ].join('\n'),
    );
  });

  test('a byte order mark before it is not shown', () => {
    expect(shown('\ufeff{"a":1}')).toBe('{\n  "a": 1\n}');
  });

  test('what is inside is indented, and what is empty stays on its line', () => {
    expect(shown('{"a":[{"b":1},[],{}],"c":null}')).toBe(
      ['{', '  "a": [', '    {', '      "b": 1', '    },', '    [],', '    {}', '  ],', '  "c": null', '}'].join('\n'),
    );
  });

  test('each line says what it is about, as a pointer', () => {
    const pointers = linesOfJson('{"a/b":[1,{"~":2}]}')?.map(({ pointer, isEnd }) => pointer + (isEnd ? ' end' : ''));
    expect(pointers).toEqual(['', '/a~1b', '/a~1b/0', '/a~1b/1', '/a~1b/1/~0', '/a~1b/1 end', '/a~1b end', ' end']);
  });

  test('any JSON says the same as before, and keeps every character but white space', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, '\t', '\r\n '), (json, space) => {
        const sent = JSON.stringify(JSON.parse(json), null, space);
        const lines = shown(sent) ?? '';
        expect(JSON.parse(lines)).toEqual(JSON.parse(sent));
        expect(JSON.stringify(JSON.parse(lines))).toBe(JSON.stringify(JSON.parse(sent)));
      }),
    );
  });

  test.each(['', '  ', '{', '{"a":1]', '"open', ']', ','])('%j is no JSON', (text) => {
    expect(linesOfJson(text)).toBeUndefined();
  });

  test('nesting is no danger', () => {
    const depth = 20_000;
    expect(linesOfJson('['.repeat(depth) + ']'.repeat(depth))).toHaveLength(2 * depth - 1);
  });

  test('a query string has a parameter on each line', () => {
    expect(linesOfQuery('id=A%2F1&note=two+breads=2&x&bad=%zz')).toEqual(
      ['id = A/1', 'note = two breads=2', 'x = ', 'bad = %zz'].map((text) => ({
        depth: 0,
        text,
        pointer: `/${text.split(' = ')[0]}`,
        isEnd: false,
      })),
    );
  });
});
