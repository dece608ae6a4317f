import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { listDifferences } from '../../../../server/store/records/comparison.ts';
import { contentOf } from '../../../../server/store/records/content.ts';
import { canonicalDecimal } from '../../../../server/store/records/exact-json.ts';

const envelope = (object: string, rest = ''): string =>
  `{"type":"sale","external_id":"a","timestamp":"2026-11-20T10:00:00Z","object":${object}${rest}}`;
const differences = (original: string, resent: string): string[] =>
  listDifferences(
    contentOf({ method: null, body: Buffer.from(original) }),
    contentOf({ method: null, body: Buffer.from(resent) }),
  );
const objectDifferences = (original: string, resent: string): string[] =>
  differences(envelope(original), envelope(resent));

describe('the same content', () => {
  test.each([
    ['member order', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['white space', '{"a":[1,2]}', ' {\n\t"a" : [ 1 ,\r\n2 ] } '],
    ['number forms', '{"a":12.5,"b":100,"c":0.001}', '{"a":1.25e1,"b":1E+2,"c":1e-3}'],
    ['trailing zeros', '{"a":12.50}', '{"a":12.5}'],
    ['negative zero', '{"a":-0.0}', '{"a":0}'],
    ['zero with any exponent', '{"a":0e999999999999999999999}', '{"a":0}'],
    ['numbers beyond a float', '{"a":1e400}', '{"a":10e399}'],
    ['exponents beyond a safe integer', '{"a":10e99999999999999999999}', '{"a":1e100000000000000000000}'],
    ['escapes of the same characters', String.raw`{"\u0061":"\u00e9\/\n"}`, String.raw`{"a":"é/\u000A"}`],
    ['members that do not count as content', '{"a":1}', '{"a":1},"clerk":"Ann"'],
    ['empty containers', '{"a":{},"b":[]}', '{"b":[ ],"a":{ }}'],
  ])('%s make no difference', (_name, original, resent) => {
    expect(objectDifferences(original, resent)).toEqual([]);
  });
});

describe('other content', () => {
  test.each([
    ['an array in another order', '{"a":[1,2]}', '{"a":[2,1]}', ['/object/a/0', '/object/a/1']],
    ['null against absent', '{"a":null}', '{}', ['/object/a']],
    ['an additional member', '{}', '{"a":1}', ['/object/a']],
    ['an additional item', '{"a":[1]}', '{"a":[1,2]}', ['/object/a/1']],
    ['another Unicode form', '{"a":"\u00e9"}', '{"a":"e\u0301"}', ['/object/a']],
    ['a number and its text', '{"a":1}', '{"a":"1"}', ['/object/a']],
    ['different integers with the same float', '{"a":9196877626998784}', '{"a":9196877626998785}', ['/object/a']],
    ['40 digits with a different last digit', `{"a":${'1'.repeat(39)}1}`, `{"a":${'1'.repeat(39)}2}`, ['/object/a']],
    ['different exponents', '{"a":1e400}', '{"a":1e401}', ['/object/a']],
    ['signs', '{"a":1}', '{"a":-1}', ['/object/a']],
    ['lone surrogates', String.raw`{"a":"\ud800"}`, String.raw`{"a":"\ud801"}`, ['/object/a']],
    ['__proto__', '{"__proto__":1}', '{}', ['/object/__proto__']],
    ['names that a pointer must escape', '{"a/b~c":1}', '{"a/b~c":2}', ['/object/a~1b~0c']],
    ['an array and an object', '{"a":[]}', '{"a":{}}', ['/object/a']],
    ['true and false', '{"a":true}', '{"a":false}', ['/object/a']],
    ['a repeated name with equal values', '{"a":{"b":1,"b":1}}', '{"a":{"b":1}}', ['/object/a']],
    ['a repeated name, spelt differently', String.raw`{"b":1,"\u0062":2}`, '{"b":2}', ['/object']],
    ['a repeated name in both', '{"b":1,"b":2}', '{"b": 1, "b": 2}', ['/object']],
  ])('%s differ', (_name, original, resent, expected) => {
    expect(objectDifferences(original, resent)).toEqual(expected);
  });

  test('type and timestamp are content', () => {
    const original = '{"type":"sale","timestamp":"2026-11-20T10:00:00Z","object":{}}';
    const resent = '{"type":"refund","timestamp":"2026-11-20T10:00:01Z","object":{}}';
    expect(differences(original, resent)).toEqual(['/type', '/timestamp']);
  });

  test('a repeated name outside the compared members makes a body unequal to all others', () => {
    expect(differences(envelope('{}', ',"x":{"a":1,"a":1}'), envelope('{}'))).toEqual(['/x']);
  });

  test('at most fifty differences are listed', () => {
    const items = (value: number): string => `[${Array.from({ length: 500 }, () => value).join(',')}]`;
    expect(objectDifferences(`{"a":${items(1)}}`, `{"a":${items(2)}}`)).toHaveLength(50);
  });
});

describe('any content', () => {
  const json = fc.jsonValue({ noUnicodeString: false } as fc.JsonSharedConstraints);

  test('two documents differ exactly when their canonical forms do', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const isSame = canonicalize(a) === canonicalize(b);
        expect(objectDifferences(JSON.stringify({ v: a }), JSON.stringify({ v: b })).length === 0).toBe(isSame);
      }),
      { numRuns: 5000 },
    );
  });

  test('a document never differs from itself, and order and spacing change nothing', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify({ v: value });
        expect(objectDifferences(text, JSON.stringify(JSON.parse(text), null, 3))).toEqual([]);
        expect(objectDifferences(text, canonicalize(JSON.parse(text)) ?? '')).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the canonical form of a number', () => {
  test('is the same for all spellings of one value, and different for other values', () => {
    const decimal = fc.record({
      digits: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
      power: fc.integer({ min: -400, max: 400 }),
    });
    const spell = ({ digits, power }: { digits: bigint; power: number }, shift: number): string =>
      `${digits}${'0'.repeat(shift)}e${power - shift}`;
    fc.assert(
      fc.property(decimal, fc.nat(20), decimal, (a, shift, b) => {
        expect(canonicalDecimal(spell(a, shift))).toBe(canonicalDecimal(spell(a, 0)));
        const isEqual = a.digits * 10n ** BigInt(a.power + 400) === b.digits * 10n ** BigInt(b.power + 400);
        expect(canonicalDecimal(spell(a, 0)) === canonicalDecimal(spell(b, 0))).toBe(isEqual);
      }),
    );
  });
});
