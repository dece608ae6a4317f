// On the earlier interface, a GET is stored only if it is clearly meant as a record.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { ALIAS, nextId, openEarlierGateway, PATH } from '../../support/api/earlier-gateway.ts';
import { call } from '../../support/http-call.ts';
import { openRawConnection, rawCall } from '../../support/raw-call.ts';

const gateway = await openEarlierGateway();
afterAll(() => gateway.close());
const { apiUrl, till, get, post, expectRefused } = gateway;

const authorization = `Bearer ${till.secret}`;
const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n\r\n`;

describe('methods', () => {
  const paths = [PATH, `${PATH}/`, ALIAS + PATH, '/v1/orders', '/v2/nothing'];
  const methods = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'SEARCH'];
  test.each(methods.flatMap((method) => paths.map((path) => [method, path] as const)))(
    '%s %s never writes: 405 with Allow, with and without a key',
    async (method, path) => {
      const refusal = { status: 405, code: 'method_not_allowed', label: null, path } as const;
      const body = ['PUT', 'PATCH'].includes(method) ? '{"transactionid":"a"}' : undefined;
      for (const headers of [{}, { authorization, 'content-type': 'application/json' }]) {
        await expectRefused(method, { ...refusal, headers: { allow: 'GET, POST' } }, () =>
          call(`${apiUrl}${path}?transactionid=${nextId()}`, { method, headers, body }),
        );
      }
    },
  );

  test.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])(
    '%s does not change the method: HEAD stays refused, GET stays a GET',
    async (name) => {
      const query = `transactionid=${nextId()}`;
      await expectRefused('HEAD', { status: 405, code: 'method_not_allowed', label: null }, () =>
        call(`${apiUrl}${PATH}?${query}`, { method: 'HEAD', headers: { authorization, [name]: 'GET' } }),
      );
      expect((await get(query, { headers: { [name]: 'POST' } })).json()).toMatchObject({ status: 'NEW' });
    },
  );
});

describe('the access token', () => {
  const missing = { status: 401, code: 'key_missing', label: null, headers: { 'www-authenticate': 'Bearer' } } as const;
  test.each([
    ['a call without an Authorization header', undefined],
    ['an empty Authorization header', ''],
    ['only the scheme', 'Bearer'],
    ['the scheme and spaces only', 'Bearer   '],
    ['only the token', till.secret],
    ['another scheme', `Token ${till.secret}`],
    ['Basic', `Basic ${Buffer.from(`till:${till.secret}`).toString('base64')}`],
    ['a scheme with the same beginning', `BearerX ${till.secret}`],
    ['no space after the scheme', `Bearer${till.secret}`],
    ['a tab after the scheme', `Bearer\t${till.secret}`],
    ['two tokens', `Bearer ${till.secret} ${till.secret}`],
    ['a parameter', `Bearer ${till.secret} realm=a`],
  ])('%s: neither a GET nor a POST writes', async (_name, value) => {
    for (const send of [
      ['GET', () => get(`transactionid=${nextId()}`, { headers: { authorization: value } })],
      ['POST', () => post('{"transactionid":"a"}', { headers: { authorization: value } })],
    ] as const)
      await expectRefused(send[0], missing, send[1]);
  });

  test.each([
    ['a list of tokens', `${till.secret},${till.secret}`],
    ['quotes', `"${till.secret}"`],
    ['the token in another case', till.secret.toUpperCase()],
    ['the token under the other prefix', till.secret.replace('prod_', 'test_')],
    ['the token without its prefix', till.secret.slice(5)],
    ['8,000 characters', 'a'.repeat(8000)],
  ])('%s is an unknown token', async (_name, token) => {
    await expectRefused(
      'GET',
      { status: 401, code: 'key_unknown', label: null, headers: { 'www-authenticate': 'Bearer' } },
      () => get(`transactionid=${nextId()}`, { headers: { authorization: `Bearer ${token}` } }),
    );
  });

  test.each(['bearer', 'BEARER', 'Bearer ', 'Bearer   '])('the scheme may be spelled %j', async (scheme) => {
    const headers = { authorization: `${scheme} ${till.secret}` };
    expect((await get(`transactionid=${nextId()}`, { headers })).status).toBe(200);
  });

  test('an access token in a token header, a parameter or a cookie is ignored', async () => {
    const cookie = `token=${till.secret}; authorization=${till.secret}`;
    for (const name of ['access_token', 'token', 'authorization', 'key']) {
      await expectRefused('GET', missing, () =>
        get(`transactionid=${nextId()}&${name}=${till.secret}`, { headers: { authorization: undefined, cookie } }),
      );
    }
    await expectRefused('GET', { status: 400, code: 'end_point_invalid', label: null }, () =>
      get(`transactionid=${nextId()}`, { headers: { authorization: undefined, token: till.secret } }),
    );
  });

  test('a token header beside Authorization is ignored', async () => {
    const query = `transactionid=${nextId()}`;
    expect((await get(query, { headers: { token: gateway.test.secret } })).json()).toMatchObject({ status: 'NEW' });
    const [record] = await gateway.store.records.list({ limit: 1 });
    expect(record).toMatchObject({ mode: 'production', till: till.label });
  });
});

describe('prefetches', () => {
  const refusal = { status: 403, code: 'prefetch_refused', label: null } as const;
  test.each(
    ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'].flatMap((name) =>
      [
        'prefetch',
        'prerender',
        'preview',
        'Prefetch',
        'prefetch;prerender',
        'prefetch; anonymous-client-ip',
        'a, preview',
      ].map((value) => [name, value] as const),
    ),
  )('%s: %s never writes', async (name, value) => {
    await expectRefused('GET', refusal, () => get(`transactionid=${nextId()}`, { headers: { [name]: value } }));
    await expectRefused('POST', refusal, () => post('{"transactionid":"a"}', { headers: { [name]: value } }));
  });

  test('a prefetch is also refused in the second of two headers and without a key', async () => {
    await expectRefused('GET', refusal, () =>
      get(`transactionid=${nextId()}`, { headers: { purpose: ['other', 'prefetch'], authorization: undefined } }),
    );
  });

  test.each([
    ['Purpose', 'sale'],
    ['Sec-Purpose', ''],
    ['Sec-Fetch-Mode', 'navigate'],
    ['X-Moz', 'other'],
    ['X-Other', 'prefetch'],
  ])('%s: %s is not a prefetch', async (name, value) => {
    expect((await get(`transactionid=${nextId()}`, { headers: { [name]: value } })).status).toBe(200);
  });
});

describe('caches', () => {
  test('every answer says no-store: NEW, IGNORED, ERROR and refused', async () => {
    const id = nextId();
    const answers = [
      await get(`transactionid=${id}`),
      await get(`transactionid=${id}`),
      await get(`transactionid=${id}&amount=1`),
      await post('{"transactionid":""}'),
      await get('', { headers: { authorization: undefined } }),
      await get('', { path: '/v1/orders' }),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual(
      [200, 200, 200, 400, 401, 400].map((status) => [status, 'no-store']),
    );
  });

  test('a conditional request is accepted like any other and gets a full answer', async () => {
    const headers = {
      'if-none-match': '*',
      'if-modified-since': 'Fri, 20 Nov 2026 10:00:00 GMT',
      range: 'bytes=0-0',
      'cache-control': 'only-if-cached',
    };
    const answer = await get(`transactionid=${nextId()}`, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers['etag']).toBeUndefined();
    expect(answer.json()).toMatchObject({ status: 'NEW' });
  });
});

describe('forms of HTTP', () => {
  const bodyFor = (id: string): string => `{"transactionid":"${id}"}`;
  const postHead = (...more: string[]): string[] => [
    `POST ${PATH} HTTP/1.1`,
    'Host: gateway',
    `Authorization: ${authorization}`,
    'Content-Type: application/json',
    ...more,
  ];

  test('Expect: 100-continue: the sender is told to continue, and its record is accepted', async () => {
    const connection = await openRawConnection(apiUrl);
    onTestFinished(() => connection.destroy());
    const body = bodyFor(nextId());
    connection.send(lines(...postHead('Expect: 100-continue', `Content-Length: ${body.length}`)));
    expect((await connection.next())?.status).toBe(100);
    connection.send(body);
    expect((await connection.next())?.status).toBe(200);
  });

  test('Expect: 100-continue with a refused call: the sender is not told to continue', async () => {
    const refused = [
      [403, 'Host: dev-plem.bakery.42.till.example'],
      [415, 'Content-Encoding: gzip'],
      [413, 'Content-Length: 10737418240'],
      [403, 'Sec-Purpose: prefetch'],
    ] as const;
    for (const [status, header] of refused) {
      const connection = await openRawConnection(apiUrl);
      onTestFinished(() => connection.destroy());
      const head = postHead('Expect: 100-continue', header).filter(
        (line) => line !== 'Host: gateway' || !header.startsWith('Host'),
      );
      connection.send(lines(...head));
      expect((await connection.rest()).map((answer) => answer.status)).toEqual([status]);
    }
  });

  test('another expectation is 417', async () => {
    await expectRefused('POST', { status: 417, code: 'expectation_unsupported', label: null }, () =>
      rawCall(apiUrl, lines(...postHead('Expect: 204-no-content', 'Content-Length: 2')) + '{}'),
    );
    await expectRefused('GET', { status: 417, code: 'expectation_unsupported', label: null }, () =>
      rawCall(
        apiUrl,
        lines(
          `GET ${PATH}?transactionid=a HTTP/1.1`,
          'Host: gateway',
          `Authorization: ${authorization}`,
          'Expect: payment',
        ),
      ),
    );
  });

  test('HTTP/1.0: a GET and a POST are accepted', async () => {
    const id = nextId();
    const version = (bytes: string): string => bytes.replace('HTTP/1.1', 'HTTP/1.0');
    const body = bodyFor(id);
    const posted = await rawCall(apiUrl, version(lines(...postHead(`Content-Length: ${body.length}`))) + body);
    expect(JSON.parse(posted?.text ?? '')).toMatchObject({ status: 'NEW' });
    const asked = await rawCall(
      apiUrl,
      version(lines(`GET ${PATH}?transactionid=${id} HTTP/1.1`, `Authorization: ${authorization}`)),
    );
    expect(JSON.parse(asked?.text ?? '')).toMatchObject({ status: 'IGNORED' });
  });

  test('a body in chunks is accepted and stored as it was before it was chunked', async () => {
    const body = bodyFor(nextId());
    const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
    const answer = await rawCall(apiUrl, `${lines(...postHead('Transfer-Encoding: chunked'))}${chunks}0\r\n\r\n`);
    const { record_id } = JSON.parse(answer?.text ?? '') as { record_id: number };
    expect(gateway.readBody(record_id).toString()).toBe(body);
  });

  test('half a body, then the connection drops: no record, and the gateway continues', async () => {
    const before = await gateway.countRecords();
    const connection = await openRawConnection(apiUrl);
    connection.send(`${lines(...postHead('Content-Length: 500'))}{"transactionid":"half"`);
    connection.end();
    expect((await connection.next())?.status).toBe(400);
    connection.destroy();
    expect(await gateway.countRecords()).toEqual(before);
  });

  test('calls of both interfaces on one connection each get their own answer', async () => {
    const connection = await openRawConnection(apiUrl);
    onTestFinished(() => connection.destroy());
    const ids = [nextId(), nextId(), nextId()];
    const body = bodyFor(ids[1] ?? '');
    connection.send(
      lines(`GET ${PATH}?transactionid=${ids[0]} HTTP/1.1`, 'Host: gateway', `Authorization: ${authorization}`) +
        lines(...postHead(`Content-Length: ${body.length}`)) +
        body +
        lines('GET /v1/raw_transactions HTTP/1.1', 'Host: gateway', `Authorization: ${authorization}`) +
        lines(
          `GET ${PATH}?transactionid=${ids[2]} HTTP/1.1`,
          'Host: gateway',
          `Authorization: ${authorization}`,
          'Connection: close',
        ),
    );
    const answers = (await connection.rest()).map(({ status, text }) => [
      status,
      (JSON.parse(text) as { external_id?: string }).external_id,
    ]);
    expect(answers).toEqual([
      [200, ids[0]],
      [200, ids[1]],
      [401, undefined],
      [200, ids[2]],
    ]);
  });
});

test('many GETs that are not meant as records store nothing', async () => {
  const before = await gateway.countRecords();
  const unmeant = [
    { method: 'GET', headers: {} },
    { method: 'GET', headers: { authorization, 'sec-purpose': 'prefetch' } },
    { method: 'HEAD', headers: { authorization } },
    { method: 'OPTIONS', headers: { authorization } },
  ];
  const calls = Array.from({ length: 20 }, () => unmeant).flat();
  await Promise.all(calls.map((each) => call(`${apiUrl}${PATH}?transactionid=unmeant`, each)));
  expect(await gateway.countRecords()).toEqual(before);
  expect(await gateway.store.records.list({ externalId: 'unmeant', limit: 1 })).toEqual([]);
});
