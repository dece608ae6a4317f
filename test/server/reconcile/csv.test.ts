// The CSV reader must read back what a CSV writer has written.

import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readRows } from '../../../server/reconcile/csv.ts';

const rowsOf = (text: string, delimiter = ',') => [...readRows(text, delimiter)];

describe('a text is split into rows', () => {
  test.each<[name: string, text: string, cells: string[][]]>([
    ['nothing', '', []],
    ['only a byte order mark', '\uFEFF', []],
    ['a byte order mark before a quote', '\uFEFF"a",b', [['a', 'b']]],
    ['one cell', 'a', [['a']]],
    [
      'LF',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'CRLF',
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'CR',
      'a,b\rc,d\r',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['no line end after the last line', 'a\r\nb', [['a'], ['b']]],
    ['empty lines', '\n\na\n', [[''], [''], ['a']]],
    [
      'empty cells',
      ',\n,,',
      [
        ['', ''],
        ['', '', ''],
      ],
    ],
    ['quotes', '"a","b"', [['a', 'b']]],
    ['doubled quotes', '"a""b","""",""""""', [['a"b', '"', '""']]],
    ['an empty quoted cell', '"",a', [['', 'a']]],
    ['a delimiter in quotes', '"a,b",c', [['a,b', 'c']]],
    ['line ends in quotes', '"a\r\nb\nc\rd",e', [['a\r\nb\nc\rd', 'e']]],
    ['a quote in a bare cell', 'a "b" c,5"', [['a "b" c', '5"']]],
    ['spaces are part of a cell', ' a , b ', [[' a ', ' b ']]],
    ['NUL', 'a\u0000,b', [['a\u0000', 'b']]],
  ])('%s', (_name, text, cells) => {
    const rows = rowsOf(text);
    expect(rows.map((row) => row.cells)).toEqual(cells);
    expect(rows.filter((row) => row.isBroken)).toEqual([]);
  });

  test.each([';', '\t', '|'])('with the delimiter %j', (delimiter) => {
    const [row] = rowsOf(['a', '"b,c"', `"d${delimiter}e"`].join(delimiter), delimiter);
    expect(row?.cells).toEqual(['a', 'b,c', `d${delimiter}e`]);
  });
});

test.each<[name: string, text: string, broken: number[], lines: number[]]>([
  ['a quote that is never closed', 'a\n"b\nc\n', [2], [1, 2]],
  ['a quote that is closed too soon', 'a\n"b"c,d\ne\n', [2], [1, 2, 3]],
  ['a space after a quote', '"a" ,b', [1], [1]],
  ['faults name the line of the text, also with line ends in quotes', 'a\n"b\r\nb\rb\nb",c\nd', [], [1, 2, 6]],
])('%s', (_name, text, broken, lines) => {
  const rows = rowsOf(text);
  expect(rows.map(({ line }) => line)).toEqual(lines);
  expect(rows.filter(({ isBroken }) => isBroken).map(({ line }) => line)).toEqual(broken);
});

test('written cells are read back, whatever they contain', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom('"', ',', ';', '\t', '|', '\r', '\n', 'a', ' ', '\uFEFF')).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      (rows, delimiter, record_delimiter, bom) => {
        const text = stringify(rows, { delimiter, record_delimiter, bom, quoted: true });
        const read = rowsOf(text, delimiter);
        expect(read.map(({ cells }) => cells)).toEqual(rows);
        expect(read.some(({ isBroken }) => isBroken)).toBe(false);
        const before = read.map(({ line }) => text.split(/\r\n|\r|\n/).length >= line);
        expect(before).not.toContain(false);
      },
    ),
  );
});

test('any text is accepted, and every character is in a row', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('"', ',', '\r', '\n', 'a')).map((parts) => parts.join('')),
      (text) => {
        const rows = rowsOf(text);
        expect(
          rows
            .map(({ cells }) => cells.join(''))
            .join('')
            .replaceAll(/[^a]/g, ''),
        ).toBe(text.replaceAll(/[^a]/g, ''));
        const lines = rows.map(({ line }) => line);
        expect(lines).toEqual([...new Set(lines)].toSorted((a, b) => a - b));
      },
    ),
  );
});
