// Every way to make a call of the earlier interface, with every possible fault of method, address, token, end point and shape.
// Rules in this file give the expected result of each combination.

import { afterAll, describe, expect, test } from 'vitest';

import { type ErrorCode, ERROR_CODES, type Mode } from '../../../server/contract/codes.ts';
import { databasePath, openDatabase } from '../../../server/store/sqlite/engine/database.ts';
import {
  ALIAS,
  type EarlierGateway,
  HOST,
  nextId,
  openEarlierGateway,
  TEST_ALIAS,
  TEST_HOST,
} from '../../support/api/earlier-gateway.ts';
import { anyNumber, textLike } from '../../support/api/matchers.ts';
import { expectNoSecret, expectProblem, refusalsOf } from '../../support/api/refusal-table.ts';
import { type Answer, call } from '../../support/http-call.ts';
import type { TestKey } from '../../support/open-gateway.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

interface Address {
  readonly name: string;
  readonly host?: string;
  readonly prefix?: string;
  /** The modes that Host and path name. The customer is always the Bakery. */
  readonly says: readonly Mode[];
}
const ADDRESSES: readonly Address[] = [
  { name: 'its token alone', says: [] },
  { name: 'Host', host: HOST, says: ['production'] },
  { name: 'test Host', host: TEST_HOST, says: ['test'] },
  { name: 'path alias', prefix: ALIAS, says: ['production'] },
  { name: 'test path alias', prefix: TEST_ALIAS, says: ['test'] },
  { name: 'Host and path alias', host: HOST, prefix: ALIAS, says: ['production', 'production'] },
  { name: 'Host and test path alias', host: HOST, prefix: TEST_ALIAS, says: ['production', 'test'] },
];

interface Token {
  readonly name: string;
  readonly headers: Headers;
  /** The key of this token. Absent if the gateway does not know the token. */
  readonly key?: TestKey;
  readonly isOfBakery?: boolean;
  readonly code?: ErrorCode;
}
const bearer = (secret: string): Headers => ({ authorization: `Bearer ${secret}` });
async function listTokens(gateway: EarlierGateway): Promise<Token[]> {
  const { till, tillUnderTest, production: current } = gateway;
  const revoked = await gateway.makeKey({ interface: 'both', mode: 'production', label: 'Lost till' });
  await gateway.store.setup.revokeKey(revoked.id, 'test');
  const nameless = await gateway.makeKey({ interface: 'both', mode: 'production', administration: 'Café' });
  const stranger = await gateway.makeKey({ interface: 'earlier', mode: 'production', administration: 'Butcher' });
  const { resources } = gateway.store.setup.administrationOf(till);
  await gateway.store.setup.changeAdministration('Café', { resources }, 'test');
  await gateway.store.setup.changeAdministration(
    'Butcher',
    { resources, customer: { name: 'butcher', id: '42' } },
    'test',
  );
  return [
    { name: 'a production token', headers: bearer(till.secret), key: till, isOfBakery: true },
    { name: 'a test token', headers: bearer(tillUnderTest.secret), key: tillUnderTest, isOfBakery: true },
    { name: 'a token of another customer', headers: bearer(stranger.secret), key: stranger },
    { name: 'a token of a customer without address', headers: bearer(nameless.secret), key: nameless },
    { name: 'a token of the other kind', headers: bearer(current.secret), key: current, code: 'key_wrong_kind' },
    { name: 'a revoked token', headers: bearer(revoked.secret), key: revoked, code: 'key_revoked' },
    { name: 'an unknown token', headers: bearer(`${till.secret}x`), code: 'key_unknown' },
    { name: 'no token', headers: {}, code: 'key_missing' },
    { name: 'another scheme', headers: { authorization: `Basic ${till.secret}` }, code: 'key_missing' },
    {
      name: 'a token twice',
      headers: { authorization: [`Bearer ${till.secret}`, `Bearer ${till.secret}`] },
      code: 'key_repeated',
    },
  ];
}

interface EndPoint {
  readonly version: string;
  readonly resource: string;
  readonly idName: string;
  readonly isValid: boolean;
}
const END_POINTS: readonly EndPoint[] = [
  { version: 'v1', resource: 'transaction', idName: 'transactionid', isValid: true },
  { version: 'v1', resource: 'cancellations', idName: 'transactionid', isValid: true },
  { version: 'v1', resource: 'refund', idName: 'refundid', isValid: true },
  { version: 'v1', resource: 'orders', idName: 'transactionid', isValid: false },
  { version: 'v2', resource: 'transaction', idName: 'transactionid', isValid: false },
];

type Writing = 'GET' | 'POST';
interface Content {
  readonly query?: string;
  readonly body?: string;
}
interface Shape {
  readonly name: string;
  readonly GET: (idName: string, id: string) => Content;
  readonly POST: (idName: string, id: string) => Content;
  readonly code?: Partial<Record<Writing, ErrorCode>>;
  /** The time of the call, as the receipt repeats it. If a call has no time, its receipt has the time of arrival. */
  readonly timestamp?: string;
}
const NOON = '2026-11-20T12:00:00Z';
const refusedOnBoth: Shape['code'] = { GET: 'field_invalid', POST: 'field_invalid' };
const SHAPES: readonly Shape[] = [
  {
    name: 'good',
    GET: (idName, id) => ({ query: `${idName}=${id}&timestamp=${NOON}&amount=10` }),
    POST: (idName, id) => ({ body: `{"${idName}":"${id}","timestamp":"${NOON}","amount":10}` }),
    timestamp: NOON,
  },
  {
    name: 'in data',
    GET: (idName, id) => ({ query: `data=${encodeURIComponent(`{"${idName}":"${id}"}`)}` }),
    POST: (idName, id) => ({ body: `{"data":{"${idName}":"${id}","timestamp":"${NOON}","amount":10}}` }),
    timestamp: NOON,
    code: { GET: 'field_invalid' },
  },
  {
    name: 'without timestamp',
    GET: (idName, id) => ({ query: `${idName}=${id}` }),
    POST: (idName, id) => ({ body: `{"${idName}":"${id}"}` }),
  },
  {
    name: 'with an id of another name',
    GET: (idName, id) => ({ query: `other${idName}=${id}` }),
    POST: (idName, id) => ({ body: `{"other${idName}":"${id}"}` }),
    code: refusedOnBoth,
  },
  {
    name: 'with an invalid timestamp',
    GET: (idName, id) => ({ query: `${idName}=${id}&timestamp=2026-02-30T12:00:00Z` }),
    POST: (idName, id) => ({ body: `{"data":{"${idName}":"${id}","timestamp":"2026-02-30T12:00:00Z"}}` }),
    code: refusedOnBoth,
  },
  {
    name: 'unreadable',
    GET: (idName, id) => ({ query: `${idName}=${id}&amount=%zz` }),
    POST: (idName, id) => ({ body: `{"${idName}":"${id}"` }),
    code: { GET: 'field_invalid', POST: 'json_malformed' },
  },
  {
    name: 'several at once',
    GET: (idName, id) => ({ query: `${idName}=${id}&${idName}=${id}` }),
    POST: (idName, id) => ({ body: `[{"${idName}":"${id}"}]` }),
    code: { GET: 'field_invalid', POST: 'bulk_unsupported' },
  },
  {
    name: 'with query string and body',
    GET: (idName, id) => ({ query: `${idName}=${id}`, body: '{"amount":1}' }),
    POST: (idName, id) => ({ query: 'amount=10', body: `{"${idName}":"${id}"}` }),
    code: refusedOnBoth,
  },
];

/** The rules in the order in which they apply. Returns the error code of a call, or undefined if it is accepted. */
function refusalCode(method: string, address: Address, token: Token, endPoint: EndPoint, shape: Shape) {
  if (method !== 'GET' && method !== 'POST') return 'method_not_allowed';
  if (token.code !== undefined) return token.code;
  const isMeant = token.isOfBakery === true && address.says.every((mode) => mode === token.key?.mode);
  if (address.says.length > 0 && !isMeant) return 'address_mismatch';
  if (!endPoint.isValid) return 'end_point_invalid';
  return shape.code?.[method];
}

const HEADERS_OF: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  method_not_allowed: { allow: 'GET, POST' },
  key_missing: { 'www-authenticate': 'Bearer' },
  key_repeated: { 'www-authenticate': 'Bearer' },
  key_unknown: { 'www-authenticate': 'Bearer' },
  key_revoked: { 'www-authenticate': 'Bearer' },
};

interface Case {
  readonly path: string;
  readonly id: string;
  readonly endPoint: EndPoint;
  readonly content: Content;
  readonly timestamp: string | undefined;
  readonly code: ErrorCode | undefined;
}

function listCases(method: string, address: Address, token: Token): Case[] {
  const isWriting = method === 'GET' || method === 'POST';
  return END_POINTS.flatMap((endPoint) =>
    (isWriting ? SHAPES : SHAPES.slice(0, 1)).map((shape): Case => {
      const id = nextId();
      const { version, resource, idName } = endPoint;
      return {
        path: `${address.prefix ?? ''}/${version}/${resource}`,
        id,
        endPoint,
        content: shape[method === 'POST' || method === 'PUT' ? 'POST' : 'GET'](idName, id),
        timestamp: shape.timestamp,
        code: refusalCode(method, address, token, endPoint, shape),
      };
    }),
  );
}

function expectAnswer(
  gateway: EarlierGateway,
  method: string,
  { code, id, endPoint, timestamp }: Case,
  answer: Answer,
): void {
  expect(answer.headers['cache-control']).toBe('no-store');
  expectNoSecret(gateway, JSON.stringify([answer.headers, answer.text]));
  if (code === undefined) {
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.json()).toEqual({
      record_id: anyNumber,
      external_id: id,
      type: endPoint.resource,
      timestamp: timestamp ?? textLike(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      status: 'NEW',
      received_at: textLike(/\.\d{3}Z$/),
    });
    return;
  }
  expect(answer.headers).toMatchObject(HEADERS_OF[code] ?? {});
  if (method === 'HEAD') expect(answer).toMatchObject({ status: ERROR_CODES[code].status, text: '' });
  else {
    const pointers = code === 'field_invalid' || code === 'json_malformed' ? 'any' : undefined;
    expectProblem(answer, { status: ERROR_CODES[code].status, code, ...(pointers !== undefined && { pointers }) });
  }
}

/** Reads the records that were stored after `recordId`. */
function recordsAfter({ dataDir }: EarlierGateway, recordId: number): unknown[] {
  const db = openDatabase(databasePath(dataDir), 'read');
  try {
    return db
      .prepare(
        'SELECT external_id, type, interface, version, method, status, key_id, CAST(body AS TEXT) AS body FROM records WHERE id > ?',
      )
      .all(recordId);
  } finally {
    db.close();
  }
}

const sorted = (items: readonly unknown[]): string[] => items.map((item) => JSON.stringify(item)).toSorted();

// Each method has its own gateway, because the refusal log lists only the first few thousand calls of an address individually.
describe.each(['GET', 'POST', 'HEAD', 'PUT'])('%s', async (method) => {
  const gateway = await openEarlierGateway();
  afterAll(() => gateway.close());
  const tokens = await listTokens(gateway);

  test.each(ADDRESSES.flatMap((address) => tokens.map((token) => [address.name, token.name, address, token] as const)))(
    'addressed by %s with %s: every end point and shape',
    async (_address, _token, address, token) => {
      const cases = listCases(method, address, token);
      const [newest] = await gateway.store.records.list({ limit: 1 });
      const headers = { host: address.host, 'content-type': 'application/json', ...token.headers };
      const refused = cases.filter(({ code }) => code !== undefined);
      const { answer: answers, log } = await refusalsOf(
        gateway,
        () =>
          Promise.all(
            cases.map(({ path, content: { query, body } }) =>
              call(`${gateway.apiUrl}${path}${query === undefined ? '' : `?${query}`}`, { method, headers, body }),
            ),
          ),
        refused.length,
      );
      answers.forEach((answer, i) => expectAnswer(gateway, method, cases[i]!, answer)); // `!`: there is one answer per case

      const kept = cases.filter(({ code }) => code === undefined);
      expect(sorted(recordsAfter(gateway, newest?.recordId ?? 0))).toEqual(
        sorted(
          kept.map(({ id, endPoint, content }) => ({
            external_id: id,
            type: endPoint.resource,
            interface: 'earlier',
            version: endPoint.version,
            method,
            status: 'NEW',
            key_id: token.key?.id,
            body: method === 'GET' ? content.query : content.body,
          })),
        ),
      );
      const isKeySeen = method === 'GET' || method === 'POST';
      const label = isKeySeen ? (token.key?.label ?? null) : null;
      expect(sorted(log.map((entry) => [entry.method, entry.path, entry.code, entry.label, entry.address]))).toEqual(
        sorted(refused.map(({ path, code }) => [method, path, code, label, '127.0.0.1'])),
      );
      expectNoSecret(gateway, JSON.stringify(log));
    },
  );

  test('in the end every record matches its SHA-256 and every count its records', async () => {
    expect(await gateway.store.health.check()).toMatchObject({ structure: [], damagedRecords: [], countFaults: [] });
  });
});
