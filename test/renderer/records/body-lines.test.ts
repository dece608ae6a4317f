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

  test('a byte order mark is not shown', () => {
    expect(shown('\ufeff{"a":1}')).toBe('{\n  "a": 1\n}');
  });

  test('members are indented, and empty objects and arrays stay on one line', () => {
    expect(shown('{"a":[{"b":1},[],{}],"c":null}')).toBe(
      ['{', '  "a": [', '    {', '      "b": 1', '    },', '    [],', '    {}', '  ],', '  "c": null', '}'].join('\n'),
    );
  });

  test('each line has the JSON pointer of its value', () => {
    const pointers = linesOfJson('{"a/b":[1,{"~":2}]}')?.map(({ pointer, isEnd }) => pointer + (isEnd ? ' end' : ''));
    expect(pointers).toEqual(['', '/a~1b', '/a~1b/0', '/a~1b/1', '/a~1b/1/~0', '/a~1b/1 end', '/a~1b end', ' end']);
  });

  test('any JSON keeps its meaning and every character except white space', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, '\t', '\r\n '), (json, space) => {
        const sent = JSON.stringify(JSON.parse(json), null, space);
        const lines = shown(sent) ?? '';
        expect(JSON.parse(lines)).toEqual(JSON.parse(sent));
        expect(JSON.stringify(JSON.parse(lines))).toBe(JSON.stringify(JSON.parse(sent)));
      }),
    );
  });

  test.each(['', '  ', '{', '{"a":1]', '"open', ']', ','])('%j is not JSON', (text) => {
    expect(linesOfJson(text)).toBeUndefined();
  });

  test('deep nesting does not overflow the stack', () => {
    const depth = 20_000;
    expect(linesOfJson('['.repeat(depth) + ']'.repeat(depth))).toHaveLength(2 * depth - 1);
  });

  test('a query string has one parameter per line', () => {
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
