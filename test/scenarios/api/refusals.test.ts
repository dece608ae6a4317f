// Refusals that do not depend on the body or the query: the caller, the path and the method.

import { gzipSync } from 'node:zlib';

import { afterAll, describe, expect, test } from 'vitest';

import {
  expectRefused,
  PATHS,
  type RefusalCase,
  refusalsOf,
  type Sent,
  testRefusals,
} from '../../support/api/refusal-table.ts';
import { bodyOf, call, rangeParameters } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { openRawConnection } from '../../support/raw-call.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

const earlier = await gateway.makeKey({ interface: 'earlier', label: 'Old till' });
const revoked = await gateway.makeKey({ label: 'Lost till' });
await gateway.store.setup.revokeKey(revoked.id, 'test');

const { production } = gateway;
const unknownSecret = `${production.secret.slice(0, -4)}0000`;

const onBoth = (sent: Sent): Pick<RefusalCase, 'POST' | 'GET'> => ({ POST: sent, GET: sent });
const withToken = (token: string | readonly string[] | undefined): Pick<RefusalCase, 'POST' | 'GET'> =>
  onBoth({ headers: { token } });
const NO_BODY = 'a GET has no body';
const challenge = { 'www-authenticate': 'token' };

describe('keys', () => {
  testRefusals(gateway, [
    {
      name: 'no token header',
      ...withToken(undefined),
      status: 401,
      code: 'key_missing',
      label: null,
      headers: challenge,
    },
    {
      name: 'an empty token header',
      ...withToken(''),
      status: 401,
      code: 'key_missing',
      label: null,
      headers: challenge,
    },
    { name: 'a token header of spaces', ...withToken('   '), status: 401, code: 'key_missing', label: null },
    {
      name: 'two token headers with the same key',
      ...withToken([production.secret, production.secret]),
      status: 401,
      code: 'key_repeated',
      label: null,
    },
    {
      name: 'two token headers with two keys',
      ...withToken([production.secret, gateway.test.secret]),
      status: 401,
      code: 'key_repeated',
      label: null,
    },
    {
      name: 'two token headers, one empty',
      ...withToken([production.secret, '']),
      status: 401,
      code: 'key_repeated',
      label: null,
    },
    {
      name: 'two keys in one token header',
      ...withToken(`${production.secret},${gateway.test.secret}`),
      status: 401,
      code: 'key_repeated',
      label: null,
    },
    {
      name: 'an unknown key',
      ...withToken(unknownSecret),
      status: 401,
      code: 'key_unknown',
      label: null,
      headers: challenge,
    },
    {
      name: 'a known key with an extra character',
      ...withToken(`${production.secret}x`),
      status: 401,
      code: 'key_unknown',
      label: null,
    },
    {
      name: 'a known key in another case',
      ...withToken(production.secret.toUpperCase()),
      status: 401,
      code: 'key_unknown',
      label: null,
    },
    {
      name: 'a known key under the other prefix',
      ...withToken(production.secret.replace('prod_', 'test_')),
      status: 401,
      code: 'key_unknown',
      label: null,
    },
    {
      name: 'an unknown prefix',
      ...withToken(production.secret.replace('prod_', 'live_')),
      status: 401,
      code: 'key_unknown',
      label: null,
    },
    {
      name: 'a known key without its prefix',
      ...withToken(production.secret.slice(5)),
      status: 401,
      code: 'key_unknown',
      label: null,
    },
    { name: 'only the prefix', ...withToken('prod_'), status: 401, code: 'key_unknown', label: null },
    {
      name: 'a key of 8,000 characters',
      ...withToken('a'.repeat(8000)),
      status: 401,
      code: 'key_unknown',
      label: null,
    },
    { name: 'a key that is not ASCII', ...withToken('prod_\u00e9'), status: 401, code: 'key_unknown', label: null },
    {
      name: 'a revoked key',
      ...withToken(revoked.secret),
      status: 401,
      code: 'key_revoked',
      label: 'Lost till',
      headers: challenge,
    },
    {
      name: 'a key of the earlier interface',
      ...withToken(earlier.secret),
      status: 403,
      code: 'key_wrong_kind',
      label: 'Old till',
    },
    {
      name: 'the key as a bearer token',
      ...onBoth({ headers: { token: undefined, authorization: `Bearer ${production.secret}` } }),
      status: 401,
      code: 'key_missing',
      label: null,
      contains: ['The current interface expects the key in a header named token, not in an Authorization header.'],
    },
    {
      name: 'the key is checked before anything else',
      POST: { headers: { token: undefined, 'content-type': 'text/plain', 'content-encoding': 'gzip' }, body: '[' },
      GET: { headers: { token: undefined }, query: 'limit=no' },
      status: 401,
      code: 'key_missing',
      label: null,
    },
    {
      name: 'a key in the wrong place is not repeated in the answer',
      POST: { body: `["${production.secret}"]` },
      GET: 'see the query table',
      status: 400,
      code: 'bulk_unsupported',
    },
  ]);
});

describe('the declared content type of the body', () => {
  const withType = (type: string | undefined): Pick<RefusalCase, 'POST' | 'GET'> => ({
    POST: { headers: { 'content-type': type } },
    GET: NO_BODY,
  });
  const withEncoding = (encoding: string, body: string | Buffer = bodyOf()): Pick<RefusalCase, 'POST' | 'GET'> => ({
    POST: { headers: { 'content-encoding': encoding }, body },
    GET: NO_BODY,
  });
  testRefusals(gateway, [
    { name: 'no content type', ...withType(undefined), status: 415, code: 'media_type_unsupported' },
    { name: 'an empty content type', ...withType(''), status: 415, code: 'media_type_unsupported' },
    { name: 'a form', ...withType('application/x-www-form-urlencoded'), status: 415, code: 'media_type_unsupported' },
    { name: 'plain text', ...withType('text/plain'), status: 415, code: 'media_type_unsupported' },
    { name: 'text/json', ...withType('text/json'), status: 415, code: 'media_type_unsupported' },
    {
      name: 'a type with the same beginning as JSON',
      ...withType('application/jsonx'),
      status: 415,
      code: 'media_type_unsupported',
    },
    {
      name: 'a type with the same end as JSON',
      ...withType('application/xjson'),
      status: 415,
      code: 'media_type_unsupported',
    },
    {
      name: 'JSON in another charset',
      ...withType('application/json; charset=iso-8859-1'),
      status: 415,
      code: 'media_type_unsupported',
    },
    {
      name: 'JSON in UTF-16',
      ...withType('application/json; charset=utf-16'),
      status: 415,
      code: 'media_type_unsupported',
    },
    { name: 'gzip', ...withEncoding('gzip', gzipSync(bodyOf())), status: 415, code: 'encoding_unsupported' },
    {
      name: 'a gzip bomb',
      ...withEncoding('gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024))),
      status: 415,
      code: 'encoding_unsupported',
    },
    { name: 'identity, then gzip', ...withEncoding('identity, gzip'), status: 415, code: 'encoding_unsupported' },
    { name: 'deflate', ...withEncoding('deflate'), status: 415, code: 'encoding_unsupported' },
  ]);

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'APPLICATION/JSON',
  ])('a body in %j is accepted', async (type) => {
    const headers = { token: production.secret, 'content-type': type };
    expect((await call(gateway.apiUrl + PATHS[0], { method: 'POST', headers, body: bodyOf() })).status).toBe(201);
  });
});

describe('methods', () => {
  const notAllowed = { status: 405, code: 'method_not_allowed', label: null } as const;
  describe.each([undefined, production.secret])('with token %#', (token) => {
    test.each(
      ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'].flatMap((method) =>
        PATHS.map((path) => [method, path] as const),
      ),
    )('%s %s → 405 with Allow', async (method, path) => {
      const url = `${gateway.apiUrl + path}?${rangeParameters()}`;
      const body = method === 'PUT' || method === 'PATCH' ? bodyOf() : undefined;
      const headers = { token, 'content-type': 'application/json' };
      await expectRefused(gateway, { ...notAllowed, headers: { allow: 'GET, POST' } }, { method, path }, () =>
        call(url, { method, headers, body }),
      );
    });
  });

  test.each(['/healthz', '/readyz', '/openapi.json', '/docs', '/trust'])('POST %s → 405 with Allow', async (path) => {
    const sent = () => call(gateway.apiUrl + path, { method: 'POST', body: bodyOf() });
    await expectRefused(gateway, { ...notAllowed, headers: { allow: 'GET' } }, { method: 'POST', path }, sent);
  });
});

/** A method, a path and headers. */
type Visit = [method: string, path: string, headers: Record<string, string>];

describe('paths', () => {
  const nothing = { status: 404, code: 'not_found', label: null } as const;
  const paths = ['/', '/v1', '//v1/raw_transactions', '/metrics', '/.env', '/__proto__', '/constructor'];
  test.each(['POST', 'GET', 'HEAD', 'DELETE'].flatMap((method) => paths.map((path) => [method, path] as const)))(
    '%s %s → 404',
    async (method, path) => {
      const headers = { token: production.secret, 'content-type': 'application/json' };
      await expectRefused(gateway, nothing, { method, path }, () =>
        call(gateway.apiUrl + path, { method, headers, body: method === 'POST' ? bodyOf() : undefined }),
      );
    },
  );

  /** Returns the methods in the refusal log after this call and a later call with DELETE. */
  async function methodsInLog(visit: Visit, count: number): Promise<string[]> {
    const [method, path, headers] = visit;
    const body = 'content-length' in headers ? '{}' : undefined;
    const calls = async (): Promise<void> => {
      expect(await call(gateway.apiUrl + path, { method, headers, body })).toMatchObject({ status: 404 });
      await call(gateway.apiUrl, { method: 'DELETE' });
    };
    const { log } = await refusalsOf(gateway, calls, count);
    return log.map((entry) => entry.method);
  }

  test.each<Visit>([
    ['GET', '/favicon.ico', {}],
    ['HEAD', '/', {}],
  ])('%s %s with headers %o is a visit, so the refusal log leaves it out', async (...visit) => {
    expect(await methodsInLog(visit, 1)).toEqual(['DELETE']);
  });

  test.each<Visit>([
    ['GET', '/favicon.ico', { token: 'prod_mistyped' }],
    ['GET', '/favicon.ico', { authorization: 'Basic YTpi' }],
    ['GET', '/favicon.ico?transactionid=1', {}],
    ['GET', '/favicon.ico;transactionid=1', {}],
    ['GET', '/favicon.ico&transactionid=1', {}],
    ['GET', '/favicon.ico%3Ftransactionid%3D1', {}],
    ['GET', '/favicon.ico', { 'content-length': '2' }],
    ['POST', '/favicon.ico', {}],
  ])('%s %s with headers %o may be a sale, so the refusal log keeps it', async (...visit) => {
    expect(await methodsInLog(visit, 2)).toEqual([visit[0], 'DELETE']);
  });

  test('a GET with a body in chunks may be a sale, so the refusal log keeps it', async () => {
    const { log } = await refusalsOf(gateway, async () => {
      const connection = await openRawConnection(gateway.apiUrl);
      connection.send('GET /favicon.ico HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n');
      expect(await connection.next()).toMatchObject({ status: 404 });
      connection.destroy();
    });
    expect(log).toMatchObject([{ method: 'GET', path: '/favicon.ico', code: 'not_found' }]);
  });

  const earlier = [
    '/v1/raw_transaction',
    '/v2/raw_transactions',
    '/V1/raw_transactions',
    '/v1/RAW_TRANSACTIONS',
    '/api/raw_transactions',
    '/v1/raw%5Ftransactions',
    '/v1/%zz',
    '/v1/transaction',
    '/v1/raw_transactions/1',
    '/api/api/v1/raw_transactions',
  ];
  test.each(['POST', 'GET'].flatMap((method) => earlier.map((path) => [method, path] as const)))(
    '%s %s with a token header → 400, because the path is of the earlier interface; the answer names the right header',
    async (method, path) => {
      const headers = { token: production.secret, 'content-type': 'application/json' };
      const refusal = {
        status: 400,
        code: 'end_point_invalid',
        label: null,
        contains: ['/v1/raw_transactions'],
      } as const;
      await expectRefused(gateway, refusal, { method, path }, () =>
        call(gateway.apiUrl + path, { method, headers, body: method === 'POST' ? bodyOf() : undefined }),
      );
    },
  );
});
