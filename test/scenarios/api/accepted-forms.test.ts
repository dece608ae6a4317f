// Both interfaces accept every form of a call that current senders use, if the form has only one meaning. Calls in these forms
// are stored and forwarded byte for byte, but compared and counted by their meaning.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { databasePath, openDatabase } from '../../../server/store/sqlite/engine/database.ts';
import { nextId, openEarlierGateway, PATH } from '../../support/api/earlier-gateway.ts';
import { bodyOf, call, getRange, postBody } from '../../support/http-call.ts';
import { rawCall } from '../../support/raw-call.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

const gateway = await openEarlierGateway();
afterAll(() => gateway.close());
const { apiUrl, get, post, till, expectRefused } = gateway;

const BOM = '\ufeff';
const json = (value: unknown): string => JSON.stringify(value);
const encode = encodeURIComponent;

let shops = 0;
/** A production key for both interfaces, in a new administration. */
const freshKey = () =>
  gateway.makeKey({ interface: 'both', mode: 'production', administration: `Shop ${(shops += 1)}`, label: 'Till' });

/** One instant, 10:00 UTC, in the spellings of different senders. */
const TEN_O_CLOCK: readonly (readonly [name: string, timestamp: string])[] = [
  ['a fraction of zeros, as JavaScript writes', '2026-11-20T10:00:00.000Z'],
  ['seven digits, as .NET writes', '2026-11-20T10:00:00.0000000Z'],
  ['an offset of zero', '2026-11-20T10:00:00+00:00'],
  ['an offset ahead', '2026-11-20T11:00:00+01:00'],
  ['an offset behind', '2026-11-20T04:30:00-05:30'],
  ['an offset without colon, as PHP writes', '2026-11-20T11:00:00+0100'],
  ['an offset of hours', '2026-11-20T11:00:00+01'],
  ['a fraction and an offset', '2026-11-20T11:00:00.000+01:00'],
  ['an offset into another day', '2026-11-21T00:00:00+14:00'],
];
const PLAIN = '2026-11-20T10:00:00Z';

describe('a timestamp on the current interface', () => {
  test.each(TEN_O_CLOCK)(
    '%s: accepted, shown as sent, stored byte for byte, counted at its second in UTC',
    async (_name, timestamp) => {
      const { secret } = await freshKey();
      const body = bodyOf({ timestamp });
      const answer = await postBody(apiUrl, secret, body);
      expect([answer.status, answer.json()['timestamp']]).toEqual([201, timestamp]);
      expect(gateway.readBody(Number(answer.json()['record_id'])).toString()).toBe(body);
      const second = { timestamp_gte: '2026-11-20T10:00:00', timestamp_lt: '2026-11-20T10:00:01' };
      expect((await getRange(apiUrl, secret, { ...second, expand: 'raw_transactions' })).json()).toMatchObject({
        raw_transaction_count: 1,
        raw_transactions: [{ timestamp: '2026-11-20T10:00:00' }],
      });
    },
  );

  test.each(TEN_O_CLOCK)(
    '%s: means the same instant as the plain form, so a resend in either form is IGNORED',
    async (_name, timestamp) => {
      const { secret } = await freshKey();
      for (const [first, second] of [
        [PLAIN, timestamp],
        [timestamp, PLAIN],
      ]) {
        const external_id = nextId();
        await postBody(apiUrl, secret, bodyOf({ external_id, timestamp: first ?? '' }));
        const resent = await postBody(apiUrl, secret, bodyOf({ external_id, timestamp: second ?? '' }));
        expect(resent.json()).toMatchObject({ status: 'IGNORED' });
      }
    },
  );

  test('a millisecond later is another instant: ERROR; the counted second is rounded down', async () => {
    const { secret } = await freshKey();
    const external_id = nextId();
    await postBody(apiUrl, secret, bodyOf({ external_id, timestamp: '2026-11-20T10:00:00.999Z' }));
    const resent = await postBody(apiUrl, secret, bodyOf({ external_id, timestamp: PLAIN }));
    expect(resent.json()).toMatchObject({ status: 'ERROR', differences: ['/timestamp'] });
    const second = { timestamp_gte: '2026-11-20T10:00:00', timestamp_lt: '2026-11-20T10:00:01' };
    expect((await getRange(apiUrl, secret, second)).json()).toMatchObject({ raw_transaction_count: 1 });
  });
});

describe('a timestamp on the earlier interface', () => {
  test.each(TEN_O_CLOCK)(
    '%s: accepted by GET and POST, shown as sent, the same instant as the plain form',
    async (_name, timestamp) => {
      for (const send of [
        (id: string, at: string) => get(`transactionid=${id}&timestamp=${encode(at)}`),
        (id: string, at: string) => post(json({ transactionid: id, timestamp: at })),
      ]) {
        const id = nextId();
        expect((await send(id, timestamp)).json()).toMatchObject({ status: 'NEW', timestamp });
        const [record] = await gateway.store.records.list({ externalId: id, limit: 1 });
        expect(record?.soldAt).toBe(Date.parse(PLAIN) / 1000);
        expect((await send(id, PLAIN)).json()).toMatchObject({ status: 'IGNORED' });
        expect((await post(json({ data: { transactionid: id, timestamp } }))).json()).toMatchObject({
          status: 'IGNORED',
        });
      }
    },
  );

  test('an unencoded + of an offset is read as +, in a record and in a resend', async () => {
    const id = nextId();
    const query = `transactionid=${id}&timestamp=2026-11-20T11:00:00+01:00`;
    const first = await get(query);
    expect(first.json()).toMatchObject({ status: 'NEW', timestamp: '2026-11-20T11:00:00+01:00' });
    expect(gateway.readBody(Number(first.json()['record_id'])).toString()).toBe(query);
    expect((await get(`transactionid=${id}&timestamp=${PLAIN}`)).json()).toMatchObject({ status: 'IGNORED' });
  });
});

describe('the bounds of a query', () => {
  const count = async (secret: string, from: string, to: string) =>
    (await getRange(apiUrl, secret, { timestamp_gte: from, timestamp_lt: to })).json();

  test('accept a fraction and an offset, are echoed as sent, and mean the same second', async () => {
    const { secret } = await freshKey();
    await postBody(apiUrl, secret, bodyOf({ timestamp: PLAIN }));
    for (const [, from] of [...TEN_O_CLOCK, ['no zone', '2026-11-20T10:00:00.000'] as const]) {
      const to = from.replace(/:00(?=[.Z+-]|$)/, ':01');
      expect(await count(secret, from, to)).toMatchObject({
        timestamp_gte: from,
        timestamp_lt: to,
        raw_transaction_count: 1,
      });
      expect(await count(secret, '2026-11-20T00:00:00.000Z', from)).toMatchObject({ raw_transaction_count: 0 });
    }
  });

  test('are rounded up to whole seconds, so each record counts once and a day that ends at .999 includes its last second', async () => {
    const { secret } = await freshKey();
    for (const timestamp of ['2026-11-20T10:00:00.200Z', '2026-11-20T10:00:00.800Z'])
      await postBody(apiUrl, secret, bodyOf({ timestamp }));
    const bounds = ['2026-11-20T09:00:00Z', '2026-11-20T10:00:00.500Z', '2026-11-20T11:00:00Z'] as const;
    const counts = [await count(secret, bounds[0], bounds[1]), await count(secret, bounds[1], bounds[2])];
    expect(counts.map((each) => each['raw_transaction_count'])).toEqual([2, 0]);
    await postBody(apiUrl, secret, bodyOf({ timestamp: '2026-11-20T23:59:59Z' }));
    const day = await count(secret, '2026-11-20T00:00:00.000Z', '2026-11-20T23:59:59.999Z');
    expect(day['raw_transaction_count']).toBe(3);
  });

  test('may lie within one second; a range that begins with a second includes its sales', async () => {
    const { secret } = await freshKey();
    await postBody(apiUrl, secret, bodyOf({ timestamp: PLAIN }));
    const range = { timestamp_gte: '2026-11-20T10:00:00.000Z', timestamp_lt: '2026-11-20T10:00:00.500Z' };
    expect((await getRange(apiUrl, secret, { ...range, expand: 'raw_transactions' })).json()).toMatchObject({
      raw_transaction_count: 1,
      raw_transactions: [{ timestamp: '2026-11-20T10:00:00' }],
      next_cursor: null,
    });
  });

  test.each([
    ['equal instants', '2026-11-20T10:00:00Z', '2026-11-20T11:00:00+01:00'],
    ['an end one millisecond before the start', '2026-11-20T10:00:00.001Z', '2026-11-20T10:00:00.000Z'],
    ['a range of 32 days and a millisecond', '2026-11-20T00:00:00Z', '2026-12-22T00:00:00.001Z'],
    ['a range of 32 days and an hour because of the offsets', '2026-11-20T00:00:00+01:00', '2026-12-22T00:00:00Z'],
  ])('%s: refused', async (_name, from, to) => {
    expect(await count((await freshKey()).secret, from, to)).toMatchObject({ status: 400, code: 'range_invalid' });
  });

  test('an unencoded + is read as +, also in the echo', async () => {
    const { secret } = await freshKey();
    const [from, to] = ['2026-11-20T11:00:00+01:00', '2026-11-20T12:00:00+0100'];
    const url = `${apiUrl}/v1/raw_transactions?timestamp_gte=${from}&timestamp_lt=${to}`;
    expect((await call(url, { headers: { token: secret } })).json()).toMatchObject({
      timestamp_gte: from,
      timestamp_lt: to,
    });
  });
});

describe('the parameters of a query', () => {
  const DAY = 'timestamp_gte=2026-11-20T00:00:00&timestamp_lt=2026-11-21T00:00:00';
  const ask = (secret: string, query: string) =>
    call(`${apiUrl}/v1/raw_transactions?${query}`, { headers: { token: secret } });

  test('an empty cursor or type counts as absent: the first page, of all types', async () => {
    const { secret } = await freshKey();
    await postBody(apiUrl, secret, bodyOf());
    const expected = (await ask(secret, `${DAY}&expand=raw_transactions`)).json();
    for (const more of ['cursor=', 'type=', 'cursor=&type=', 'cursor&type'])
      expect((await ask(secret, `${DAY}&expand=raw_transactions&${more}`)).json()).toEqual(expected);
    expect((await ask(secret, `${DAY}&cursor=`)).json()).toMatchObject({ raw_transaction_count: 1 });
  });

  test.each([
    'page=2',
    'page',
    'page=2&size=3',
    'page=2&page=3',
    'Limit=10',
    '__proto__=1',
    'constructor=1',
    'type[]=sale',
    '=1',
    '_=%zz',
    'utm_source=%ff',
  ])('an unknown parameter is ignored: %s', async (more) => {
    const { secret } = await freshKey();
    await postBody(apiUrl, secret, bodyOf());
    expect((await ask(secret, `${DAY}&${more}`)).json()).toMatchObject({ limit: 500, raw_transaction_count: 1 });
  });
});

describe('the content type of a body', () => {
  const TYPES = [
    'application/json;charset=utf8',
    'application/json; charset=UTF8',
    'application/json; charset="utf8"',
    'application/json;',
    'application/json; version=1',
    'application/json; odata=verbose; charset=utf-8',
    'application/json; note="a; charset=latin1"',
    'application/vnd.api+json',
    'application/ld+json; charset=utf-8',
    'application/problem+json',
    'Application/Vnd.Shop.v2+JSON;Charset=UTF-8',
  ];
  test.each(TYPES)('%s is accepted on both interfaces', async (type) => {
    const headers = { token: gateway.production.secret, 'content-type': type };
    expect((await call(`${apiUrl}/v1/raw_transactions`, { method: 'POST', headers, body: bodyOf() })).status).toBe(201);
    expect((await post(json({ transactionid: nextId() }), { headers: { 'content-type': type } })).status).toBe(200);
  });

  test.each([
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=utf-8; charset=utf-8',
    'application/json; charset=',
    'application/json; charset',
    'application/json; "utf-8"',
    'application/json, application/json',
    'application/json; charset=utf-8, text/plain',
    'application/+json',
    'application/a b+json',
    'text/vnd.api+json',
    'application/json+xml',
  ])('%s is refused, because its meaning is ambiguous or missing', async (type) => {
    const headers = { token: gateway.production.secret, 'content-type': type };
    expect(
      (await call(`${apiUrl}/v1/raw_transactions`, { method: 'POST', headers, body: bodyOf() })).json(),
    ).toMatchObject({ status: 415, code: 'media_type_unsupported' });
  });

  test('a header over 1,000 characters is refused before it is parsed', async () => {
    const type = `application/json; note="${'\\"'.repeat(500)}"`;
    const headers = { token: gateway.production.secret, 'content-type': type };
    expect(
      (await call(`${apiUrl}/v1/raw_transactions`, { method: 'POST', headers, body: bodyOf() })).json(),
    ).toMatchObject({ status: 415, code: 'media_type_unsupported' });
  });

  test.each(['identity', 'Identity', '', 'identity, identity'])(
    'Content-Encoding: %j is accepted on both interfaces',
    async (encoding) => {
      const headers = {
        token: gateway.production.secret,
        'content-type': 'application/json',
        'content-encoding': encoding,
      };
      expect((await call(`${apiUrl}/v1/raw_transactions`, { method: 'POST', headers, body: bodyOf() })).status).toBe(
        201,
      );
      const sent = { headers: { 'content-encoding': encoding } };
      expect((await post(json({ transactionid: nextId() }), sent)).status).toBe(200);
    },
  );

  test.each(['gzip', 'identity, gzip', 'gzip, identity', 'br', 'x-identity', 'identity;q=1'])(
    'Content-Encoding: %s is refused',
    async (encoding) => {
      const headers = {
        token: gateway.production.secret,
        'content-type': 'application/json',
        'content-encoding': encoding,
      };
      expect(
        (await call(`${apiUrl}/v1/raw_transactions`, { method: 'POST', headers, body: bodyOf() })).json(),
      ).toMatchObject({ status: 415, code: 'encoding_unsupported' });
    },
  );
});

describe('a byte order mark', () => {
  test('is stored on the current interface, and makes no difference to a resend', async () => {
    const { secret } = await freshKey();
    const external_id = nextId();
    const body = BOM + bodyOf({ external_id, object: '{"a":1}' });
    const first = await postBody(apiUrl, secret, body);
    expect(first.status).toBe(201);
    expect(gateway.readBody(Number(first.json()['record_id'])).toString()).toBe(body);
    expect((await postBody(apiUrl, secret, bodyOf({ external_id, object: '{"a":1}' }))).json()).toMatchObject({
      status: 'IGNORED',
    });
    const changed = await postBody(apiUrl, secret, BOM + bodyOf({ external_id, object: '{"a":2}' }));
    expect(changed.json()).toMatchObject({ status: 'ERROR', differences: ['/object/a'] });
    const detail = await gateway.store.records.get(Number(changed.json()['record_id']));
    expect(detail?.differences).toEqual([{ pointer: '/object/a', original: '1', resent: '2' }]);
    expect(detail?.body).toBe(BOM + bodyOf({ external_id, object: '{"a":2}' }));
  });

  test.each([
    ['bare', (id: string) => json({ transactionid: id, amount: 1 })],
    ['in data', (id: string) => json({ data: { transactionid: id, amount: 1 } })],
  ])('is stored on the earlier interface, %s', async (_name, bodyFor) => {
    const id = nextId();
    const first = await post(BOM + bodyFor(id));
    expect(first.json()).toMatchObject({ status: 'NEW', external_id: id });
    expect(gateway.readBody(Number(first.json()['record_id'])).toString()).toBe(BOM + bodyFor(id));
    expect((await post(bodyFor(id))).json()).toMatchObject({ status: 'IGNORED' });
    expect((await post(BOM + bodyFor(id).replace(':1', ':2'))).json()).toMatchObject({
      status: 'ERROR',
      differences: ['/amount'],
    });
  });

  test('twice, not at the beginning, before an array or before nothing is refused like the body without it', async () => {
    const { secret } = gateway.production;
    for (const [body, code] of [
      [BOM + BOM + bodyOf(), 'json_malformed'],
      [` ${BOM}${bodyOf()}`, 'json_malformed'],
      [BOM, 'json_malformed'],
      [`${BOM}[${bodyOf()}]`, 'bulk_unsupported'],
      [`${BOM}{}`, 'field_invalid'],
    ])
      expect((await postBody(apiUrl, secret, body ?? '')).json()).toMatchObject({ status: 400, code });
  });
});

describe('an id of 1,024 characters', () => {
  test.each([
    ['ASCII', 'i'.repeat(1024)],
    ['1,024 characters of four bytes each', '🧾'.repeat(1024)],
  ])('is accepted, recognised and listed: %s', async (_name, external_id) => {
    const key = await freshKey();
    expect((await postBody(apiUrl, key.secret, bodyOf({ external_id }))).json()).toMatchObject({ external_id });
    expect((await postBody(apiUrl, key.secret, bodyOf({ external_id }))).json()).toMatchObject({ status: 'IGNORED' });
    expect((await getRange(apiUrl, key.secret, { expand: 'raw_transactions' })).json()).toMatchObject({
      raw_transactions: [{ external_id }],
    });
    expect((await get(`transactionid=${encode(external_id)}`, { key })).json()).toMatchObject({ status: 'NEW' });
    expect((await post(json({ transactionid: external_id }), { key })).json()).toMatchObject({ status: 'IGNORED' });
  });
});

describe('an earlier-interface GET with an empty body', () => {
  const head = (id: string, ...more: string[]): string =>
    `${[`GET ${PATH}?transactionid=${id} HTTP/1.1`, 'Host: gateway', `Authorization: Bearer ${till.secret}`, ...more].join('\r\n')}\r\n\r\n`;

  test.each([
    ['an empty object', (id: string) => `${head(id, 'Content-Length: 2')}{}`],
    ['an empty object with spaces', (id: string) => `${head(id, 'Content-Length: 5')}{ \n} `],
    ['an empty object after a byte order mark', (id: string) => `${head(id, 'Content-Length: 5')}\xef\xbb\xbf{}`],
    ['an empty object in chunks', (id: string) => `${head(id, 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`],
    ['no bytes, with length 0', (id: string) => head(id, 'Content-Length: 0')],
    ['no bytes, in chunks', (id: string) => `${head(id, 'Transfer-Encoding: chunked')}0\r\n\r\n`],
    ['white space', (id: string) => `${head(id, 'Content-Length: 2')}\r\n`],
  ])('%s: accepted, and only the query string is stored', async (_name, bytesFor) => {
    const id = nextId();
    const answer = await rawCall(apiUrl, bytesFor(id));
    expect(answer?.status, answer?.text).toBe(200);
    const { record_id, status } = JSON.parse(answer?.text ?? '') as { record_id: number; status: string };
    expect(status).toBe('NEW');
    expect(gateway.readBody(record_id).toString()).toBe(`transactionid=${id}`);
    expect((await get(`transactionid=${id}`)).json()).toMatchObject({ status: 'IGNORED' });
  });

  test.each(['{"amount":1}', '[]', 'null', '""', '{}{}', 'x', '{'])(
    '%s is refused: the body has content',
    async (body) => {
      const pointers = [''];
      await expectRefused('GET', { status: 400, code: 'field_invalid', pointers }, () =>
        rawCall(apiUrl, `${head(nextId(), `Content-Length: ${body.length}`)}${body}`),
      );
    },
  );

  // With these spaces, a regular expression that backtracks would take a quarter of an hour.
  test.each([
    ['spaces and a letter', `${' '.repeat(1_000_000)}x`],
    ['an object of spaces and a letter', `{${' '.repeat(1_000_000)}x`],
  ])('a megabyte of %s is refused', async (_name, body) => {
    const pointers = [''];
    await expectRefused('GET', { status: 400, code: 'field_invalid', pointers }, () =>
      rawCall(apiUrl, `${head(nextId(), `Content-Length: ${body.length}`)}${body}`),
    );
  });

  test('a body over a megabyte is refused before it is read', async () => {
    await expectRefused('GET', { status: 413, code: 'body_too_large' }, () =>
      rawCall(apiUrl, head(nextId(), 'Content-Length: 1048577')),
    );
  });
});

describe('a repeated member among the four fields is refused: two parsers would book two records', () => {
  const good = bodyOf({ external_id: 'twice', object: '{"type":"nested","timestamp":1,"object":{},"external_id":2}' });
  const long = `,"long":"${String.raw`\\\"type\":`.repeat(200)}"`; // a long text is checked in another way
  test.each([
    ['type', good.replace('"type"', '"type":"refund","type"')],
    ['external_id', good.replace('"external_id"', '"external_id":"other","external_id"')],
    ['timestamp', good.replace('"timestamp"', '"timestamp":"2026-11-20T11:00:00Z","timestamp"')],
    ['object', good.replace(/}$/, ',"object":{}}')],
    ['type', good.replace('"type"', '"type":"sale","type"')],
    ['type', good.replace('"type"', String.raw`"ty\u0070e":"refund","type"`)],
    ['external_id', good.replace(/}$/, String.raw`,"external\u005fid":"b"}`)],
    ['type', good.replace(/}$/, `,"type" : "b"}`)],
    ['type', good.replace(/}$/, `${long},"type" : "b"}`)],
  ])('%s', async (name, body) => {
    const answer = await postBody(apiUrl, gateway.production.secret, body);
    expect(answer.json()).toMatchObject({
      status: 400,
      code: 'field_invalid',
      errors: [{ pointer: `/${name}`, code: 'repeated' }],
    });
    expect(answer.text).toContain('is given more than once: send each field once');
  });

  test('the refusal names all repeated fields at once', async () => {
    for (const more of ['', long]) {
      const body = good.replace(/}$/, `${more},"object":{},"type":"sale"}`);
      const { errors } = (await postBody(apiUrl, gateway.production.secret, body)).json() as { errors: unknown[] };
      expect(errors).toHaveLength(2);
    }
  });

  test('the same names deeper in the record, in other members or in texts do not count as repeated', async () => {
    const { secret } = await freshKey();
    const more = '"x":[{"type":1},{"type":2,"type":3}],"note":"\\"type\\":\\"type\\"","Type":1,"types":"\\"object\\""';
    expect((await postBody(apiUrl, secret, bodyOf({ object: '{"type":1,"type":2}' }))).status).toBe(201);
    expect((await postBody(apiUrl, secret, good)).status).toBe(201);
    expect((await postBody(apiUrl, secret, bodyOf({ more }))).status).toBe(201);
    expect((await postBody(apiUrl, secret, bodyOf({ more: more + long }))).status).toBe(201);
    expect((await postBody(apiUrl, secret, bodyOf({ type: '"type"', more: '"note":"object"' }))).status).toBe(201);
  });
});

test.each([
  ['a control character', 'a\u0007'],
  ['a lone surrogate', 'a\ud83d'],
])('%s in an id or a type is refused, and the message says so', async (_name, text) => {
  const contains = 'must not contain control characters or lone surrogates';
  for (const parts of [{ external_id: text }, { type: text }])
    expect((await postBody(apiUrl, gateway.production.secret, bodyOf(parts))).text).toContain(contains);
  expect((await post(json({ transactionid: text }))).text).toContain(contains);
});

describe('a path that is not a valid end point of the earlier interface, with a Bearer token', () => {
  const PATHS = [
    '/',
    '/v1',
    '/v1/',
    '//v1/transaction',
    '/metrics',
    '/transaction',
    '/.env',
    '/c',
    '/%zz',
    '/__proto__',
  ];
  test.each(PATHS)('%s is 400, by GET and POST, and the answer names the existing end points', async (path) => {
    const headers = { authorization: `Bearer ${till.secret}`, 'content-type': 'application/json' };
    for (const method of ['GET', 'POST'])
      await expectRefused(method, { status: 400, code: 'end_point_invalid', path, contains: ['/v1/transaction'] }, () =>
        call(apiUrl + path, { method, headers, body: method === 'POST' ? '{"transactionid":"a"}' : undefined }),
      );
  });

  test('it is 405 with another method, 401 with an unknown token, and 404 without a token', async () => {
    const sent = (method: string, authorization: string | undefined) =>
      call(`${apiUrl}/v1`, { method, headers: { authorization } });
    expect((await sent('DELETE', `Bearer ${till.secret}`)).status).toBe(405);
    expect((await sent('HEAD', `Bearer ${till.secret}`)).status).toBe(405);
    expect((await sent('GET', 'Bearer unknown')).status).toBe(401);
    expect((await sent('GET', undefined)).status).toBe(404);
    expect((await sent('GET', `Basic ${till.secret}`)).status).toBe(404);
  });

  test('a POST to a page of the gateway is 400 too, so that a till does not take it for an end point', async () => {
    const headers = { authorization: `Bearer ${till.secret}`, 'content-type': 'application/json' };
    for (const path of ['/docs', '/healthz', '/readyz', '/openapi.json']) {
      expect((await call(apiUrl + path, { method: 'POST', headers, body: '{}' })).status).toBe(400);
      expect((await call(apiUrl + path, { headers })).status).toBe(200);
    }
  });
});

test('every form is forwarded byte for byte', async () => {
  const upstream = await openStandIn({ tokens: { prod_up: 'production' } });
  onTestFinished(() => upstream.close());
  const key = await freshKey();
  const { administration } = key;
  const current = [
    bodyOf({ timestamp: '2026-11-20T10:00:00.000Z' }),
    bodyOf({ timestamp: '2026-11-20T11:00:00+01:00' }),
    BOM + bodyOf(),
    bodyOf({ external_id: 'i'.repeat(1024) }),
  ];
  const posts = [json({ transactionid: nextId(), timestamp: '2026-11-20T10:00:00.5Z' }), `${BOM}{"transactionid":"b"}`];
  const gets = [`transactionid=${nextId()}&timestamp=2026-11-20T11:00:00+01:00`];
  for (const body of current) expect((await postBody(apiUrl, key.secret, body)).status).toBe(201);
  for (const body of posts) expect((await post(body, { key })).status).toBe(200);
  for (const query of gets) expect((await get(query, { key })).status).toBe(200);
  for (const by of ['current', 'earlier'] as const)
    await gateway.store.outbox.performAct(
      { administration, mode: 'production', interface: by },
      { kind: 'set upstream', upstream: { url: upstream.url, token: 'prod_up' } },
      'test',
    );
  await upstream.waitUntil(({ records }) => records === current.length + posts.length + gets.length);
  const sent = upstream.attempts.map(({ method, path, bytes }) =>
    method === 'GET' ? path.slice(path.indexOf('?') + 1) : bytes.toString(),
  );
  expect(sent.toSorted()).toEqual([...current, ...posts, ...gets].toSorted());
});

test('in the end every record matches its SHA-256 and every count its records', async () => {
  expect(await gateway.store.health.check()).toMatchObject({ structure: [], damagedRecords: [], countFaults: [] });
  const db = openDatabase(databasePath(gateway.dataDir), 'read');
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
});
