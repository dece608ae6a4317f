// The earlier interface (docs/interface.md#earlier-interface), rule by rule.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { receipt } from '../../../server/api/schema.ts';
import { BASE_DOMAIN, HOST, nextId, openEarlierGateway, PATH, TEST_HOST } from '../../support/api/earlier-gateway.ts';
import { anyNumber, textLike } from '../../support/api/matchers.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { bodyOf, getRange, postBody } from '../../support/http-call.ts';
import type { TestKey } from '../../support/open-gateway.ts';

const gateway = await openEarlierGateway();
afterAll(() => gateway.close());
const { get, post, till, tillUnderTest, expectRefused } = gateway;

const NOON = '2026-11-20T12:00:00Z';
const json = (value: unknown): string => JSON.stringify(value);
let shops = 0;
/** Makes a new administration with the default settings, and a key for it. */
const freshKey = (): Promise<TestKey> =>
  gateway.makeKey({ interface: 'both', mode: 'production', administration: `Shop ${(shops += 1)}` });

describe('the transaction', () => {
  test('transactionid is its unique identifier', async () => {
    const id = nextId();
    expect((await get(`transactionid=${id}`)).json()).toMatchObject({ status: 'NEW', external_id: id });
    expect((await get(`transactionid=${id}x`)).json()).toMatchObject({ status: 'NEW', external_id: `${id}x` });
    await expectRefused('GET', { status: 400, code: 'field_invalid', pointers: ['/transactionid'] }, () =>
      get(`timestamp=${NOON}&amount=10`),
    );
  });

  test('timestamp is ISO 8601 with a trailing Z; an offset instead is accepted too, a time without a zone is not', async () => {
    expect((await get(`transactionid=${nextId()}&timestamp=${NOON}`)).json()).toMatchObject({ timestamp: NOON });
    expect((await get(`transactionid=${nextId()}&timestamp=2026-11-20T13:00:00%2B01:00`)).status).toBe(200);
    for (const timestamp of ['2026-11-20T12:00:00', '20-11-2026']) {
      await expectRefused('GET', { status: 400, code: 'field_invalid', pointers: ['/timestamp'] }, () =>
        get(`transactionid=${nextId()}&timestamp=${timestamp}`),
      );
    }
  });

  test('amount is a number: it is the same in a query string and in a body', async () => {
    const id = nextId();
    expect((await get(`transactionid=${id}&amount=10`)).json()).toMatchObject({ status: 'NEW' });
    expect((await post(json({ transactionid: id, amount: 10 }))).json()).toMatchObject({ status: 'IGNORED' });
    expect((await post(json({ transactionid: id, amount: 10.5 }))).json()).toMatchObject({
      status: 'ERROR',
      differences: ['/amount'],
    });
  });

  test('the resource name is a path segment: every administration starts with transaction and cancellations', async () => {
    const key = await freshKey();
    for (const resource of ['transaction', 'cancellations']) {
      expect((await get('transactionid=a', { key, path: `/v1/${resource}` })).json()).toMatchObject({
        status: 'NEW',
        type: resource,
      });
    }
  });

  test('additional details are accepted: they are stored and are part of the content', async () => {
    const id = nextId();
    const query = `transactionid=${id}&timestamp=${NOON}&amount=10&currency=EUR&clerk=Ann`;
    const first = (await get(query)).json();
    expect(gateway.readBody(Number(first['record_id'])).toString()).toBe(query);
    expect((await get(query.replace('Ann', 'Bea'))).json()).toMatchObject({ status: 'ERROR', differences: ['/clerk'] });
  });
});

describe('the statuses', () => {
  const send = {
    GET: (o: object) => get(new URLSearchParams(o as Record<string, string>).toString()),
    POST: (o: object) => post(json(o)),
  };
  test.each(['GET', 'POST'] as const)(
    '%s: first NEW, the same again IGNORED, other content ERROR, always 200',
    async (method) => {
      const content = { transactionid: nextId(), timestamp: NOON, amount: '10' };
      const receiptOf = (status: string) => ({
        record_id: anyNumber,
        external_id: content.transactionid,
        type: 'transaction',
        timestamp: NOON,
        status,
        received_at: textLike(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      });
      const first = await send[method](content);
      const original_record_id = first.json()['record_id'];
      const same = await send[method](content);
      const changed = await send[method]({ ...content, amount: '11', clerk: 'Ann' });
      const again = await send[method](content);
      expect(first.json()).toEqual(receiptOf('NEW'));
      expect(same.json()).toEqual({ ...receiptOf('IGNORED'), original_record_id });
      expect(changed.json()).toEqual({ ...receiptOf('ERROR'), original_record_id, differences: ['/amount', '/clerk'] });
      expect(again.json()).toEqual({ ...receiptOf('IGNORED'), original_record_id });
      for (const answer of [first, same, changed, again]) {
        expect(answer.status).toBe(200);
        expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
        expect(receipt.strict().safeParse(answer.json()).error).toBeUndefined();
      }
    },
  );

  test('ids are unique within an administration, mode and resource', async () => {
    const key = await freshKey();
    const { administration } = key;
    const sibling = await gateway.makeKey({ interface: 'both', mode: 'production', administration, label: 'Second' });
    const underTest = await gateway.makeKey({ interface: 'both', mode: 'test', administration });
    const outcomes = [];
    for (const sent of [
      { key },
      { key: sibling },
      { key: underTest },
      { key: await freshKey() },
      { key, path: '/v1/cancellations' },
      { key: sibling, path: '/v1/cancellations' },
    ])
      outcomes.push((await get('transactionid=shared', sent)).json()['status']);
    expect(outcomes).toEqual(['NEW', 'IGNORED', 'NEW', 'NEW', 'NEW', 'IGNORED']);
  });

  test('an external_id of the current interface is a separate id: two NEW records, and the count of its query excludes the other', async () => {
    const key = await freshKey();
    const id = nextId();
    const current = await postBody(
      gateway.apiUrl,
      key.secret,
      bodyOf({ external_id: id, type: 'transaction', timestamp: NOON }),
    );
    expect(current.status).toBe(201);
    const range = { expand: 'raw_transactions' };
    const before = (await getRange(gateway.apiUrl, key.secret, range)).json();
    expect(before).toMatchObject({ raw_transaction_count: 1, raw_transactions: [{ external_id: id }] });

    expect((await get(`transactionid=${id}&timestamp=${NOON}`, { key })).json()).toMatchObject({ status: 'NEW' });
    expect((await post(json({ transactionid: `${id}x`, timestamp: NOON }), { key })).json()).toMatchObject({
      status: 'NEW',
    });
    expect((await getRange(gateway.apiUrl, key.secret, range)).json()).toEqual(before);
    expect((await getRange(gateway.apiUrl, key.secret, { type: 'transaction' })).json()).toMatchObject({
      raw_transaction_count: 1,
    });
    const { administration } = key;
    expect(
      (await gateway.store.records.countStatuses()).find((journal) => journal.administration === administration),
    ).toMatchObject({
      records: { current: { NEW: 1, IGNORED: 0, ERROR: 0 }, earlier: { NEW: 2, IGNORED: 0, ERROR: 0 } },
    });
  });
});

describe('GET {base_url}/{version}/{resource}', () => {
  test('details are query string parameters; Authorization and Content-Type are its headers: 200', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await get(`transactionid=${nextId()}&timestamp=${NOON}&amount=10`, { headers });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ status: 'NEW' });
  });

  test('a GET with another Content-Type or none is accepted too: it has no content', async () => {
    for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }])
      expect((await get(`transactionid=${nextId()}`, { headers })).status).toBe(200);
  });

  test('400 when the end point is not valid: version or resource', async () => {
    for (const path of ['/v1/orders', '/v3/transaction', '/v1/transactions'])
      await expectRefused('GET', { status: 400, code: 'end_point_invalid', path }, () =>
        get('transactionid=a', { path }),
      );
  });
});

describe('POST {base_url}/{version}/{resource}', () => {
  test('details are a data object instead of the query string: bare, or in a member data', async () => {
    const content = { transactionid: nextId(), timestamp: NOON, amount: 10 };
    const first = await post(json(content));
    expect(first.status).toBe(200);
    expect(first.json()).toMatchObject({ status: 'NEW', timestamp: NOON });
    expect((await post(json({ data: content }))).json()).toMatchObject({ status: 'IGNORED' });
    expect((await get(new URLSearchParams({ ...content, amount: '10' }).toString())).json()).toMatchObject({
      status: 'IGNORED',
    });
  });

  test('headers and statuses are the same as for GET', async () => {
    const body = json({ transactionid: nextId() });
    expect((await post(body, { headers: { 'content-type': 'application/json; charset=utf-8' } })).status).toBe(200);
    await expectRefused(
      'POST',
      { status: 401, code: 'key_missing', label: null, headers: { 'www-authenticate': 'Bearer' } },
      () => post(body, { headers: { authorization: undefined } }),
    );
    for (const path of ['/v1/orders', '/v3/transaction'])
      await expectRefused('POST', { status: 400, code: 'end_point_invalid', path }, () => post(body, { path }));
  });

  test('deduplication uses transactionid by default, or another parameter from the set-up', async () => {
    const key = await freshKey();
    expect((await post('{"transactionid":"a","refundid":"1"}', { key })).json()).toMatchObject({ external_id: 'a' });
    const resources = [
      { name: 'transaction', idParameter: 'transactionid' },
      { name: 'refunds', idParameter: 'refundid' },
    ];
    await gateway.store.setup.changeAdministration(key.administration, { resources }, 'test');
    const path = '/v1/refunds';
    expect((await post('{"transactionid":"a","refundid":"1"}', { key, path })).json()).toMatchObject({
      status: 'NEW',
      external_id: '1',
    });
    expect((await post('{"transactionid":"a","refundid":"2"}', { key, path })).json()).toMatchObject({
      status: 'NEW',
      external_id: '2',
    });
    expect((await get('transactionid=b&refundid=1', { key, path })).json()).toMatchObject({
      status: 'ERROR',
      differences: ['/transactionid'],
    });
    await expectRefused(
      'POST',
      { status: 400, code: 'field_invalid', pointers: ['/refundid'], path, label: key.label },
      () => post('{"transactionid":"a"}', { key, path }),
    );
    // The resource is no longer in the set-up, so its end point is no longer valid. Its stored records are still kept.
    await expectRefused(
      'GET',
      { status: 400, code: 'end_point_invalid', path: '/v1/cancellations', label: key.label },
      () => get('transactionid=a', { key, path: '/v1/cancellations' }),
    );
  });
});

describe('authentication', () => {
  test('the access token comes as Authorization: Bearer', async () => {
    expect(
      (await get(`transactionid=${nextId()}`, { headers: { authorization: `Bearer ${till.secret}` } })).status,
    ).toBe(200);
    for (const headers of [
      { authorization: undefined },
      { authorization: till.secret },
      { authorization: `Token ${till.secret}` },
    ]) {
      await expectRefused(
        'GET',
        { status: 401, code: 'key_missing', label: null, headers: { 'www-authenticate': 'Bearer' } },
        () => get(`transactionid=${nextId()}`, { headers }),
      );
    }
  });

  test('a key for the current interface only is refused, and a key for this interface only is refused on the current one', async () => {
    await expectRefused('GET', { status: 403, code: 'key_wrong_kind', label: gateway.production.label }, () =>
      get(`transactionid=${nextId()}`, { key: gateway.production }),
    );
    expect((await postBody(gateway.apiUrl, tillUnderTest.secret, bodyOf())).json()).toMatchObject({
      code: 'key_wrong_kind',
    });
  });

  test('keys for testing carry the test_ prefix, and their records stay separate from production', async () => {
    expect(tillUnderTest.secret).toMatch(/^test_/);
    const id = nextId();
    expect((await get(`transactionid=${id}&amount=1`, { key: tillUnderTest })).json()).toMatchObject({ status: 'NEW' });
    expect((await get(`transactionid=${id}&amount=2`)).json()).toMatchObject({ status: 'NEW' });
    expect((await get(`transactionid=${id}&amount=1`, { key: tillUnderTest })).json()).toMatchObject({
      status: 'IGNORED',
    });
    const records = await gateway.store.records.list({ externalId: id, limit: 9 });
    expect(records.map(({ mode, status }) => [mode, status])).toEqual([
      ['test', 'IGNORED'],
      ['production', 'NEW'],
      ['test', 'NEW'],
    ]);
  });

  test('tests use a separate address: a test key elsewhere, or another key there, is refused', async () => {
    const mismatch = { status: 403, code: 'address_mismatch' } as const;
    expect((await get(`transactionid=${nextId()}`, { key: tillUnderTest, headers: { host: TEST_HOST } })).status).toBe(
      200,
    );
    await expectRefused('GET', { ...mismatch, label: tillUnderTest.label, contains: ['production'] }, () =>
      get(`transactionid=${nextId()}`, { key: tillUnderTest, headers: { host: HOST } }),
    );
    await expectRefused('GET', mismatch, () => get(`transactionid=${nextId()}`, { headers: { host: TEST_HOST } }));
  });
});

describe('HTTPS', () => {
  test('with a certificate, calls over HTTPS are accepted and refused as over HTTP, by GET and POST', async () => {
    const secure = await openEarlierGateway(makeCertificate());
    onTestFinished(() => secure.close());
    expect(secure.apiUrl).toMatch(/^https:/);
    const headers = { host: HOST };
    expect((await secure.get('transactionid=a&amount=10', { headers })).json()).toMatchObject({ status: 'NEW' });
    expect((await secure.post('{"data":{"transactionid":"a","amount":10}}', { headers })).json()).toMatchObject({
      status: 'IGNORED',
    });
    await secure.expectRefused('GET', { status: 403, code: 'address_mismatch' }, () =>
      secure.get('transactionid=a', { headers: { host: TEST_HOST } }),
    );
    await secure.expectRefused('GET', { status: 401, code: 'key_missing', label: null }, () =>
      secure.get('transactionid=a', { headers: { authorization: undefined } }),
    );
  });
});

describe('results', () => {
  test.each(['GET', 'POST'])('%s: data processed correctly is 200', async (method) => {
    const id = nextId();
    const answer = method === 'GET' ? await get(`transactionid=${id}`) : await post(json({ transactionid: id }));
    expect(answer.status).toBe(200);
  });

  test.each(['GET', 'POST'])('%s: an invalid end point is 400, never 404', async (method) => {
    for (const path of ['/v1/nothing', '/nothing/transaction', '/c/bakery/42/v1/nothing', '/c/bakery/42'])
      await expectRefused(method, { status: 400, code: 'end_point_invalid', path }, () =>
        method === 'GET' ? get('transactionid=a', { path }) : post('{"transactionid":"a"}', { path }),
      );
  });
});

describe('addresses', () => {
  test('https://<customer_name>.<customer_id>.{base_domain}/<version>/<resource> is the address of a customer', async () => {
    const headers = { host: HOST };
    expect((await get(`transactionid=${nextId()}`, { headers })).json()).toMatchObject({ status: 'NEW' });
    for (const host of [`butcher.42.${BASE_DOMAIN}`, `bakery.43.${BASE_DOMAIN}`])
      await expectRefused('GET', { status: 403, code: 'address_mismatch' }, () =>
        get(`transactionid=${nextId()}`, { headers: { host } }),
      );
  });

  test('https://dev-plem.<customer_name>.<customer_id>.{base_domain}/… is its test address', async () => {
    const answer = await get(`transactionid=${nextId()}`, { key: tillUnderTest, headers: { host: TEST_HOST } });
    expect(answer.json()).toMatchObject({ status: 'NEW' });
    const [record] = await gateway.store.records.list({ limit: 1 });
    expect(record).toMatchObject({ administration: 'Bakery', mode: 'test', interface: 'earlier' });
  });

  test('customer_id is unique: two customers with one name have different addresses', async () => {
    const key = await freshKey();
    await gateway.store.setup.changeAdministration(
      key.administration,
      { customer: { name: 'bakery', id: '43' } },
      'test',
    );
    const headers = { host: `bakery.43.${BASE_DOMAIN}` };
    expect((await get('transactionid=a', { key, headers })).json()).toMatchObject({ status: 'NEW' });
    await expectRefused('GET', { status: 403, code: 'address_mismatch' }, () => get('transactionid=a', { headers }));
    await expectRefused('GET', { status: 403, code: 'address_mismatch', label: key.label }, () =>
      get('transactionid=a', { key, headers: { host: HOST } }),
    );
    await gateway.store.setup.changeAdministration(key.administration, { customer: null }, 'test');
  });

  test('the version is a path segment: versions in the set-up are accepted and stored with the record', async () => {
    const key = await freshKey();
    await gateway.store.setup.changeAdministration(key.administration, { versions: ['v2', '2026-01'] }, 'test');
    for (const version of ['v2', '2026-01']) {
      expect((await get(`transactionid=${version}`, { key, path: `/${version}/transaction` })).json()).toMatchObject({
        status: 'NEW',
      });
      const [record] = await gateway.store.records.list({ limit: 1 });
      expect(record).toMatchObject({ interface: 'earlier', version, method: 'GET', type: 'transaction' });
    }
    await expectRefused('GET', { status: 400, code: 'end_point_invalid', label: key.label, path: PATH }, () =>
      get('transactionid=a', { key }),
    );
  });
});

test('in the end every record matches its SHA-256 and every count its records', async () => {
  expect(await gateway.store.health.check()).toMatchObject({ structure: [], damagedRecords: [], countFaults: [] });
});
