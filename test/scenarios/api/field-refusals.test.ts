// Faults in a body: the refusal names the field, and nothing is stored.

import { afterAll, describe, expect, test } from 'vitest';

import { BAD_INSTANTS, badTexts, goodTexts, LONE_SURROGATES } from '../../support/api/bad-values.ts';
import { type Refusal, type RefusalCase, testRefusals } from '../../support/api/refusal-table.ts';
import { bodyOf, type BodyParts, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

const ONLY_POST = 'a GET has no body';

function refused(name: string, body: string | Buffer, refusal: Refusal): RefusalCase {
  return { name, POST: { body }, GET: ONLY_POST, ...refusal };
}
const notJson = (name: string, body: string | Buffer): RefusalCase =>
  refused(name, body, { status: 400, code: 'json_malformed', pointers: [''] });
const invalid = (name: string, body: string, pointers: readonly string[]): RefusalCase =>
  refused(name, body, {
    status: 400,
    code: 'field_invalid',
    pointers,
    contains: pointers.map((pointer) => pointer.slice(1)),
  });
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a body that is not JSON in UTF-8', () => {
  const good = bodyOf();
  testRefusals(gateway, [
    notJson('nothing', ''),
    notJson('white space', ' \r\n\t '),
    notJson('cut off', good.slice(0, -1)),
    notJson('two documents', `${good}${good}`),
    notJson('a trailing comma', good.replace(/}$/, ',}')),
    notJson('a comment', `/* sale */${good}`),
    notJson('single quotes', good.replaceAll('"', "'")),
    notJson('a name without quotes', good.replace('"type"', 'type')),
    notJson('NaN', bodyOf({ object: '{"a":NaN}' })),
    notJson('a number with a leading zero', bodyOf({ object: '{"a":01}' })),
    notJson('a number with a leading plus', bodyOf({ object: '{"a":+1}' })),
    notJson('a number that ends in a point', bodyOf({ object: '{"a":1.}' })),
    notJson('a raw line feed in a string', bodyOf({ object: '{"a":"\n"}' })),
    notJson('an unknown escape', bodyOf({ object: String.raw`{"a":"\x41"}` })),
    notJson('a no-break space between tokens', `\u00a0${good}`),
    notJson('a form', 'type=sale&external_id=1'),
    notJson('two byte order marks', `\ufeff\ufeff${good}`),
    notJson('UTF-16', Buffer.from(good, 'utf16le')),
    notJson(
      'a byte that is not UTF-8',
      Buffer.concat([Buffer.from(good.slice(0, -1)), Buffer.from([0xff]), Buffer.from('}')]),
    ),
    notJson('a cut-off UTF-8 sequence', Buffer.from(bodyOf({ object: '{"a":"\u00c3"}' }), 'latin1')),
    notJson('an overlong UTF-8 sequence', Buffer.from(bodyOf({ object: '{"a":"\u00c0\u00af"}' }), 'latin1')),
    notJson('a surrogate in UTF-8', Buffer.from(bodyOf({ object: '{"a":"\u00ed\u00a0\u0080"}' }), 'latin1')),
    notJson('beyond the last character', Buffer.from(bodyOf({ object: '{"a":"\u00f4\u0090\u0080\u0080"}' }), 'latin1')),
    refused('what was sent is not quoted back', '{"type":"sale","card":"4111111111111111"', {
      status: 400,
      code: 'json_malformed',
      pointers: [''],
      notContains: ['4111'],
    }),
  ]);
});

describe('a body that is not one record', () => {
  const bulk = (name: string, body: string): RefusalCase =>
    refused(name, body, { status: 400, code: 'bulk_unsupported', contains: ['one record per request'] });
  testRefusals(gateway, [
    bulk('an array of records', `[${bodyOf()},${bodyOf()}]`),
    bulk('an array of one record', `[${bodyOf()}]`),
    bulk('an empty array', '[]'),
    bulk('an array after white space', ' \r\n\t[]'),
    bulk('brackets 100,000 deep', nested(100_000)),
    ...['null', 'true', '1', '"sale"', '{}'].map((body) =>
      refused(`${body} as a body`, body, {
        status: 400,
        code: 'field_invalid',
        pointers: body === '{}' ? ['/type', '/external_id', '/timestamp', '/object'] : [''],
      }),
    ),
  ]);
});

describe('a body nested too deep', () => {
  testRefusals(gateway, [
    invalid('201 deep in object', bodyOf({ object: `{"a":${nested(200)}}` }), ['/object']),
    invalid('201 deep in an unknown member', bodyOf({ more: `"x":${nested(201)}` }), ['/x']),
    invalid('201 objects deep', bodyOf({ more: `"x":${'{"a":'.repeat(201)}1${'}'.repeat(201)}` }), ['/x']),
    invalid('201 deep before the fields', `{"x":${nested(201)},${bodyOf().slice(1)}`, ['/x']),
    invalid('100,000 deep in object', bodyOf({ object: `{"a":${nested(100_000)}}` }), ['/object']),
    invalid('100,000 deep and never closed', `{"object":${'['.repeat(100_000)}`, ['/object']),
    refused('in a member whose name a pointer must escape', bodyOf({ more: String.raw`"a/b~\u0063":` + nested(201) }), {
      status: 400,
      code: 'field_invalid',
      pointers: ['/a~1b~0c'],
    }),
    refused('in a member with a name of a megabyte', bodyOf({ more: `"${'k'.repeat(900_000)}":${nested(201)}` }), {
      status: 400,
      code: 'field_invalid',
      pointers: 'any',
    }),
    refused('brackets in strings do not count', `${bodyOf({ object: `{"a":"${'['.repeat(1000)}"}` })}x`, {
      status: 400,
      code: 'json_malformed',
      pointers: [''],
    }),
  ]);
});

describe('fields', () => {
  const FIELDS = ['type', 'external_id', 'timestamp', 'object'] as const;
  const WRONG = { string: '"text"', number: '12', boolean: 'true', null: 'null', array: '[]', object: '{}' };
  const good = bodyOf({ external_id: 'good' });
  /** The valid body with the value of one member replaced by JSON text, or without that member. */
  const withField = (field: string, json: string | undefined): string => {
    const members = Object.entries(JSON.parse(good) as Record<string, unknown>).map(([name, value]) => [
      name,
      name === field ? json : JSON.stringify(value),
    ]);
    return `{${members
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `"${name}":${value}`)
      .join(',')}}`;
  };

  testRefusals(gateway, [
    ...FIELDS.map((field) => invalid(`${field} missing`, withField(field, undefined), [`/${field}`])),
    ...FIELDS.map((field) =>
      invalid(`${field} under a name in another case`, good.replace(`"${field}"`, `"${field.toUpperCase()}"`), [
        `/${field}`,
      ]),
    ),
    ...FIELDS.flatMap((field) =>
      Object.entries(WRONG)
        .filter(([kind]) => kind !== (field === 'object' ? 'object' : 'string'))
        .map(([kind, json]) => invalid(`${field} as ${kind}`, withField(field, json), [`/${field}`])),
    ),
    ...BAD_INSTANTS.map(([name, instant]) =>
      invalid(`timestamp: ${name}`, bodyOf({ timestamp: instant }), ['/timestamp']),
    ),
    invalid('timestamp: no zone', bodyOf({ timestamp: '2026-11-20T10:00:00' }), ['/timestamp']),
    ...(
      [
        ['type', 100],
        ['external_id', 1024],
      ] as const
    ).flatMap(([field, most]) =>
      [...badTexts(most), ...LONE_SURROGATES].map(([name, text]) =>
        invalid(`${field}: ${name}`, bodyOf({ [field]: text }), [`/${field}`]),
      ),
    ),
    invalid('external_id: a megabyte', bodyOf({ external_id: 'i'.repeat(1_000_000) }), ['/external_id']),
    invalid('every field wrong is named at once', '{"type":1,"external_id":"","timestamp":"now","object":[]}', [
      '/type',
      '/external_id',
      '/timestamp',
      '/object',
    ]),
    invalid('fields in a __proto__ member', `{"__proto__":${good}}`, [
      '/type',
      '/external_id',
      '/timestamp',
      '/object',
    ]),
    ...FIELDS.map((field) => invalid(`${field} twice`, good.replace(/}$/, `,"${field}":{}}`), [`/${field}`])),
  ]);

  const texts: [string, string, BodyParts][] = [
    ...goodTexts(100).map(([name, text]) => ['type', name, { type: text }] satisfies [string, string, BodyParts]),
    ...goodTexts(1024).map(
      ([name, text]) => ['external_id', name, { external_id: text }] satisfies [string, string, BodyParts],
    ),
  ];
  test.each(texts)('%s may be %s', async (_field, _name, parts) => {
    const answer = await postBody(gateway.apiUrl, gateway.test.secret, bodyOf(parts));
    expect(answer.status).toBe(201);
    expect(answer.json()).toMatchObject(parts);
  });

  test.each([
    '0000-01-01T00:00:00Z',
    '0000-02-29T12:00:00Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00Z',
    '2024-02-29T00:00:00Z',
    '2000-02-29T23:59:59Z',
    '2038-01-19T03:14:08Z',
    '9999-12-31T23:59:59Z',
  ])('timestamp may be %s', async (timestamp) => {
    const answer = await postBody(gateway.apiUrl, gateway.test.secret, bodyOf({ timestamp }));
    expect(answer.json()).toMatchObject({ status: 'NEW', timestamp });
  });
});
