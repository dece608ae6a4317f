// The parameters of a call on the earlier interface: its id, its time and everything else, in a query string and in a body.

import { afterAll, describe, expect, test } from 'vitest';

import { MAX_BODY_BYTES } from '../../../server/contract/codes.ts';
import { BAD_INSTANTS, badTexts, goodTexts, LONE_SURROGATES } from '../../support/api/bad-values.ts';
import { nextId, openEarlierGateway, PATH, type Sent } from '../../support/api/earlier-gateway.ts';
import { textLike } from '../../support/api/matchers.ts';
import type { Answer } from '../../support/http-call.ts';
import { rawCall } from '../../support/raw-call.ts';

const gateway = await openEarlierGateway();
afterAll(() => gateway.close());
const { get, post, expectRefused } = gateway;

const encode = encodeURIComponent;
const json = (value: unknown): string => JSON.stringify(value);

/** The forms of a call. Each can carry the same content. */
const FORMS: readonly (readonly [string, 'GET' | 'POST', (parameters: Record<string, unknown>) => Promise<Answer>])[] =
  [
    ['a query string', 'GET', (parameters) => get(queryOf(parameters))],
    ['an object', 'POST', (parameters) => post(json(parameters))],
    ['an object in data', 'POST', (parameters) => post(json({ data: parameters }))],
  ];
const queryOf = (parameters: Record<string, unknown>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    .join('&');
/** The pointer by which a refusal names a faulty parameter. */
const pointerIn = (form: string, name: string): string => (form === 'an object in data' ? `/data/${name}` : `/${name}`);

async function expectKept(answer: Answer, expected: string, externalId?: string): Promise<void> {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.json()).toMatchObject({ status: 'NEW', ...(externalId !== undefined && { external_id: externalId }) });
  expect(gateway.readBody(Number(answer.json()['record_id'])).toString()).toBe(expected);
}

describe.each(FORMS)('the id in %s', (form, method, send) => {
  test.each(goodTexts(1024))('may be %s', async (_name, transactionid) => {
    const id = `${form.slice(3)}`; // each form has its own journal, because all forms send the same ids
    const key = await gateway.makeKey({ interface: 'both', administration: `Shop of ${id}` });
    const sent: Sent = { key };
    const content = { transactionid };
    const answer = await (method === 'GET'
      ? get(queryOf(content), sent)
      : post(json(form === 'an object' ? content : { data: content }), sent));
    expect(answer.json()).toMatchObject({ status: 'NEW', external_id: transactionid });
  });

  test.each(badTexts(1024))('may not be %s', async (_name, transactionid) => {
    await expectRefused(
      method,
      { status: 400, code: 'field_invalid', pointers: [pointerIn(form, 'transactionid')] },
      () => send({ transactionid }),
    );
  });

  test('is required', async () => {
    await expectRefused(
      method,
      { status: 400, code: 'field_invalid', pointers: [pointerIn(form, 'transactionid')], contains: ['is required'] },
      () => send({ amount: 10 }),
    );
  });

  test('and the time are both named if both are wrong', async () => {
    const pointers = [pointerIn(form, 'transactionid'), pointerIn(form, 'timestamp')];
    await expectRefused(method, { status: 400, code: 'field_invalid', pointers }, () =>
      send({ transactionid: '', timestamp: 'yesterday' }),
    );
  });
});

describe('a numeric id', () => {
  test.each([
    ['10', '10'],
    ['10.0', '10'],
    ['1e1', '10'],
    ['100E-1', '10'],
    ['0', '0'],
    ['-0', '0'],
    ['-0.0e5', '0'],
    ['-7', '-7'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740993.0', '9007199254740993'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1e20', '100000000000000000000'],
    ['1e1023', `1${'0'.repeat(1023)}`],
  ])('%s in a body means the id %j', async (number, id) => {
    const key = await gateway.makeKey({ interface: 'both', administration: `Numbers ${number}` });
    const original = (await get(`transactionid=${id}`, { key })).json();
    expect(original).toMatchObject({ status: 'NEW', external_id: id });
    for (const body of [`{"transactionid":${number}}`, `{"data":{"transactionid": ${number}}}`]) {
      expect((await post(body, { key })).json()).toMatchObject({
        status: 'IGNORED',
        external_id: id,
        original_record_id: original['record_id'],
      });
    }
  });

  test.each(['1.5', '1e-1', '1e1024', '1e9999', '1e99999999999999999999', '9'.repeat(1025)])(
    '%s in a body is not a valid id',
    async (number) => {
      const refusal = { status: 400, code: 'field_invalid' } as const;
      await expectRefused('POST', { ...refusal, pointers: ['/transactionid'] }, () =>
        post(`{"transactionid":${number}}`),
      );
      await expectRefused('POST', { ...refusal, pointers: ['/data/transactionid'] }, () =>
        post(`{"data":{"transactionid":${number}}}`),
      );
    },
  );

  test.each(['null', 'true', '[]', '{}', '["a"]'])('%s in a body is not a valid id', async (value) => {
    await expectRefused('POST', { status: 400, code: 'field_invalid', pointers: ['/transactionid'] }, () =>
      post(`{"transactionid":${value}}`),
    );
  });

  test('in a query string or as a text keeps its spelling: each spelling is another id', async () => {
    const key = await gateway.makeKey({ interface: 'both', administration: 'Spellings' });
    for (const text of ['10', '10.0', '1e1', '010', '%2B10', '10%20']) {
      expect((await get(`transactionid=${text}`, { key })).json()).toMatchObject({
        status: 'NEW',
        external_id: decodeURIComponent(text),
      });
    }
    for (const text of ['10', '10.0', '1e1', '010', '+10', '10 ']) {
      expect((await post(json({ transactionid: text }), { key })).json()).toMatchObject({
        status: 'IGNORED',
        external_id: text,
      });
    }
  });

  test('a text with a lone surrogate is not a valid id', async () => {
    for (const [, transactionid] of LONE_SURROGATES) {
      await expectRefused('POST', { status: 400, code: 'field_invalid', pointers: ['/transactionid'] }, () =>
        post(json({ transactionid })),
      );
    }
  });

  test('is the parameter of the resource: another parameter with the usual name is ordinary content', async () => {
    const path = '/v1/refund';
    const refundid = nextId();
    await get(`refundid=${refundid}&transactionid=1`, { path });
    const resent = await post(json({ refundid, transactionid: 2 }), { path });
    expect(resent.json()).toMatchObject({ status: 'ERROR', external_id: refundid, differences: ['/transactionid'] });
  });
});

test.each(['__proto__', 'constructor', 'toString', 'data', 'order.id-1'])(
  'may be the parameter %s: it is required, and dedup uses it',
  async (idParameter) => {
    const administration = `Shop with ${idParameter}`;
    const key = await gateway.makeKey({ interface: 'both', administration });
    await gateway.store.setup.changeAdministration(
      administration,
      { resources: [{ name: 'transaction', idParameter }] },
      'test',
    );
    const refusal = { status: 400, code: 'field_invalid', label: key.label, contains: ['is required'] } as const;
    await expectRefused('GET', { ...refusal, pointers: [`/${idParameter}`] }, () => get('a=1', { key }));
    await expectRefused('POST', { ...refusal, pointers: [`/${idParameter}`] }, () => post('{"a":1}', { key }));
    expect((await get(`${idParameter}=1`, { key })).json()).toMatchObject({ status: 'NEW', external_id: '1' });
    expect((await post(`{"${idParameter}":1}`, { key })).json()).toMatchObject({ status: 'IGNORED' });
    expect((await post(`{"data":{"${idParameter}":"2"}}`, { key })).json()).toMatchObject({ status: 'NEW' });
  },
);

describe.each(FORMS)('the time in %s', (form, method, send) => {
  test.each([
    ['0e462097', '0e830400'],
    ['12e3', '12000'],
    ['1.10', '1.1'],
    ['-0', '0'],
  ])('the texts %s and %s read as one number but stay different', async (before, after) => {
    for (const send of [
      (code: string, id: string) => get(queryOf({ transactionid: id, code })),
      (code: string, id: string) => post(json({ transactionid: id, code })),
    ]) {
      const id = nextId();
      await send(before, id);
      expect((await send(after, id)).json()).toMatchObject({ status: 'ERROR', differences: ['/code'] });
      expect((await send(before, id)).json()).toMatchObject({ status: 'IGNORED' });
    }
  });

  test.each([
    ['whole seconds', '2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
    ['a fraction', '2026-11-20T10:00:00.123456789Z', '2026-11-20T10:00:00Z'],
    ['the last moment of a leap day', '2028-02-29T23:59:59.999Z', '2028-02-29T23:59:59Z'],
    ['long ago', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['far ahead', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('may be %s, and is shown as sent', async (_name, timestamp, soldAt) => {
    const transactionid = nextId();
    const answer = await send({ transactionid, timestamp });
    expect(answer.json()).toMatchObject({ status: 'NEW', timestamp });
    const [record] = await gateway.store.records.list({ externalId: transactionid, limit: 1 });
    // ISO 8601 writes these years with four digits, and Date.parse accepts them all.
    expect(record?.soldAt).toBe(Date.parse(soldAt) / 1000);
  });

  test.each(BAD_INSTANTS)('may not be %s', async (_name, timestamp) => {
    await expectRefused(method, { status: 400, code: 'field_invalid', pointers: [pointerIn(form, 'timestamp')] }, () =>
      send({ transactionid: nextId(), timestamp }),
    );
  });

  test.each(['2026-11-20T10:00:00.5', '2026-11-20T10:00.5Z', '2026-02-30T10:00:00.5Z'])(
    'may not be %s',
    async (timestamp) => {
      await expectRefused(
        method,
        { status: 400, code: 'field_invalid', pointers: [pointerIn(form, 'timestamp')] },
        () => send({ transactionid: nextId(), timestamp }),
      );
    },
  );

  test('is the time of arrival if left out, and omitting it again makes no difference', async () => {
    const transactionid = nextId();
    const first = (await send({ transactionid })).json();
    const [record] = await gateway.store.records.list({ externalId: transactionid, limit: 1 });
    expect(record?.soldAt).toBe(Math.floor((record?.receivedAt ?? 0) / 1000));
    expect(first['timestamp']).toBe(`${String(first['received_at']).slice(0, 19)}Z`);
    expect((await send({ transactionid })).json()).toMatchObject({ status: 'IGNORED' });
    expect((await send({ transactionid, timestamp: first['timestamp'] })).json()).toMatchObject({
      status: 'ERROR',
      differences: ['/timestamp'],
    });
  });
});

test.each(['5', '20261120100000', 'null', 'true', '{}'])('the time in a body may not be %s', async (value) => {
  await expectRefused('POST', { status: 400, code: 'field_invalid', pointers: ['/timestamp'] }, () =>
    post(`{"transactionid":"a","timestamp":${value}}`),
  );
});

describe('values are compared by meaning, in any form', () => {
  const G = (value: string): [string, string] => ['GET', value];
  const P = (value: string): [string, string] => ['POST', value];
  const D = (value: string): [string, string] => ['POST in data', value];
  /** All spellings in one list have the same meaning. Spellings in different lists have different meanings. */
  const SAME: readonly (readonly [string, string][])[] = [
    [G('10'), G('10.0'), G('1e1'), P('10'), P('10.0'), P('1e1'), P('"10"'), D('10'), D('"1e1"')],
    [G('010'), P('"010"')],
    [G('9007199254740993'), P('9007199254740993')],
    [G('9007199254740992')],
    [G('true'), P('true'), D('"true"')],
  ];
  const spellings = SAME.flatMap((list, meaning) => list.map(([how, value]) => ({ how, value, meaning })));

  function send(id: string, { how, value }: { how: string; value: string }): Promise<Answer> {
    if (how === 'GET') return get(`transactionid=${id}&amount=${value}`);
    const content = `{"amount":${value},"transactionid":"${id}"}`;
    return post(how === 'POST' ? content : `{"data":${content}}`);
  }

  test.each(spellings)('$how $value against every other spelling', async (original) => {
    const id = nextId();
    expect((await send(id, original)).json()).toMatchObject({ status: 'NEW' });
    const answers = await Promise.all(spellings.map((resent) => send(id, resent)));
    const outcomes = answers.map((answer, i) => {
      const { status, differences } = answer.json() as { status: string; differences?: string[] };
      // reduces each pointer to a nested value to the name of its parameter
      const places = differences?.map((pointer) => pointer.split('/')[1]);
      return [spellings[i]?.how, spellings[i]?.value, status, [...new Set(places)]];
    });
    expect(outcomes).toEqual(
      spellings.map(({ how, value, meaning }) =>
        meaning === original.meaning ? [how, value, 'IGNORED', []] : [how, value, 'ERROR', ['amount']],
      ),
    );
  });

  test.each([
    ['whole seconds', ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.0Z', '2026-11-20T10:00:00.000000Z']],
    ['half a second', ['2026-11-20T10:00:00.5Z', '2026-11-20T10:00:00.50Z', '2026-11-20T10:00:00.500Z']],
    ['inner zeros', ['2026-11-20T10:00:00.0050Z', '2026-11-20T10:00:00.005Z']],
  ])('trailing zeros in the fraction of a timestamp make no difference: %s', async (_name, timestamps) => {
    const transactionid = nextId();
    await get(queryOf({ transactionid, timestamp: timestamps[0] }));
    for (const timestamp of timestamps) {
      for (const answer of [
        await get(queryOf({ transactionid, timestamp })),
        await post(json({ transactionid, timestamp })),
      ])
        expect(answer.json()).toMatchObject({ status: 'IGNORED', timestamp });
    }
    expect((await post(json({ transactionid, timestamp: '2026-11-20T10:00:00.05Z' }))).json()).toMatchObject({
      status: 'ERROR',
      differences: ['/timestamp'],
    });
  });

  test('the version is not content: the same record under another version is IGNORED', async () => {
    const key = await gateway.makeKey({ interface: 'both', administration: 'Versions' });
    await gateway.store.setup.changeAdministration('Versions', { versions: ['v1', '2026-01'] }, 'test');
    const first = (await get('transactionid=a', { key })).json();
    expect((await get('transactionid=a', { key, path: '/2026-01/transaction' })).json()).toMatchObject({
      status: 'IGNORED',
      original_record_id: first['record_id'],
    });
  });
});

describe('query strings', () => {
  test.each([
    ['parameters without a value', (id: string) => `transactionid=${id}&paid&amount=`, { paid: '', amount: '' }],
    ['empty parameters', (id: string) => `&transactionid=${id}&&amount=2&`, { amount: 2 }],
    ['a parameter without a name', (id: string) => `=x&transactionid=${id}`, { '': 'x' }],
    ['an equals sign in a value', (id: string) => `transactionid=${id}&a=b=c`, { a: 'b=c' }],
    ['a question mark in a value', (id: string) => `transactionid=${id}&a=b?c`, { a: 'b?c' }],
    ['plus signs', (id: string) => `transactionid=${id}&a+b=c+d`, { 'a b': 'c d' }],
    ['%20', (id: string) => `transactionid=${id}&a%20b=c%20d`, { 'a b': 'c d' }],
    ['%2B', (id: string) => `transactionid=${id}&a=c%2Bd`, { a: 'c+d' }],
    ['encoded separators', (id: string) => `transactionid=${id}&a%3Db=c%26d%23`, { 'a=b': 'c&d#' }],
    ['an encoded name', (id: string) => `%74ransactionid=${id}&a=1`, { a: 1 }],
    ['lower-case hexadecimals', (id: string) => `transactionid=${id}&a=%c3%a9`, { a: 'é' }],
    [
      'characters of every plane',
      (id: string) => `transactionid=${id}&a=${encode('é漢🧾\u{10ffff}')}`,
      { a: 'é漢🧾\u{10ffff}' },
    ],
    ['NUL', (id: string) => `transactionid=${id}&a=%00`, { a: '\0' }],
    ['__proto__', (id: string) => `transactionid=${id}&__proto__=1`, JSON.parse('{"__proto__":1}')],
    [
      'another order',
      (id: string) => `b=2&timestamp=2026-11-20T10:00:00Z&a=1&transactionid=${id}`,
      { a: 1, b: 2, timestamp: '2026-11-20T10:00:00Z' },
    ],
    ['8 KB', (id: string) => `transactionid=${id}&note=${'x'.repeat(8192)}`, { note: 'x'.repeat(8192) }],
    [
      '500 parameters',
      (id: string) => `transactionid=${id}${Array.from({ length: 500 }, (_, i) => `&p${i}=${i}`).join('')}`,
      Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, i])),
    ],
  ] as [string, (id: string) => string, Record<string, unknown>][])(
    '%s: stored as sent, and equal to a body with the same meaning',
    async (_name, queryFor, parameters) => {
      const id = nextId();
      await expectKept(await get(queryFor(id)), queryFor(id), id);
      const body = json({ ...parameters, transactionid: id });
      expect((await post(body)).json()).toMatchObject({ status: 'IGNORED' });
    },
  );

  test.each([
    ['the id twice', (id: string) => `transactionid=${id}&transactionid=${id}`, '/transactionid'],
    ['two ids', (id: string) => `transactionid=${id}&amount=1&transactionid=${id}x`, '/transactionid'],
    [
      'the id twice, encoded differently',
      (id: string) => `transactionid=${id}&%74ransactionid=${id}`,
      '/transactionid',
    ],
    [
      'the time twice',
      (id: string) => `transactionid=${id}&timestamp=2026-11-20T10:00:00Z&timestamp=2026-11-20T10:00:00Z`,
      '/timestamp',
    ],
    ['the id without a value', () => 'transactionid', '/transactionid'],
    ['the id in another case', (id: string) => `TransactionID=${id}`, '/transactionid'],
    ['the id with brackets', (id: string) => `transactionid[]=${id}`, '/transactionid'],
    ['nothing', () => '', '/transactionid'],
  ])('%s is refused', async (_name, queryFor, pointer) => {
    await expectRefused('GET', { status: 400, code: 'field_invalid', pointers: [pointer] }, () =>
      get(queryFor(nextId())),
    );
  });

  test.each(['%', '%1', '%zz', '%u0041', '%ff', '%c3%28', '%c3', '%c0%80', '%ed%a0%80', '%f4%90%80%80'])(
    'the encoding %s is refused, in a name and in a value',
    async (bad) => {
      for (const query of [`a=x${bad}`, `a${bad}x=1`, `a=${bad}&transactionid=${bad}`]) {
        await expectRefused('GET', { status: 400, code: 'field_invalid', pointers: 'any' }, () =>
          get(`transactionid=${nextId()}&${query}`),
        );
      }
    },
  );

  test('a raw byte above ASCII is refused', async () => {
    const refusal = { status: 400, code: 'request_malformed', label: null, path: '' } as const;
    await expectRefused('', refusal, () =>
      rawCall(
        gateway.apiUrl,
        `GET ${PATH}?transactionid=\xe9 HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${gateway.till.secret}\r\n\r\n`,
      ),
    );
  });

  test('a call over 16 KiB is refused for its length (431), and nothing of it is stored', async () => {
    const refusal = { status: 431, code: 'headers_too_large', label: null, path: '' } as const;
    await expectRefused('', refusal, () =>
      rawCall(
        gateway.apiUrl,
        `GET ${PATH}?transactionid=long&note=${'x'.repeat(17_000)} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${gateway.till.secret}\r\n\r\n`,
      ),
    );
  });

  test('another parameter may be repeated: the call is stored, and equals only the same bytes', async () => {
    const id = nextId();
    const query = `transactionid=${id}&item=1&item=2`;
    await expectKept(await get(query), query, id);
    expect((await get(query)).json()).toMatchObject({ status: 'IGNORED' });
    for (const other of [
      `item=1&item=2&transactionid=${id}`,
      `transactionid=${id}&item=2`,
      `transactionid=${id}&item=%31&item=2`,
    ]) {
      expect((await get(other)).json()).toMatchObject({ status: 'ERROR', differences: ['/item'] });
    }
    expect((await post(json({ transactionid: id, item: 2 }))).json()).toMatchObject({
      status: 'ERROR',
      differences: ['/item'],
    });
  });

  test('a GET with content in its body is refused, with a declared length or in chunks', async () => {
    const refusal = { status: 400, code: 'field_invalid', pointers: [''], contains: ['use POST'] } as const;
    const head = `GET ${PATH}?transactionid=${nextId()} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${gateway.till.secret}\r\n`;
    for (const body of [
      'Content-Length: 7\r\n\r\n{"a":1}',
      'Transfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n',
    ])
      await expectRefused('GET', refusal, () => rawCall(gateway.apiUrl, head + body));
    expect((await rawCall(gateway.apiUrl, `${head}Content-Length: 0\r\n\r\n`))?.status).toBe(200);
  });
});

describe('bodies', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const padded = (bytes: number, id: string): string => {
    const empty = json({ transactionid: id, note: '' });
    return empty.replace('"note":""', `"note":"${'x'.repeat(bytes - empty.length)}"`);
  };

  test.each([
    ['white space', (id: string) => ` \r\n{ "transactionid" : "${id}" }\t`],
    ['white space around data', (id: string) => ` { "data" :\n{ "transactionid" : "${id}" } } `],
    ['names and values in escapes', (id: string) => String.raw`{"\u0064ata":{"transaction\u0069d":"${id}"}}`],
    [
      'a member data beside other members',
      (id: string) => json({ data: { transactionid: 'other' }, transactionid: id }),
    ],
    ['a member data with a text', (id: string) => json({ data: 'x', transactionid: id })],
    ['data in data', (id: string) => json({ data: { transactionid: id, data: { transactionid: 'other' } } })],
    [
      'members with the names of built-ins',
      (id: string) => `{"transactionid":"${id}","__proto__":{"transactionid":"x"},"toString":1,"":2}`,
    ],
    ['a repeated member', (id: string) => `{"transactionid":"${id}","a":1,"a":2}`],
    ['200 levels', (id: string) => `{"transactionid":"${id}","deep":${nested(200)}}`],
    ['199 levels in data', (id: string) => `{"data":{"transactionid":"${id}","deep":${nested(199)}}}`],
    ['numbers beyond a float', (id: string) => `{"transactionid":"${id}","a":1e400,"b":9007199254740993,"c":-0.0}`],
    ['lone surrogates', (id: string) => String.raw`{"transactionid":"${id}","a":"\ud800"}`],
    ['1 MiB', (id: string) => padded(MAX_BODY_BYTES, id)],
  ])('%s: stored byte for byte, and recognised when it is resent', async (_name, bodyFor) => {
    const id = nextId();
    const first = await post(bodyFor(id));
    await expectKept(first, bodyFor(id), id);
    expect((await post(bodyFor(id))).json()).toMatchObject({
      status: 'IGNORED',
      original_record_id: first.json()['record_id'],
    });
  });

  test.each([
    ['an array', '[{"transactionid":"a"}]', 'bulk_unsupported', undefined],
    ['an empty array', ' []', 'bulk_unsupported', undefined],
    ['an array in data', '{"data":[{"transactionid":"a"}]}', 'bulk_unsupported', undefined],
    ['an array in data beside other members', '{"data":[],"amount":1}', 'field_invalid', ['/transactionid']],
    ['an empty object', '{}', 'field_invalid', ['/transactionid']],
    ['an empty object in data', '{"data":{}}', 'field_invalid', ['/data/transactionid']],
    [
      'data in data without other members',
      '{"data":{"data":{"transactionid":"a"}}}',
      'field_invalid',
      ['/data/transactionid'],
    ],
    ['data in another case', '{"Data":{"transactionid":"a"}}', 'field_invalid', ['/transactionid']],
    ['data twice', '{"data":{"transactionid":"a"},"data":{"transactionid":"a"}}', 'field_invalid', ['/transactionid']],
    [
      'the id below data, and other members beside data',
      '{"data":{"transactionid":"a"},"amount":1}',
      'field_invalid',
      ['/transactionid'],
    ],
    ['the id twice', '{"transactionid":"a","transactionid":"a"}', 'field_invalid', ['/transactionid']],
    [
      'the id twice, in data and once in escapes',
      String.raw`{"data":{"transactionid":"a","transaction\u0069d":"b"}}`,
      'field_invalid',
      ['/data/transactionid'],
    ],
    [
      'the time twice',
      '{"transactionid":"a","timestamp":"2026-11-20T10:00:00Z","timestamp":"2026-11-20T10:00:00Z"}',
      'field_invalid',
      ['/timestamp'],
    ],
    ['the id in __proto__', '{"__proto__":{"transactionid":"a"}}', 'field_invalid', ['/transactionid']],
    ['a text', '"transactionid=a"', 'field_invalid', ['']],
    ['a number', '5', 'field_invalid', ['']],
    ['null', 'null', 'field_invalid', ['']],
    ['a form', 'transactionid=a', 'json_malformed', ['']],
    ['nothing', '', 'json_malformed', ['']],
    ['half an object', '{"transactionid":"a"', 'json_malformed', ['']],
    ['two objects', '{"transactionid":"a"}{}', 'json_malformed', ['']],
    ['two byte order marks', '\ufeff\ufeff{"transactionid":"a"}', 'json_malformed', ['']],
    ['NaN', '{"transactionid":"a","amount":NaN}', 'json_malformed', ['']],
    ['a number with a leading zero', '{"transactionid":"a","amount":007}', 'json_malformed', ['']],
    ['201 levels', `{"transactionid":"a","deep":${nested(201)}}`, 'field_invalid', ['/deep']],
    ['200 levels in data', `{"data":{"transactionid":"a","deep":${nested(200)}}}`, 'field_invalid', ['/data']],
  ] as const)('%s is refused', async (_name, body, code, pointers) => {
    await expectRefused('POST', { status: 400, code, ...(pointers !== undefined && { pointers }) }, () => post(body));
  });

  test('a body that is not UTF-8 is refused', async () => {
    await expectRefused('POST', { status: 400, code: 'json_malformed', pointers: [''] }, () =>
      post(Buffer.from('{"transactionid":"\xe9"}', 'latin1')),
    );
  });

  test('a body one byte over 1 MiB is refused', async () => {
    await expectRefused('POST', { status: 413, code: 'body_too_large' }, () =>
      post(padded(MAX_BODY_BYTES + 1, nextId())),
    );
  });

  test.each([
    ['no content type', { 'content-type': undefined }, 'media_type_unsupported'],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'media_type_unsupported'],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, 'media_type_unsupported'],
    ['gzip', { 'content-encoding': 'gzip' }, 'encoding_unsupported'],
    ['identity, then gzip', { 'content-encoding': 'identity, gzip' }, 'encoding_unsupported'],
  ] as const)('sent as %s are refused', async (_name, headers, code) => {
    await expectRefused('POST', { status: 415, code }, () => post(json({ transactionid: nextId() }), { headers }));
  });

  test('bodies with a repeated member equal only the same bytes', async () => {
    const id = nextId();
    const body = `{"transactionid":"${id}","a":1,"a":1}`;
    expect((await post(body)).json()).toMatchObject({ status: 'NEW' });
    expect((await post(body)).json()).toMatchObject({ status: 'IGNORED' });
    for (const answer of [
      await post(` ${body}`),
      await post(json({ transactionid: id, a: 1 })),
      await get(`transactionid=${id}&a=1`),
    ])
      expect(answer.json()).toMatchObject({ status: 'ERROR', differences: [''] });
  });

  test('the same bytes have different meanings in a query string and in a body', async () => {
    const bytes = '{"transactionid":"both","x":"&transactionid=both&y="}';
    expect((await post(bytes)).json()).toMatchObject({ status: 'NEW', external_id: 'both' });
    const answer = await rawCall(
      gateway.apiUrl,
      `GET ${PATH}?${bytes} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${gateway.till.secret}\r\n\r\n`,
    );
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({
      status: 'ERROR',
      external_id: 'both',
      timestamp: textLike(/Z$/),
    });
  });

  test('a POST with a query string is refused; a question mark without one is accepted', async () => {
    for (const path of [`${PATH}?a=1`, `${PATH}?transactionid=a`, `${PATH}??`]) {
      await expectRefused('POST', { status: 400, code: 'field_invalid', pointers: [''], contains: ['use GET'] }, () =>
        post(json({ transactionid: nextId() }), { path }),
      );
    }
    expect((await post(json({ transactionid: nextId() }), { path: `${PATH}?` })).status).toBe(200);
  });
});
