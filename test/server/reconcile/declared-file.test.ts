// Files of declared totals from shops. The reader detects the layout of a file, and each reported fault names its line in the
// file.

import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { MAX_LISTED } from '../../../server/contract/days.ts';
import type { DeclaredChoice } from '../../../server/contract/declared-totals.ts';
import { type DeclaredFile, type FileStore, readDeclaredFile } from '../../../server/reconcile/declared-file.ts';

/** The store day of a wall-clock time. Store days begin at 04:00, and the store is three hours ahead of UTC. */
const shift = (epochMs: number): string => new Date(epochMs - 4 * 3_600_000).toISOString().replace(/T.*/, '');
const STORE: FileStore = {
  tills: [
    { id: 1, label: 'Till 1' },
    { id: 2, label: 'Kassa Zuid' },
    { id: 3, label: 'Twin' },
    { id: 4, label: 'TWIN' },
    { id: 5, label: '7' },
    { id: 6, label: '@bar' },
  ],
  dayAt: (epochMs) => shift(epochMs + 3 * 3_600_000),
  dayOfClock: (date, seconds) => shift(Date.parse(`${date}T00:00:00Z`) + seconds * 1000),
};

const read = (text: string, choice?: DeclaredChoice): DeclaredFile => readDeclaredFile(text, STORE, choice);
/** The totals as short texts: `2026-11-04: 412`, with type and till `2026-11-04 sale @1: 3`, or with ids `2026-11-04: a b`. */
function totalsOf(text: string): string[] {
  const { totals, faults } = read(text);
  expect(faults).toEqual([]);
  return totals.map(({ date, type, tillId, records, ids }) => {
    if (ids !== undefined) expect(ids).toHaveLength(records ?? -1);
    const scope = `${date}${type === null ? '' : ` ${type}`}${tillId === null ? '' : ` @${tillId}`}`;
    return `${scope}: ${ids === undefined ? records : ids.join(' ')}`;
  });
}
const faultsOf = (text: string): string[] => {
  const { totals, faults } = read(text);
  expect(totals).toEqual([]);
  return faults.map(({ line, code, value }) => `${line} ${code} ${value}`);
};
const lines = (...all: string[]): string => `${all.join('\n')}\n`;

describe('valid files', () => {
  test.each<[name: string, text: string, totals: string[]]>([
    ['English', lines('Date,Count', '2026-11-04,412'), ['2026-11-04: 412']],
    ['Dutch', lines('Datum;Aantal', '4-11-2026;412'), ['2026-11-04: 412']],
    ['German', lines('Tag;Anzahl', '04.11.2026;412'), ['2026-11-04: 412']],
    ['tabs', lines('day\tsales', '2026-11-04\t412'), ['2026-11-04: 412']],
    ['bars', lines('day|total', '2026-11-04|412'), ['2026-11-04: 412']],
    ['a byte order mark and CRLF', '\uFEFFdate;count\r\n2026-11-04;412\r\n', ['2026-11-04: 412']],
    ['a spreadsheet that names its delimiter', 'sep=;\r\ndate;count\r\n2026-11-04;412\r\n', ['2026-11-04: 412']],
    ['CR alone', 'date;count\r2026-11-04;412\r', ['2026-11-04: 412']],
    ['quotes', lines('"Date";"Count"', '"2026-11-04";"412"'), ['2026-11-04: 412']],
    ['spaces around', lines('Date , Count', ' 2026-11-04 , 412 '), ['2026-11-04: 412']],
    [
      'empty lines, and rows without content',
      lines('', 'Date,Count', '', ',', '2026-11-04,412', ' , ', ''),
      ['2026-11-04: 412'],
    ],
    ['additional empty cells', lines('Date,Count', '2026-11-04,412,,'), ['2026-11-04: 412']],
    ['other columns', lines('Shop;Date;Revenue;Count;Note', 'A;2026-11-04;1.234,50;412;x, y'), ['2026-11-04: 412']],
    ['zero', lines('Date,Count', '2026-11-04,0'), ['2026-11-04: 0']],
    ['days out of order', lines('Date,Count', '2026-11-05,2', '2026-11-04,1'), ['2026-11-04: 1', '2026-11-05: 2']],
    ['no headings', lines('2026-11-04,412', '2026-11-05,398'), ['2026-11-04: 412', '2026-11-05: 398']],
    ['no headings, the count first', lines('412;04.11.2026', '398;05.11.2026'), ['2026-11-04: 412', '2026-11-05: 398']],
    [
      'no headings, with tills',
      lines('2026-11-04,Till 1,412', '2026-11-04,kassa zuid,98'),
      ['2026-11-04 @1: 412', '2026-11-04 @2: 98'],
    ],
    [
      'no headings, with types',
      lines('2026-11-04,sale,412', '2026-11-04,refund,3'),
      ['2026-11-04 sale: 412', '2026-11-04 refund: 3'],
    ],
    [
      'types and tills',
      lines('Datum;Soort;Kassa;Aantal bonnen', '4-11-2026;sale;Till 1;412', '4-11-2026;;;500'),
      ['2026-11-04 sale @1: 412', '2026-11-04: 500'],
    ],
    ['a till with a number as its name', lines('Tag;Kasse;Anzahl', '04.11.2026;7;412'), ['2026-11-04 @5: 412']],
    ['a till as the template disarms it', lines('Day,Till,Count', "2026-11-04,'@bar,412"), ['2026-11-04 @6: 412']],
    ['a till below an unknown heading', lines('Date;Station;Count', '2026-11-04;Till 1;5'), ['2026-11-04 @1: 5']],
    ['unknown headings', lines('A;B', '2026-11-04;412'), ['2026-11-04: 412']],
    ['a day and a total per day', lines('Datum;Dagtotaal', '4-11-2026;412'), ['2026-11-04: 412']],
    ['headings with accents', lines('Geschäftstag;Verkäufe', '04.11.2026;412'), ['2026-11-04: 412']],
    ['number of', lines('Store day;Number of sales', '2026-11-04;412'), ['2026-11-04: 412']],
    ['a count beside a total', lines('Date,Count,Total', '2026-11-04,412,99'), ['2026-11-04: 412']],
    [
      'numbered rows',
      lines('id;date;count', '1;2026-11-04;412', '2;2026-11-05;398'),
      ['2026-11-04: 412', '2026-11-05: 398'],
    ],
    [
      'a sale per row',
      lines('external_id,day', 'T1-1,2026-11-04', 'T1-2,2026-11-04', 'T1-3,2026-11-05'),
      ['2026-11-04: T1-1 T1-2', '2026-11-05: T1-3'],
    ],
    ['receipts', lines('Bonnummer;Verkoopdatum', '1001;4-11-2026', '1002;4-11-2026'), ['2026-11-04: 1001 1002']],
    [
      'sales with a quantity of items',
      lines('Beleg;Datum;Anzahl', 'a;04.11.2026;3', 'b;04.11.2026;1'),
      ['2026-11-04: a b'],
    ],
    ['sales without headings', lines('T1-1,2026-11-04', 'T1-2,2026-11-04'), ['2026-11-04: T1-1 T1-2']],
    [
      'sales by type and till',
      lines(
        'receiptId,soldOn date,Type,Till',
        'a,2026-11-04,sale,Till 1',
        'b,2026-11-04,sale,TILL 1',
        'c,2026-11-04,,',
      ),
      ['2026-11-04 sale @1: a b', '2026-11-04: c'],
    ],
    ['ids are accepted unchanged', lines('id,day', ' a ,2026-11-04', '"b""c",2026-11-04'), ['2026-11-04:  a  b"c']],
  ])('%s', (_name, text, totals) => {
    expect(totalsOf(text)).toEqual(totals);
  });

  test('the result has the headings, the first rows and the position of each suggested column', () => {
    const none = { day: null, count: null, id: null, amount: null, currency: null, till: null, type: null };
    expect(read(lines('Datum; Kassa ;Aantal', '4-11-2026;Till 1;412'))).toMatchObject({
      headings: ['Datum', 'Kassa', 'Aantal'],
      sample: [['4-11-2026', 'Till 1', '412']],
      columns: { ...none, day: 0, till: 1, count: 2 },
    });
    expect(read(lines('412,2026-11-04'))).toMatchObject({
      headings: null,
      sample: [['412', '2026-11-04']],
      columns: { ...none, day: 1, count: 0 },
    });
    expect(read(lines('date,count,count', '2026-11-04,1,2'))).toMatchObject({
      headings: ['date', 'count', 'count'],
      columns: { ...none, day: 0 },
      faults: [{ code: 'columns_unknown' }],
    });
  });
});

describe('amounts', () => {
  const amountsOf = (text: string, choice?: Partial<DeclaredChoice>): string[] => {
    const { totals, faults, columns } = read(text);
    if (choice === undefined) expect(faults).toEqual([]);
    const chosen = choice === undefined ? totals : read(text, { columns, ...choice }).totals;
    return chosen.map(({ date, tillId, records, amounts = [] }) =>
      [date, tillId ?? '', records, ...amounts.map(({ currency, value }) => `${currency} ${value}`)].join(' '),
    );
  };

  test.each<[name: string, text: string, totals: string[]]>([
    ['English', lines('Day,Till,Sales,Amount,Currency', '2026-11-04,Till 1,2,12.5,EUR'), ['2026-11-04 1 2 EUR 12.50']],
    ['Dutch', lines('Dag;Aantal;Omzet', '4-11-2026;2;1.234,50'), ['2026-11-04  2 null 1234.50']],
    ['German', lines('Tag;Anzahl;Betrag;Währung', '04.11.2026;2;-1.234,5;EUR'), ['2026-11-04  2 EUR -1234.50']],
    [
      'a total beside a count is money',
      lines('Datum;Aantal;Totaal', '4-11-2026;2;12,50'),
      ['2026-11-04  2 null 12.50'],
    ],
    [
      'two currencies of a day are two lines',
      lines(
        'Day;Count;Amount;Currency',
        '2026-11-04;2;12,50;EUR',
        '2026-11-04;1;3,00;USD',
        '2026-11-05;;7,00;EUR',
      ).replace('2026-11-05;;', '2026-11-05;9;'),
      ['2026-11-04  3 EUR 12.50 USD 3.00', '2026-11-05  9 EUR 7.00'],
    ],
    [
      'the line of the second currency may leave out the number of sales',
      lines('Day;Count;Amount;Currency', '2026-11-04;2;12,50;EUR', '2026-11-04;;3,00;USD'),
      ['2026-11-04  2 EUR 12.50 USD 3.00'],
    ],
    [
      'the places of the currency',
      lines('Day;Count;Amount;Currency', '2026-11-04;2;1250;JPY'),
      ['2026-11-04  2 JPY 1250'],
    ],
    [
      'a line without an amount',
      lines('Day;Count;Amount', '2026-11-04;2;', '2026-11-05;1;3,00'),
      ['2026-11-04  2', '2026-11-05  1 null 3.00'],
    ],
    [
      'the amounts of sales are added up exactly',
      lines('Id;Day;Amount', 'a;2026-11-04;0,10', 'b;2026-11-04;0,20', 'c;2026-11-04;-0,30'),
      ['2026-11-04  3 null 0.00'],
    ],
    ['a cell that names the currency', lines('Day;Count;Amount', '2026-11-04;2;€ 12,50'), ['2026-11-04  2 EUR 12.50']],
  ])('%s', (_name, text, totals) => {
    expect(amountsOf(text)).toEqual(totals);
  });

  test('the chosen currency is that of lines without one', () => {
    const text = lines('Day;Count;Amount;Currency', '2026-11-04;2;12,50;', '2026-11-05;2;1,00;USD');
    expect(amountsOf(text, { currency: 'EUR' })).toEqual(['2026-11-04  2 EUR 12.50', '2026-11-05  2 USD 1.00']);
  });

  test.each<[name: string, text: string, faults: string[]]>([
    ['a text', lines('Day;Count;Amount', '2026-11-04;2;much'), ['2 amount_unreadable much']],
    ['a thousand or one', lines('Day;Count;Amount', '2026-11-04;2;1.234'), ['2 amount_unreadable 1.234']],
    [
      'another currency than that of the line',
      lines('Day;Count;Amount;Currency', '2026-11-04;2;€ 1,00;USD'),
      ['2 amount_unreadable € 1,00'],
    ],
    [
      'a currency that is none',
      lines('Day;Count;Amount;Currency', '2026-11-04;2;1,00;euro'),
      ['2 currency_unreadable euro'],
    ],
    ['a sale without an amount', lines('Id;Day;Amount', 'a;2026-11-04;'), ['2 amount_unreadable ']],
    [
      'a currency twice',
      lines('Day;Count;Amount;Currency', '2026-11-04;2;1,00;EUR', '2026-11-04;2;1,00;EUR'),
      ['3 repeated 2026-11-04'],
    ],
    [
      'a second line after one without an amount',
      lines('Day;Count;Amount', '2026-11-04;2;', '2026-11-04;2;1,00'),
      ['3 repeated 2026-11-04'],
    ],
  ])('%s is refused', (_name, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });
});

describe('a choice decides where the file does not', () => {
  const none = { day: null, count: null, id: null, amount: null, currency: null, till: null, type: null };

  test('of two columns that fit', () => {
    const text = lines('date,count,count', '2026-11-04,1,2');
    const { totals } = read(text, { columns: { ...none, day: 0, count: 2 } });
    expect(totals).toEqual([{ date: '2026-11-04', type: null, tillId: null, records: 2 }]);
  });

  test('a column of any heading, even one that means something else', () => {
    const text = lines('Till;When;X', '412;2026-11-04;9');
    const { totals, columns } = read(text, { columns: { ...none, day: 1, count: 0 } });
    expect(totals).toMatchObject([{ tillId: null, records: 412 }]);
    expect(columns).toEqual({ ...none, day: 1, count: 0 });
  });

  test('a column that the file does not have', () => {
    const { faults } = read(lines('Day;Count', '2026-11-04;1'), { columns: { ...none, day: 0, count: 5 } });
    expect(faults).toMatchObject([{ line: 2, code: 'cells_wrong' }]);
  });

  test.each([
    ['day first', '2026-11-04'],
    ['month first', '2026-04-11'],
  ] as const)('the order of a date: %s', (dateOrder, date) => {
    const columns = { ...none, day: 0, count: 1 };
    for (const cell of ['04/11/2026', '04-11-2026', '04.11.2026'])
      expect(read(lines('Day;Count', `${cell};1`), { columns, dateOrder }).totals).toMatchObject([{ date }]);
  });

  test.each([
    ['.', '1.23'],
    [',', '1234.00'],
  ] as const)('the decimal sign: %s', (decimalSign, value) => {
    const columns = { ...none, day: 0, count: 1, amount: 2 };
    const cell = decimalSign === '.' ? '1.230' : '1.234';
    const { totals } = read(lines('Day;Count;Amount', `2026-11-04;1;${cell}`), { columns, decimalSign });
    expect(totals).toMatchObject([{ amounts: [{ currency: null, value }] }]);
  });

  test('the chosen decimal sign holds for every cell', () => {
    const columns = { ...none, day: 0, count: 1, amount: 2 };
    const { faults } = read(lines('Day;Count;Amount', '2026-11-04;1;12,50'), { columns, decimalSign: '.' });
    expect(faults).toMatchObject([{ line: 2, code: 'amount_unreadable' }]);
  });
});

describe('days', () => {
  test.each<[name: string, cells: string[], days: string[]]>([
    ['year first', ['2026-11-04', '2026/11/05', '2026.11.6'], ['2026-11-04', '2026-11-05', '2026-11-06']],
    ['dashes and points: day first', ['04-11-2026', '5.11.2026'], ['2026-11-04', '2026-11-05']],
    ['strokes, one of them only day first', ['04/11/2026', '13/11/2026'], ['2026-11-04', '2026-11-13']],
    ['strokes, one of them only month first', ['11/04/2026', '11/13/2026'], ['2026-11-04', '2026-11-13']],
    ['strokes with the same result in both orders', ['11/11/2026'], ['2026-11-11']],
    ['instants in UTC', ['2026-11-04T00:59:59Z', '2026-11-04T01:00:00Z'], ['2026-11-03', '2026-11-04']],
    ['instants with an offset', ['2026-11-04T03:59:59+03:00', '2026-11-04 04:00+0300'], ['2026-11-03', '2026-11-04']],
    [
      'instants with a western offset',
      ['2026-11-03T19:59:59-05:00', '2026-11-03T20:00:00-05:00'],
      ['2026-11-03', '2026-11-04'],
    ],
    [
      'date-times of the store’s clock',
      ['2026-11-04 03:59', '04.11.2026, 04:00:00', '2026-11-04T23:59:59.999'],
      ['2026-11-03', '2026-11-04', '2026-11-04'],
    ],
  ])('%s', (_name, cells, days) => {
    expect(totalsOf(lines('id;date', ...cells.map((cell, i) => `${i};${cell}`)))).toEqual(
      [...Map.groupBy(days, (day) => day).keys()]
        .toSorted()
        .map((day) => `${day}: ${days.flatMap((each, i) => (each === day ? [i] : [])).join(' ')}`),
    );
  });

  test.each([
    '2026-02-30',
    '2025-02-29',
    '31.04.2026',
    '2026-13-01',
    '2026-00-10',
    '0.11.2026',
    '13/13/2026',
    '11-20-2026',
    '4-11-26',
    '0026-11-04',
    '2026-11.04',
    '4 november 2026',
    '20261104',
    '2026-11-04T24:00:00Z',
    '2026-11-04T10:60',
    '2026-11-04T10:00:60Z',
    '2026-11-04T10:00:00+25:00',
    '2026-11-04T10',
    '2026-11-04Z',
    '9999-12-31T23:59:59-12:00',
    '２０２６-11-04',
    '1'.repeat(1000),
    '',
  ])('%j is not a valid day', (cell) => {
    const shown = cell.length > 100 ? `${cell.slice(0, 100)}…` : cell;
    expect(faultsOf(lines('date;count', `${cell};1`, '2026-11-05;1'))).toEqual([`2 day_unreadable ${shown}`]);
  });

  test('ambiguous days are listed if no other cell decides', () => {
    const text = lines('date,count', '04/11/2026,1', '11/11/2026,2', '05/11/2026,3');
    expect(faultsOf(text)).toEqual(['2 day_unreadable 04/11/2026', '4 day_unreadable 05/11/2026']);
  });

  test('with two orders in one file, both orders are ambiguous', () => {
    const text = lines('date,count', '13/11/2026,1', '11/14/2026,2', '04/11/2026,3');
    expect(faultsOf(text)).toHaveLength(3);
  });
});

describe('counts', () => {
  test.each<[name: string, cells: string[], counts: number[]]>([
    ['plain', ['0', '7', '1234', '007'], [0, 7, 1234, 7]],
    ['points between thousands', ['1.234', '412', '1.234.567'], [1234, 412, 1_234_567]],
    ['commas between thousands', ['1,234', '412'], [1234, 412]],
    ['spaces between thousands', ['1 234', '1\u00A0000', '2\u202F000'], [1234, 1000, 2000]],
    ['apostrophes between thousands', ["1'000", '1’234'], [1000, 1234]],
    ['a full thousand, if other cells show the point', ['1.000', '1.234'], [1000, 1234]],
  ])('%s', (_name, cells, counts) => {
    const text = lines('date;count', ...cells.map((cell, i) => `2026-11-${10 + i};${cell}`));
    expect(totalsOf(text)).toEqual(counts.map((count, i) => `2026-11-${10 + i}: ${count}`));
  });

  test.each<[name: string, cells: string[], unreadable: string[]]>([
    ['decimals', ['12.5', '12,50', '1.234,00', '412.0'], ['12.5', '12,50', '1.234,00', '412.0']],
    ['three decimals that could also be thousands', ['12.000', '1.000', '3'], ['12.000', '1.000']],
    ['three decimals after a leading zero', ['0.500'], ['0.500']],
    ['points in one cell and commas in another', ['1.234', '1,234'], ['1.234', '1,234']],
    ['invalid groups', ['12.34.567', '1.2345', '1234.567'], ['12.34.567', '1.2345', '1234.567']],
    ['two marks', ['1.234,567'], ['1.234,567']],
    ['signs', ['-1', '+1'], ['-1', '+1']],
    ['too large', ['1234567890123456'], ['1234567890123456']],
    ['powers and other notations', ['1e3', '0x10', '١٢', 'many', ''], ['1e3', '0x10', '١٢', 'many', '']],
  ])('%s', (_name, cells, unreadable) => {
    const text = lines('date;count', ...cells.map((cell, i) => `2026-11-${10 + i};${cell}`));
    expect(faultsOf(text).map((fault) => fault.replace(/^\d+ /, ''))).toEqual(
      unreadable.map((cell) => `count_unreadable ${cell}`),
    );
  });
});

describe('faults', () => {
  test.each<[name: string, text: string, faults: string[]]>([
    ['nothing', '', ['1 nothing_there ']],
    ['blank lines', '\n \n\t\n', ['1 nothing_there ']],
    ['only headings', 'date;count\n', ['1 nothing_there date count']],
    ['one column', lines('date', '2026-11-04'), ['1 columns_unknown date']],
    ['no day', lines('count;type', '412;sale'), ['1 columns_unknown count type']],
    ['neither count nor id', lines('date;note', '2026-11-04;x', '2026-11-05;x'), ['1 columns_unknown date note']],
    ['two days', lines('date,date,count', '2026-11-04,2026-11-05,1'), ['1 columns_unknown date date count']],
    ['two counts', lines('date,count,count', '2026-11-04,1,2'), ['1 columns_unknown date count count']],
    ['two numbers that could be the count', lines('2026-11-04,1,2'), ['1 columns_unknown 2026-11-04 1 2']],
    ['a heading in a later line', lines('', '', 'date;note', '2026-11-04;'), ['3 columns_unknown date note']],
    ['prose', lines('Hello, dear shop,', 'here are no totals'), ['1 columns_unknown Hello, dear shop,']],
    ['a row that is too short', lines('date;count;type', '2026-11-04;412'), ['2 cells_wrong 2026-11-04 412']],
    ['a row that is too long', lines('date,count', '2026-11-04,1,234'), ['2 cells_wrong 234']],
    ['an unknown till', lines('date,till,count', '2026-11-04,Till 9,1'), ['2 till_unknown Till 9']],
    [
      'a letter that only looks like I',
      lines('date,count,amount,currency', '2026-11-04,1,12,ısk'),
      ['2 currency_unreadable ısk'],
    ],
    ['a till with an ambiguous name', lines('date,till,count', '2026-11-04,twin,1'), ['2 till_unknown twin']],
    [
      'an invalid type',
      lines('date;type;count', `2026-11-04;${'x'.repeat(101)};1`),
      [`2 type_unreadable ${'x'.repeat(100)}…`],
    ],
    [
      'an invalid id',
      lines('id,date', ',2026-11-04', `${'🧾'.repeat(1025)},2026-11-04`),
      ['2 id_unreadable ', `3 id_unreadable ${'🧾'.repeat(50)}…`],
    ],
    ['an id with a line end', 'id,date\n"a\nb",2026-11-04\n', ['2 id_unreadable a\nb']],
    ['a repeated day', lines('date,count', '2026-11-04,1', '04.11.2026,1'), ['3 repeated 04.11.2026']],
    [
      'a repeated day, type and till',
      lines('date,till,type,count', '2026-11-04,Till 1,sale,1', '2026-11-04,Till 1,,1', '2026-11-04,till 1,sale,2'),
      ['4 repeated 2026-11-04 sale till 1'],
    ],
    ['a repeated id', lines('id,date', 'a,2026-11-04', 'a,2026-11-05'), ['3 repeated a']],
    ['a repeated day without headings', lines('2026-11-04,412', '2026-11-04,398'), ['2 repeated 2026-11-04']],
    ['a quote that is never closed', lines('date,count', '"2026-11-04,412'), ['2 cells_wrong 2026-11-04,412']],
    ['a quote in the middle', lines('date,count', '"2026"-11-04,412'), ['2 cells_wrong 2026-11-04 412']],
    [
      'several faults, each with its line',
      lines('date,count,note', '2026-11-04,x,"one', 'two"', 'y,1,', '2026-11-06,1,', 'z,z,'),
      ['2 count_unreadable x', '4 day_unreadable y', '6 day_unreadable z', '6 count_unreadable z'],
    ],
  ])('%s', (_name, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });

  test('two tills that differ only in case are found by their exact label', () => {
    expect(totalsOf(lines('date,till,count', '2026-11-04,Twin,1', '2026-11-04,TWIN,2'))).toEqual([
      '2026-11-04 @3: 1',
      '2026-11-04 @4: 2',
    ]);
  });

  test(`of very many faults ${MAX_LISTED} are listed`, () => {
    expect(faultsOf(lines('date,count', '2026-11-04,1', ...Array.from({ length: 2000 }, () => 'x,y')))).toHaveLength(
      MAX_LISTED,
    );
  });
});

test('a written file is read back: every id under its day, type and till', () => {
  const externalId = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((id) => !/\p{Cc}/u.test(id) && id.isWellFormed() && id.trim() !== '');
  const sale = fc.record({
    id: externalId,
    date: fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
    type: fc.constantFrom('', 'sale', 'refund; partial', '"odd", type'),
    till: fc.constantFrom('', 'Till 1', 'Kassa Zuid'),
  });
  const writeDate = {
    iso: (y: string, m: string, d: string) => `${y}-${m}-${d}`,
    point: (y: string, m: string, d: string) => `${d}.${m}.${y}`,
    dash: (y: string, m: string, d: string) => `${Number(d)}-${Number(m)}-${y}`,
  };
  fc.assert(
    fc.property(
      fc.uniqueArray(sale, { selector: ({ id }) => id, minLength: 1, maxLength: 30 }),
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom<keyof typeof writeDate>('iso', 'point', 'dash'),
      fc.boolean(),
      (sales, delimiter, record_delimiter, form, bom) => {
        const rows = sales.map(({ id, date, type, till }) => {
          const [y = '', m = '', d = ''] = date.toISOString().slice(0, 10).split('-');
          return [id, writeDate[form](y, m, d), type, till];
        });
        const text = stringify([['Receipt', 'Date', 'Type', 'Till'], ...rows], { delimiter, record_delimiter, bom });
        const { totals, faults } = read(text);
        expect(faults).toEqual([]);
        const tillOf = (id: number | null): string => STORE.tills.find((till) => till.id === id)?.label ?? '';
        const readBack = totals.flatMap(({ date, type, tillId, ids }) =>
          (ids ?? []).map((id) => [id, date, type ?? '', tillOf(tillId)].join('\u0000')),
        );
        const written = sales.map(({ id, date, type, till }) =>
          [id, date.toISOString().slice(0, 10), type, till].join('\u0000'),
        );
        expect(readBack.toSorted()).toEqual(written.toSorted());
      },
    ),
  );
});

test('any text is accepted, or its faults are listed', () => {
  const part = fc.constantFrom(
    'date',
    'count',
    'id',
    '2026-11-04',
    '04/11/2026',
    '412',
    '1.234',
    '"',
    ',',
    ';',
    '\t',
    '\n',
    'x',
    '\uFEFF',
    'Till 1',
    'sep=',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(part).map((parts) => parts.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (text) => {
        const { totals, faults } = read(text);
        expect(totals.length > 0).toBe(faults.length === 0);
        for (const { records, ids } of totals) expect(records).toBe(ids?.length ?? records);
      },
    ),
    { numRuns: 500 },
  );
});

describe('a megabyte of any content is read in time', () => {
  const MIB = 1024 * 1024;
  const filled = (beginning: string, part: string): string =>
    beginning + part.repeat((MIB - beginning.length) / part.length);
  test.each<[name: string, text: string]>([
    ['commas', filled('', ',')],
    ['line ends', filled('', '\n')],
    ['quotes', filled('', '"')],
    ['an open quote and doubled quotes', filled('date,count\n"', '""')],
    ['digits', filled('date,count\n', '1')],
    ['digits in groups', filled('date,count\n2026-11-04;', '1.111')],
    ['spaces', filled('date,count\n', ' ')],
    ['a heading with very many columns', filled('date', ';count')],
    ['headings and letters', filled('date,count', 'aA')],
    ['one row with very many cells', filled('date,count\n2026-11-04,1', ',x')],
    ['the same day repeatedly', filled('date,count\n', '2026-11-04,1\n')],
    ['strokes', filled('date,count\n', '04/11/2026,1\n')],
    [
      'a different type in each row',
      `date;type;count\n${Array.from({ length: 50_000 }, (_, i) => `2026-11-04;t${i};1`).join('\n')}`,
    ],
    ['ids', `id;date\n${Array.from({ length: 50_000 }, (_, i) => `T-${i};2026-11-04`).join('\n')}`],
  ])('%s', (_name, text) => {
    expect(read(text).faults.length).toBeLessThanOrEqual(MAX_LISTED);
  });
});
