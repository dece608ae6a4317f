// An accepted record is stored byte for byte, however unusual it is, and its resend is recognised.

import { afterAll, expect, test } from 'vitest';

import { PATHS } from '../../support/api/refusal-table.ts';
import { bodyOf, type BodyParts, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const good = bodyOf({ external_id: 'spaced' });

const BODIES: readonly (readonly [name: string, body: string | BodyParts])[] = [
  ['integers beyond 2^53', { object: '{"a":9007199254740993,"b":-9007199254740993}' }],
  ['integers of 40 digits', { object: `{"a":${'1234567890'.repeat(4)}}` }],
  ['a fraction of 40 digits', { object: `{"a":0.${'1234567890'.repeat(4)}}` }],
  ['negative zeros', { object: '{"a":-0,"b":-0.0,"c":-0e0}' }],
  ['numbers beyond a float', { object: '{"a":1e400,"b":-1e400,"c":1e-400,"d":1E+9999999999}' }],
  ['a number of 100,000 digits', { object: `{"a":${'9'.repeat(100_000)}}` }],
  ['trailing zeros and odd exponents', { object: '{"a":12.50,"b":1.0,"c":100E-2,"d":1e00}' }],
  ['a repeated member in object', { object: '{"a":1,"a":2}' }],
  [
    'a __proto__ member in object',
    { object: '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}' },
  ],
  ['a __proto__ member beside the fields', { more: '"__proto__":{"polluted":true,"type":"refund"}' }],
  ['a __proto__ member that is no object', { more: '"__proto__":5' }],
  ['fields in __proto__ do not stand in for the real ones', { more: '"__proto__":{"external_id":"other"}' }],
  ['members named like built-ins', { object: '{"toString":1,"hasOwnProperty":2,"valueOf":null,"length":3,"":4}' }],
  ['unknown members', { more: '"clerk":"Ann","lines":[1,2,3],"note":null' }],
  ['200 levels in object', { object: `{"a":${nested(199)}}` }],
  ['200 levels in an unknown member', { more: `"x":${nested(200)}` }],
  ['200 objects deep', { more: `"x":${'{"a":'.repeat(200)}1${'}'.repeat(200)}` }],
  ['brackets in strings beyond any depth', { object: `{"a":"${'[{'.repeat(5000)}","b":"\\"[[[["}` }],
  ['lone surrogates in object', { object: String.raw`{"a":"\ud800","\udfff":1}` }],
  ['NUL and other control characters, escaped', { object: String.raw`{"a":"\u0000\u0007\u001f"}` }],
  ['characters of every plane', { object: '{"a":"é漢🧾\u{10ffff}\u200b\ufeff\u2028"}' }],
  ['10,000 members', { object: `{${Array.from({ length: 10_000 }, (_, i) => `"k${i}":${i}`).join(',')}}` }],
  ['100,000 empty objects', { object: `{"a":[${Array.from({ length: 100_000 }, () => '{}').join(',')}]}` }],
  [
    'white space everywhere',
    `\r\n\t ${good.replaceAll(/":|,|[{}]/g, (mark) => `${mark.replace(':', ' \r\n\t:')} \n`)} \n`,
  ],
  [
    'members in another order',
    `{"object":{},"timestamp":"2026-11-20T10:00:00Z","external_id":"ordered","type":"sale"}`,
  ],
  [
    'field names and values in escapes',
    String.raw`{"\u0074ype":"\u0073ale","external_\u0069d":"escaped","timestamp":"2026-11-20T10:00:00\u005a","object":{}}`,
  ],
];

test.each(BODIES.flatMap(([name, body]) => PATHS.map((path) => [name, path, body] as const)))(
  '%s are stored byte for byte (%s)',
  async (_name, path, body) => {
    const secret = (await gateway.makeKey({ administration: `Shop ${path} ${_name}` })).secret;
    const text = typeof body === 'string' ? body : bodyOf({ external_id: 'kept', ...body });
    const first = await postBody(gateway.apiUrl, secret, text, path);
    expect(first.json()).toMatchObject({
      status: 'NEW',
      type: 'sale',
      timestamp: '2026-11-20T10:00:00Z',
      external_id: (JSON.parse(text) as { external_id: string }).external_id,
    });
    expect(gateway.readBody(Number(first.json()['record_id'])).equals(Buffer.from(text))).toBe(true);

    const second = await postBody(gateway.apiUrl, secret, text, path);
    expect(second.json()).toMatchObject({ status: 'IGNORED', original_record_id: first.json()['record_id'] });
    expect(gateway.readBody(Number(second.json()['record_id'])).equals(Buffer.from(text))).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  },
);

// JSON.parse of Node 24 confuses these two names, because both contain a backslash (nodejs/node#63785).
test('a field name in escapes is decoded correctly, whatever was sent before', async () => {
  const rest = '"type":"sale","timestamp":"2026-11-20T10:00:00Z","object":{}}';
  const { apiUrl, test: key } = gateway;
  await postBody(apiUrl, key.secret, String.raw`{"q9":"a","external\\u0":"1",${rest}`);
  const answer = await postBody(apiUrl, key.secret, String.raw`{"q9":"a","external\u005fid":"in escapes",${rest}`);
  expect(answer.json()).toMatchObject({ status: 'NEW', external_id: 'in escapes' });
});

test('in the end every record matches its SHA-256 and every count its records', async () => {
  expect(await gateway.store.health.check()).toMatchObject({ structure: [], damagedRecords: [], countFaults: [] });
});
