// Which parts of a stored call are compared: three members on the current interface, every parameter on the earlier interface.
// A query string and a body with the same parameters give the same values.

import { describe, expect, test } from 'vitest';

import { listDifferences } from '../../../../server/store/records/comparison.ts';
import { type Content, contentOf, findParameters } from '../../../../server/store/records/content.ts';

const read = (method: 'GET' | 'POST' | null, text: string): Content => contentOf({ method, body: Buffer.from(text) });
const names = ({ members }: Content): string[] => [...members.keys()];

describe('the current interface', () => {
  test('compares type, timestamp and object, and nothing else', () => {
    const text = '{"object":{"a":1},"clerk":"Ann","external_id":"a","type":"sale","timestamp":"2026-11-20T10:00:00Z"}';
    expect(names(read(null, text))).toEqual(['type', 'timestamp', 'object']);
  });

  test('compares values exactly: 10 and "10", true and "true" differ', () => {
    const of = (type: string): Content => read(null, `{"type":${type},"timestamp":"2026-11-20T10:00:00Z","object":{}}`);
    expect(listDifferences(of('10'), of('"10"'))).toEqual(['/type']);
    expect(listDifferences(of('true'), of('"true"'))).toEqual(['/type']);
  });
});

describe('the parameters of a query string', () => {
  test('are all compared, in the order of arrival', () => {
    expect(names(read('GET', 'b=2&transactionid=a&timestamp=2026-11-20T10:00:00Z&&a%20b&=x'))).toEqual([
      'b',
      'transactionid',
      'timestamp',
      'a b',
      '',
    ]);
  });

  test('are named if they are repeated, once for each place', () => {
    expect(read('GET', 'a=1&b=1&a=1&a%2Fb~=1&a/b~=2&%61=3').repeated).toEqual(['/a', '/a~1b~0', '/a']);
    expect(read('GET', 'a=1&b=1').repeated).toEqual([]);
  });

  test('are empty for an empty query string', () => {
    expect(read('GET', '')).toMatchObject({ members: new Map(), repeated: [] });
  });
});

describe('the parameters of a body', () => {
  test.each([
    ['{"data":{"a":1}}', '{"a":1}'],
    [' { "data" : {"a":1} } ', '{"a":1}'],
    [String.raw`{"d\u0061ta":{"a":1}}`, '{"a":1}'],
    ['{"data":{}}', '{}'],
    ['{"data":{"data":{"a":1}}}', '{"data":{"a":1}}'],
    ['{"data":{"a":"}{"}}', '{"a":"}{"}'],
  ])('%s are the parameters of %s', (body, parameters) => {
    expect(findParameters(body)).toEqual({ pointer: '/data', text: parameters });
  });

  test.each([
    '{"a":1,"b":2}',
    '{"data":{"a":1},"b":2}',
    '{"data":[{"a":1}]}',
    '{"data":"{}"}',
    '{"data":null}',
    '{"Data":{"a":1}}',
    '{"data":{"a":1},"data":{"a":1}}',
    '[{"data":{}}]',
    '"data"',
    '{}',
  ])('%s are its own parameters: data has no single object', (body) => {
    expect(findParameters(body)).toEqual({ pointer: '', text: body });
  });

  test('are named if they are repeated, in data too; nested ones by their object', () => {
    expect(read('POST', '{"a":1,"a":2}').repeated).toEqual(['']);
    expect(read('POST', '{"data":{"a":1,"a":2}}').repeated).toEqual(['']);
    expect(read('POST', '{"data":{"x":{"a":1,"a":2}}}').repeated).toEqual(['/x']);
  });
});

describe('every spelling of a value', () => {
  const G = (value: string) => ({ how: 'GET', value });
  const P = (value: string) => ({ how: 'POST', value });
  const D = (value: string) => ({ how: 'data', value });
  /** All spellings in one list have the same meaning. Spellings in different lists have different meanings. */
  const SAME: readonly (readonly { how: string; value: string }[])[] = [
    [
      G('10'),
      G('10.0'),
      G('1e1'),
      G('1E%2B1'),
      P('10'),
      P('10.0'),
      P('1e1'),
      P('"10"'),
      P('"1e1"'),
      D('10'),
      D('"10"'),
    ],
    [G('-10'), P('-1e1')],
    [G('007'), P('"007"'), D('"007"')],
    [G('7'), P('7.00'), P('"7"')],
    [G('%2B1'), P('"+1"')],
    [G('1'), P('1'), D('0.1e1')],
    [G('+1'), G('%201'), P('" 1"')],
    [G('1%20'), P('"1 "')],
    [G('1.'), P('"1."')],
    [G('.5'), P('".5"')],
    [G('0.5'), P('5e-1')],
    [G('0x10'), P('"0x10"')],
    [G('0'), G('-0'), P('0'), P('-0.0'), P('"0e9"')],
    [G('00'), P('"00"')],
    [G('9007199254740993'), P('9007199254740993'), P('9007199254740993.0')],
    [G('9007199254740992'), P('"9007199254740992"')],
    [G('1e400'), P('10e399')],
    [G('true'), P('true'), P('"true"'), D('true')],
    [G('false'), P('false')],
    [G('True'), P('"True"')],
    [G('null'), P('"null"')],
    [P('null'), D('null')],
    [G(''), P('""')],
    [G('NaN'), P('"NaN"')],
    [G('%C3%A9'), P('"é"'), P(String.raw`"\u00e9"`)],
    [G('e%CC%81'), P('"e\u0301"')],
    [G('%D9%A1%D9%A0'), P('"١٠"')],
    [P('{"a":10,"b":[1]}'), P('{"b":[1.0],"a":1e1}'), D('{"a":10,"b":[1]}')],
    [P('{"a":"10","b":[1]}')],
    [P('{"a":10,"b":[true]}')],
    [P('{"a":10,"b":["true"]}')],
    [P('[10]')],
    [P('["10"]'), P('[ "10" ]')],
    [G('[10]'), P('"[10]"')],
  ];
  const spellings = SAME.flatMap((list, meaning) => list.map((spelling) => ({ ...spelling, meaning })));

  function contentWith({ how, value }: { how: string; value: string }): Content {
    if (how === 'GET') return read('GET', `transactionid=a&amount=${value}`);
    const members = `{"amount":${value},"transactionid":"a"}`;
    return read('POST', how === 'POST' ? members : `{"data":${members}}`);
  }

  test.each(spellings)('$how $value equals its own list, and differs from every other', (one) => {
    for (const other of spellings) {
      const differences = listDifferences(contentWith(one), contentWith(other));
      const isSame = one.meaning === other.meaning;
      // The pointer to a nested value begins with its parameter.
      expect([other, [...new Set(differences.map((pointer) => pointer.split('/')[1]))]]).toEqual([
        other,
        isSame ? [] : ['amount'],
      ]);
    }
  });
});

describe('a timestamp', () => {
  test.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.0Z', true],
    ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.0Z', true],
    ['2026-11-20T10:00:00.10Z', '2026-11-20T10:00:00.1Z', true],
    ['2026-11-20T10:00:00.010Z', '2026-11-20T10:00:00.01Z', true],
    ['2026-11-20T10:00:00.1Z', '2026-11-20T10:00:00.01Z', false],
    ['2026-11-20T10:00:00.1Z', '2026-11-20T10:00:00Z', false],
    ['2026-11-20T10:00:10Z', '2026-11-20T10:00:01Z', false],
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:10.0Z', false],
  ])('%s and %s are the same: %s', (a, b, isSame) => {
    for (const [one, other] of [
      [read('GET', `timestamp=${a}`), read('POST', `{"timestamp":"${b}"}`)],
      [read('POST', `{"data":{"timestamp":"${a}"}}`), read('GET', `timestamp=${b}`)],
    ] as const)
      expect(listDifferences(one, other)).toEqual(isSame ? [] : ['/timestamp']);
  });

  test('is recognised only by its name: elsewhere, zeros at the end of a text count', () => {
    const of = (value: string): Content => read('GET', `at=${value}`);
    expect(listDifferences(of('2026-11-20T10:00:00.0Z'), of('2026-11-20T10:00:00Z'))).toEqual(['/at']);
  });
});
