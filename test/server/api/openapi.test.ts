// The OpenAPI document is valid and agrees with the gateway. The document describes every answer, and accepts the same bodies as
// the gateway.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import formats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { ERROR_CODES } from '../../../server/contract/codes.ts';
import { BAD_INSTANTS, badTexts, goodTexts } from '../../support/api/bad-values.ts';
import { PATHS } from '../../support/api/refusal-table.ts';
import { type Answer, bodyOf, call, rangeParameters } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { rawCall, type RawAnswer } from '../../support/raw-call.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly required?: boolean; readonly schema: object }[];
  readonly responses: Record<
    string,
    { readonly description: string; readonly content: Record<string, { schema: object }>; readonly headers?: object }
  >;
}
interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
}
const document = (await call(`${gateway.apiUrl}/openapi.json`)).json() as unknown as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ $id: 'https://gateway.test/openapi', ...document });
/** Validates a value against the schema at `place` in the document. Returns the errors. */
function errorsAt(place: readonly string[], value: unknown): unknown {
  const pointer = place
    .map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent)
    .join('/');
  const validate = ajv.getSchema(`https://gateway.test/openapi#/${pointer}`);
  if (validate === undefined) throw new Error(`the document has nothing at ${pointer}`);
  return validate(value) === true ? [] : validate.errors;
}

const revoked = await gateway.makeKey();
await gateway.store.setup.revokeKey(revoked.id, 'test');
const earlier = await gateway.makeKey({ interface: 'earlier' });
const { secret } = gateway.production;

describe.each(PATHS)('answers of %s match the document', (path) => {
  const post =
    (body: string | Buffer, headers: Record<string, string | string[]> = {}) =>
    (): Promise<Answer> =>
      call(gateway.apiUrl + path, {
        method: 'POST',
        headers: { token: secret, 'content-type': 'application/json', ...headers },
        body,
      });
  const get =
    (query: string, headers: Record<string, string | string[]> = {}) =>
    (): Promise<Answer> =>
      call(`${gateway.apiUrl}${path}?${query}`, { headers: { token: secret, ...headers } });
  const raw =
    (method: string, ...lines: string[]) =>
    async (): Promise<Answer | RawAnswer | undefined> =>
      rawCall(
        gateway.apiUrl,
        `${[`${method} ${path} HTTP/1.1`, `token: ${secret}`, 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`,
      );
  const dup = `openapi ${path}`;

  const POSTS: [string, number, () => Promise<Answer | RawAnswer | undefined>][] = [
    ['NEW', 201, post(bodyOf({ external_id: dup }))],
    ['IGNORED', 200, post(bodyOf({ external_id: dup }))],
    ['ERROR', 200, post(bodyOf({ external_id: dup, object: '{"a":1}' }))],
    ['request_malformed', 400, raw('POST', 'Host: a', 'Host: b', 'Content-Length: 0')],
    ['json_malformed', 400, post('{')],
    ['bulk_unsupported', 400, post('[]')],
    ['field_invalid', 400, post('{}')],
    ['key_missing', 401, post('{}', { token: '' })],
    ['key_repeated', 401, post('{}', { token: [secret, secret] })],
    ['key_unknown', 401, post('{}', { token: 'unknown' })],
    ['key_revoked', 401, post('{}', { token: revoked.secret })],
    ['key_wrong_kind', 403, post('{}', { token: earlier.secret })],
    ['body_too_large', 413, post(' '.repeat(1024 * 1024 + 1))],
    ['media_type_unsupported', 415, post('{}', { 'content-type': 'text/plain' })],
    ['encoding_unsupported', 415, post('{}', { 'content-encoding': 'gzip' })],
    ['expectation_unsupported', 417, raw('POST', 'Host: a', 'Expect: more', 'Content-Length: 0')],
    ['headers_too_large', 431, raw('POST', 'Host: a', `X: ${'x'.repeat(17_000)}`)],
  ];
  const GETS: [string, number, () => Promise<Answer | RawAnswer | undefined>][] = [
    ['the count', 200, get(rangeParameters())],
    ['a page', 200, get(rangeParameters({ expand: 'raw_transactions', limit: '1' }))],
    ['request_malformed', 400, raw('GET', 'Host: a', 'Host: b')],
    ['query_invalid', 400, get('')],
    ['range_invalid', 400, get(rangeParameters({ timestamp_lt: '2026-11-20T00:00:00' }))],
    ['cursor_invalid', 400, get(rangeParameters({ expand: 'raw_transactions', cursor: 'x' }))],
    ['key_missing', 401, get('', { token: '' })],
    ['key_repeated', 401, get('', { token: [secret, secret] })],
    ['key_unknown', 401, get('', { token: 'unknown' })],
    ['key_revoked', 401, get('', { token: revoked.secret })],
    ['key_wrong_kind', 403, get('', { token: earlier.secret })],
    ['expectation_unsupported', 417, raw('GET', 'Host: a', 'Expect: more')],
    ['headers_too_large', 431, raw('GET', 'Host: a', `X: ${'x'.repeat(17_000)}`)],
  ];

  test.each([...POSTS.map((row) => ['post', ...row] as const), ...GETS.map((row) => ['get', ...row] as const)])(
    '%s: %s → %i',
    async (method, name, status, send) => {
      const answer = await send();
      if (answer === undefined) throw new Error('no answer');
      expect(answer.status).toBe(status);
      const responses = document.paths[path]?.[method]?.responses ?? {};
      expect(Object.keys(responses)).toContain(String(status));
      const mediaType = answer.headers['content-type'] ?? '';
      expect(Object.keys(responses[status]?.content ?? {})).toEqual([mediaType]);
      const body = JSON.parse(answer.text) as unknown;
      expect(
        errorsAt(['paths', path, method, 'responses', String(status), 'content', mediaType, 'schema'], body),
      ).toEqual([]);
      if (status >= 400) expect(responses[status]?.description).toContain(`\`${name}\``);
    },
  );

  test.each([
    ['post', 408, 'request_timeout'],
    ['post', 503, 'store_full'],
    ['post', 503, 'store_unavailable'],
    ['post', 503, 'store_busy'],
    ['get', 429, 'query_busy'],
    ['get', 408, 'request_timeout'],
  ] as const)('%s may also be %i %s', (method, status, code) => {
    const response = document.paths[path]?.[method]?.responses[status];
    expect(response?.description ?? '').toContain(`\`${code}\``);
    expect(Object.keys(response?.content ?? {})).toEqual(['application/problem+json']);
    expect(Object.keys(response?.headers ?? {})).toEqual(status === 408 ? [] : ['Retry-After']);
  });

  test.each(['post', 'get'])('%s: every code in the document is in the table, with its status', (method) => {
    for (const [status, { description }] of Object.entries(document.paths[path]?.[method]?.responses ?? {})) {
      const codes = [...description.matchAll(/`(\w+)`:/g)].map(([, code]) => code as keyof typeof ERROR_CODES);
      for (const code of codes) expect(ERROR_CODES[code]?.status).toBe(Number(status));
      if (Number(status) >= 400) expect(codes).not.toEqual([]);
    }
  });
});

describe('answers of the earlier interface match the document', () => {
  const place = '/{version}/{resource}';
  const key = gateway.makeKey({ interface: 'both', mode: 'production' });
  const end = '/v1/transaction';
  const send =
    (method: 'GET' | 'POST', amount: string, headers: Record<string, string> = {}, path = end) =>
    async (): Promise<Answer> => {
      const authorized = { authorization: `Bearer ${(await key).secret}`, ...headers };
      if (method === 'GET')
        return call(`${gateway.apiUrl}${path}?transactionid=document&amount=${amount}`, { headers: authorized });
      const body = `{"transactionid":"document","amount":${amount}}`;
      return call(gateway.apiUrl + path, {
        method,
        headers: { 'content-type': 'application/json', ...authorized },
        body,
      });
    };

  test.each<[string, 'get' | 'post', number, () => Promise<Answer>]>([
    ['NEW', 'get', 200, send('GET', '10')],
    ['IGNORED', 'post', 200, send('POST', '1e1')],
    ['ERROR', 'post', 200, send('POST', '11')],
    ...(['GET', 'POST'] as const).flatMap((method): [string, 'get' | 'post', number, () => Promise<Answer>][] => {
      const lower = method === 'GET' ? 'get' : 'post';
      return [
        ['end_point_invalid', lower, 400, send(method, '1', {}, '/v2/transaction')],
        ['field_invalid', lower, 400, send(method, method === 'GET' ? '1&timestamp=now' : '1,"timestamp":"now"')],
        ['key_missing', lower, 401, send(method, '1', { authorization: '' })],
        ['key_unknown', lower, 401, send(method, '1', { authorization: 'Bearer unknown' })],
        ['key_wrong_kind', lower, 403, send(method, '1', { authorization: `Bearer ${secret}` })],
        ['address_mismatch', lower, 403, send(method, '1', {}, '/c/bakery/1/v1/transaction')],
        ['prefetch_refused', lower, 403, send(method, '1', { purpose: 'prefetch' })],
      ];
    }),
    ['json_malformed', 'post', 400, send('POST', '')],
    ['media_type_unsupported', 'post', 415, send('POST', '1', { 'content-type': 'text/plain' })],
  ])('%s by %s → %i', async (name, method, status, sent) => {
    const answer = await sent();
    expect(answer.status).toBe(status);
    const mediaType = answer.headers['content-type'] ?? '';
    const response = document.paths[place]?.[method]?.responses[status];
    expect(Object.keys(response?.content ?? {})).toEqual([mediaType]);
    const schema = ['paths', place, method, 'responses', String(status), 'content', mediaType, 'schema'];
    expect(errorsAt(schema, answer.json())).toEqual([]);
    if (status >= 400) expect(response?.description).toContain(`\`${name}\``);
    else expect(answer.json()).toMatchObject({ status: name });
  });

  test.each<[string, string]>([
    ['bare', '{"transactionid":"a","timestamp":"2026-11-20T13:04:51.5Z","amount":1,"clerk":{"n":1}}'],
    ['in data', '{"data":{"transactionid":12}}'],
  ])('the document accepts a body that is %s', (_name, text) => {
    const schema = ['paths', place, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    expect(errorsAt(schema, JSON.parse(text))).toEqual([]);
  });
});

describe('day totals', () => {
  const path = '/ext/v1/day_totals';
  const post =
    (body: string, headers: Record<string, string> = {}) =>
    (): Promise<Answer> =>
      call(gateway.apiUrl + path, {
        method: 'POST',
        headers: { token: secret, 'content-type': 'application/json', ...headers },
        body,
      });
  const total = (more = ''): string => `{"day":"2026-11-20","count":1${more}}`;

  test.each<[string, number, () => Promise<Answer>]>([
    ['new', 201, post(total())],
    ['in force', 200, post(total())],
    ['with ids', 201, post(total(',"type":"sale","external_ids":["a"]'))],
    ['json_malformed', 400, post('{')],
    ['bulk_unsupported', 400, post('[]')],
    ['field_invalid', 400, post('{}')],
    ['key_missing', 401, post(total(), { token: '' })],
    ['key_unknown', 401, post(total(), { token: 'unknown' })],
    ['key_revoked', 401, post(total(), { token: revoked.secret })],
    ['key_wrong_kind', 403, post(total(), { token: earlier.secret })],
    ['body_too_large', 413, post(' '.repeat(1024 * 1024 + 1))],
    ['media_type_unsupported', 415, post(total(), { 'content-type': 'text/plain' })],
    ['encoding_unsupported', 415, post(total(), { 'content-encoding': 'gzip' })],
  ])('%s → %i', async (name, status, send) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    const mediaType = answer.headers['content-type'] ?? '';
    const response = document.paths[path]?.['post']?.responses[status];
    expect(Object.keys(response?.content ?? {})).toEqual([mediaType]);
    const schema = ['paths', path, 'post', 'responses', String(status), 'content', mediaType, 'schema'];
    expect(errorsAt(schema, answer.json())).toEqual([]);
    if (status >= 400) expect(response?.description).toContain(`\`${name}\``);
  });

  test.each([408, 429, 500, 503])('may also be %i', (status) => {
    expect(Object.keys(document.paths[path]?.['post']?.responses ?? {})).toContain(String(status));
  });

  const bodySchema = ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  test.each([
    total(),
    total(',"type":"sale"'),
    ...goodTexts(1024).map(([, id]) => total(`,"external_ids":[${JSON.stringify(id)}]`)),
  ])('the document accepts %s', (text) => {
    expect(errorsAt(bodySchema, JSON.parse(text))).toEqual([]);
  });
  test.each([
    '{}',
    '{"day":"2026-11-20"}',
    '{"day":"2026-02-30","count":1}',
    '{"day":"20-11-2026","count":1}',
    '{"day":"2026-11-20","count":-1}',
    '{"day":"2026-11-20","count":1.5}',
    '{"day":"2026-11-20","count":"1"}',
    total(',"more":{"clerk":"Ann"}'),
    total(',"type":null'),
    total(',"external_ids":"a"'),
    total(',"external_ids":[1]'),
    total(',"external_ids":["a","a"]'),
    ...badTexts(1024).map(([, id]) => total(`,"external_ids":[${JSON.stringify(id)}]`)),
  ])('the document refuses %s', (text) => {
    expect(errorsAt(bodySchema, JSON.parse(text))).not.toEqual([]);
  });
});

/** A named request body. */
type Named = readonly [name: string, text: string];

describe('requests', () => {
  const bodySchema = ['paths', PATHS[0] ?? '', 'post', 'requestBody', 'content', 'application/json', 'schema'];
  const bodyErrors = (text: string): unknown => errorsAt(bodySchema, JSON.parse(text));

  test.each<Named>([
    ['a valid body', bodyOf()],
    ['an additional member', bodyOf({ more: '"clerk":"Ann"' })],
    ...[
      '2026-11-20T10:00:00.000Z',
      '2026-11-20T10:00:00+00:00',
      '2026-11-20T10:00:00.5-05:30',
      '2026-11-20T10:00:00+14:00',
      '2026-11-20T10:00:00+0100',
      '2026-11-20T10:00:00+01',
    ].map((timestamp) => [timestamp, bodyOf({ timestamp })] as const),
    ['a nested object', bodyOf({ object: '{"a":[1,{"b":null}]}' })],
    ...goodTexts(100).map(([name, type]) => [`type: ${name}`, bodyOf({ type })] as const),
    ...goodTexts(1024).map(([name, external_id]) => [`external_id: ${name}`, bodyOf({ external_id })] as const),
  ])('the document accepts %s, as the gateway does', (_name, text) => {
    expect(bodyErrors(text)).toEqual([]);
  });

  test.each<Named>([
    ['no fields', '{}'],
    ['null', 'null'],
    ['an array', '[]'],
    ['object: an array', bodyOf({ object: '[]' })],
    ['object: null', bodyOf({ object: 'null' })],
    ...badTexts(100).map(([name, type]) => [`type: ${name}`, bodyOf({ type })] as const),
    ...badTexts(1024).map(([name, external_id]) => [`external_id: ${name}`, bodyOf({ external_id })] as const),
    // Leaves out leap seconds and unusual years. The gateway refuses them, but JSON Schema's date-time allows them, as RFC 3339
    // does for leap seconds.
    ...BAD_INSTANTS.filter(([name]) => name !== 'a leap second' && !name.startsWith('a year ')).map(
      ([name, timestamp]) => [`timestamp: ${name}`, bodyOf({ timestamp })] as const,
    ),
  ])('the document refuses %s, as the gateway does', (_name, text) => {
    expect(bodyErrors(text)).not.toEqual([]);
  });

  test('the query has its six parameters, and both bounds are required', () => {
    for (const path of PATHS) {
      const parameters = document.paths[path]?.['get']?.parameters ?? [];
      expect(parameters.map(({ name, required = false }) => [name, required])).toEqual([
        ['timestamp_gte', true],
        ['timestamp_lt', true],
        ['type', false],
        ['expand', false],
        ['limit', false],
        ['cursor', false],
      ]);
      expect(parameters.find(({ name }) => name === 'limit')?.schema).toMatchObject({
        type: 'integer',
        minimum: 1,
        maximum: 500,
        default: 500,
      });
      expect(parameters.find(({ name }) => name === 'expand')?.schema).toMatchObject({
        enum: ['none', 'raw_transactions'],
        default: 'none',
      });
    }
  });
});

test('redocly finds no fault in the OpenAPI 3.1 document', async () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-openapi-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  const redocly = join(import.meta.dirname, '../../../node_modules/@redocly/cli/bin/cli.js');
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    CI: 'true',
  };
  const { stdout } = await promisify(execFile)(process.execPath, [redocly, 'lint', 'openapi.json', '--format=json'], {
    cwd: folder,
    env,
  });
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string; severity: string }[] };
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test('/docs shows every operation, every parameter and every code, and loads nothing from elsewhere', async () => {
  const page = await call(`${gateway.apiUrl}/docs`);
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const texts = [
    ...PATHS,
    '/{version}/{resource}',
    ...Object.keys(ERROR_CODES),
    'timestamp_gte',
    'transactionid',
    '/ext/v1/day_totals',
    'external_ids',
  ];
  for (const text of texts) expect(page.text).toContain(text);
  expect(page.text).not.toContain('https://');
  expect(page.text).not.toMatch(/<(script|link|img|iframe)\b|(src|href)="https?:|@import|url\(/i);
});
