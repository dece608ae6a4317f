// All forms of addresses of the earlier interface (docs/interface.md#addresses). If the Host or path names a customer and mode,
// they must match the key. Names and numbers that are not in one of these forms are ignored.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import {
  ALIAS,
  BASE_DOMAIN,
  HOST,
  nextId,
  openEarlierGateway,
  PATH,
  TEST_ALIAS,
  TEST_HOST,
} from '../../support/api/earlier-gateway.ts';
import { call } from '../../support/http-call.ts';
import { openTestGateway, type TestKey } from '../../support/open-gateway.ts';
import { rawCall } from '../../support/raw-call.ts';

const gateway = await openEarlierGateway();
afterAll(() => gateway.close());
const { apiUrl, till, tillUnderTest, get, post, expectRefused } = gateway;
const stranger = await gateway.makeKey({ interface: 'both', mode: 'production', administration: 'Café', label: 'Bar' });

/** Sends a GET with this target and these header lines, byte by byte. */
const rawGet = (target: string, headers: readonly string[], key: TestKey = till) =>
  rawCall(apiUrl, [`GET ${target} HTTP/1.1`, ...headers, `Authorization: Bearer ${key.secret}`, '', ''].join('\r\n'));

const mismatch = { status: 403, code: 'address_mismatch' } as const;
const invalid = { status: 400, code: 'end_point_invalid' } as const;
const nothing = { status: 404, code: 'not_found', label: null } as const;

describe('Host', () => {
  test.each([
    ['as in the set-up', HOST],
    ['in another case', HOST.toUpperCase()],
    ['with a port', `${HOST}:7410`],
    ['with an empty port', `${HOST}:`],
    ['with a trailing dot', `${HOST}.`],
    ['with a dot and a port', `${HOST}.:443`],
  ])('%s is the address of the key: a production key is accepted, a test key is not', async (_name, host) => {
    const query = `transactionid=${nextId()}`;
    expect((await get(query, { headers: { host } })).json()).toMatchObject({ status: 'NEW' });
    await expectRefused('GET', { ...mismatch, label: tillUnderTest.label }, () =>
      get(query, { headers: { host }, key: tillUnderTest }),
    );
    expect((await get(query, { headers: { host: `dev-plem.${host}` }, key: tillUnderTest })).json()).toMatchObject({
      status: 'NEW',
    });
    await expectRefused('GET', mismatch, () => get(query, { headers: { host: `Dev-Plem.${host}` } }));
  });

  test.each([
    'localhost',
    '192.168.1.5',
    '192.168.1.5:7410',
    '[::1]',
    '[::1]:7410',
    'gateway.local',
    BASE_DOMAIN,
    `bakery.43.${BASE_DOMAIN}.example`,
    `bakery-43-${BASE_DOMAIN}`,
    `x${BASE_DOMAIN}`,
  ])('%s is not an address of a customer: only the token decides', async (host) => {
    for (const key of [till, tillUnderTest]) {
      expect((await get(`transactionid=${nextId()}`, { headers: { host }, key })).json()).toMatchObject({
        status: 'NEW',
      });
    }
  });

  test.each([
    ['another customer', `butcher.42.${BASE_DOMAIN}`],
    ['another id', `bakery.43.${BASE_DOMAIN}`],
    ['name and id in the wrong order', `42.bakery.${BASE_DOMAIN}`],
    ['a name without an id', `bakery.${BASE_DOMAIN}`],
    ['an extra part', `www.bakery.42.${BASE_DOMAIN}`],
    ['the test label in the middle', `bakery.dev-plem.42.${BASE_DOMAIN}`],
    ['the test label without a customer', `dev-plem.${BASE_DOMAIN}`],
    ['the test label twice', `dev-plem.dev-plem.bakery.42.${BASE_DOMAIN}`],
    ['an empty part', `bakery..42.${BASE_DOMAIN}`],
    ['empty parts', `.${BASE_DOMAIN}`],
    ['a percent-encoded name', `bak%65ry.42.${BASE_DOMAIN}`],
  ])('of %s under the base domain is refused', async (_name, host) => {
    for (const key of [till, tillUnderTest]) {
      await expectRefused('GET', { ...mismatch, label: key.label }, () =>
        get(`transactionid=${nextId()}`, { headers: { host }, key }),
      );
    }
  });

  test('of an administration without an address is refused, and the answer says what to do', async () => {
    const refusal = { ...mismatch, label: stranger.label, contains: ['Ask the store'] };
    await expectRefused('GET', refusal, () => get('transactionid=a', { headers: { host: HOST }, key: stranger }));
    await expectRefused('GET', { ...refusal, path: ALIAS + PATH }, () =>
      get('transactionid=a', { path: ALIAS + PATH, key: stranger }),
    );
  });

  test.each(['..', ':80:80', ':http', ',', '.:80'])('is still recognised with %j after it', async (more) => {
    const target = `${PATH}?transactionid=a`;
    await expectRefused('GET', mismatch, () => rawGet(target, [`Host: butcher.42.${BASE_DOMAIN}${more}`]));
  });

  test.each([
    ['of 15,000 dashes and a letter', `${'-'.repeat(15_000)}a`],
    ['of a customer, followed by 300 dots', `${HOST}${'.'.repeat(300)}`],
  ])('%s is refused for its length', async (_name, host) => {
    const target = `${PATH}?transactionid=${nextId()}`;
    const tooLong = { status: 400, code: 'request_malformed', contains: ['Host'] } as const;
    await expectRefused('GET', tooLong, () => rawGet(target, [`Host: ${host}`]));
    await expectRefused('GET', tooLong, () => rawGet(`http://${host}${target}`, ['Host: gateway']));
  });

  test('of the maximum length, with a dot and a port, is not refused for its length', async () => {
    const name = `${'a'.repeat(252 - BASE_DOMAIN.length)}.${BASE_DOMAIN}.:65535`;
    await expectRefused('GET', mismatch, () => rawGet(`${PATH}?transactionid=a`, [`Host: ${name}`]));
  });

  test('of an absolute target overrides the header (RFC 9112, 3.2.2)', async () => {
    const target = (host: string): string => `http://${host}${PATH}?transactionid=${nextId()}`;
    expect((await rawGet(target(HOST), [`Host: butcher.42.${BASE_DOMAIN}`]))?.status).toBe(200);
    expect((await rawGet(target(`${HOST}:80`), [`Host: ${TEST_HOST}`]))?.status).toBe(200);
    expect((await rawGet(target('gateway'), [`Host: ${TEST_HOST}`]))?.status).toBe(200);
    const refused = target(TEST_HOST);
    await expectRefused('GET', mismatch, () => rawGet(refused, [`Host: ${HOST}`]));
  });

  test('is optional with HTTP/1.0, and checked if it is given', async () => {
    const lines = [`GET ${PATH}?transactionid=${nextId()} HTTP/1.0`, `Authorization: Bearer ${till.secret}`];
    expect((await rawCall(apiUrl, `${lines.join('\r\n')}\r\n\r\n`))?.status).toBe(200);
    await expectRefused('GET', mismatch, () =>
      rawCall(apiUrl, `${[...lines, `Host: ${TEST_HOST}`].join('\r\n')}\r\n\r\n`),
    );
  });
});

test('is ignored without a base domain', async () => {
  const plain = await openTestGateway();
  onTestFinished(() => plain.close());
  const { secret } = await plain.makeKey({ interface: 'both', mode: 'production' });
  const answer = await call(`${plain.apiUrl}${PATH}?transactionid=a`, {
    headers: { authorization: `Bearer ${secret}`, host: 'dev-plem.nobody.0.till.example' },
  });
  expect(answer.json()).toMatchObject({ status: 'NEW' });
});

describe('paths', () => {
  test.each([
    ['an end point', PATH],
    ['a trailing slash', `${PATH}/`],
    ['percent-encoded letters', '/%761/trans%61ction'],
    ['the path alias', ALIAS + PATH],
    ['the path alias with a trailing slash', `${ALIAS}${PATH}/`],
    ['the path alias in another case', `/c/Bakery/42${PATH}`],
    ['the path alias percent-encoded', `/c/b%61kery/%342${PATH}`],
  ])('%s: %s', async (_name, path) => {
    const transactionid = nextId();
    expect((await get(`transactionid=${transactionid}`, { path })).json()).toMatchObject({ status: 'NEW' });
    expect((await post(JSON.stringify({ transactionid }), { path })).json()).toMatchObject({ status: 'IGNORED' });
  });

  test('an absolute target is read as its path', async () => {
    for (const target of [`http://gateway${PATH}`, `HTTP://gateway:7410${ALIAS}${PATH}`, `https://${HOST}${PATH}/`]) {
      expect((await rawGet(`${target}?transactionid=${nextId()}`, ['Host: gateway']))?.status).toBe(200);
    }
    await expectRefused('GET', { ...invalid, path: '/v1/nothing' }, () =>
      rawGet('http://gateway/v1/nothing?transactionid=a', ['Host: gateway']),
    );
  });

  test.each([
    ['another customer', `/c/butcher/42${PATH}`],
    ['another id', `/c/bakery/43${PATH}`],
    ['an empty name', `/c//42${PATH}`],
    ['the test address', TEST_ALIAS + PATH],
    ['the test address, encoded', `/c/dev%2Dplem/bakery/42${PATH}`],
    ['the test address in another case', `/c/DEV-PLEM/bakery/42${PATH}`],
  ])('a path alias of %s is refused', async (_name, path) => {
    await expectRefused('GET', { ...mismatch, path }, () => get('transactionid=a', { path }));
    await expectRefused('POST', { ...mismatch, path }, () => post('{"transactionid":"a"}', { path }));
  });

  test.each([
    '/v1/orders',
    '/v1/Transaction',
    '/V1/transaction',
    '/v2/transaction',
    '/v1/transaction%2F1',
    '/v1/transaction%00',
    '/v1/%zz',
    '/v1/__proto__',
    '/constructor/name',
    '/transaction/v1',
    '/docs/transaction',
    `${ALIAS}/v1/orders`,
    `${ALIAS}/v2/transaction`,
    `${ALIAS}/v1`,
    ALIAS,
    `${ALIAS}${PATH}/1`,
    `${ALIAS}${PATH}//`,
    `${ALIAS}${ALIAS}${PATH}`,
    '/v1/transaction/1',
    '/v1/transaction//',
    '/C/bakery/42/v1/transaction',
    '/',
    '/v1',
    '/v1/',
    '/transaction',
    '//v1/transaction',
    '/c',
    '/c/bakery',
    '/c/butcher/42',
    '/c/butcher/42/v1',
    `/c/bakery%2F42${PATH}`,
    `/c/bakery/dev-plem/42${PATH}`,
    `/c/butcher/42${PATH}/1`,
  ])('%s is no end point: 400, never 404, and the answer lists the end points', async (path) => {
    const refusal = { ...invalid, path, contains: [PATH, '/v1/refund'] };
    await expectRefused('GET', refusal, () => get('transactionid=a', { path }));
    await expectRefused('POST', refusal, () => post('{"transactionid":"a"}', { path }));
  });

  test.each(['/transaction', '//v1/transaction', '/c', '/v1/'])(
    '%s gets no information without a token',
    async (path) => {
      const headers = { authorization: undefined };
      await expectRefused('GET', { ...nothing, path }, () => get('transactionid=a', { path, headers }));
      await expectRefused('POST', { ...nothing, path }, () => post('{"transactionid":"a"}', { path, headers }));
    },
  );

  test('the path of the current interface keeps its meaning', async () => {
    const path = '/v1/raw_transactions';
    await expectRefused('GET', { status: 401, code: 'key_missing', label: null, path }, () =>
      get('transactionid=a', { path }),
    );
    await expectRefused('POST', { status: 401, code: 'key_missing', label: null, path }, () =>
      post('{"transactionid":"a"}', { path }),
    );
  });

  test('checks run in this order: the key, the address, the end point, the content', async () => {
    const path = `/c/butcher/42/v2/orders`;
    await expectRefused('GET', { status: 401, code: 'key_missing', label: null, path }, () =>
      get('%zz', { path, headers: { authorization: undefined } }),
    );
    await expectRefused('GET', { ...mismatch, path }, () => get('%zz', { path }));
    await expectRefused('GET', { ...invalid, path: '/v2/orders' }, () => get('%zz', { path: '/v2/orders' }));
    await expectRefused('GET', { status: 400, code: 'field_invalid', pointers: 'any' }, () => get('%zz'));
  });
});
