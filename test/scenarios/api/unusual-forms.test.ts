// Accepted but unusual forms of calls are counted per key. The example that is stored with a count shows the form and no
// content.

import { afterAll, beforeEach, describe, expect, test } from 'vitest';

import { UNUSUAL_FORMS } from '../../../server/contract/codes.ts';
import { nextId, openEarlierGateway, PATH } from '../../support/api/earlier-gateway.ts';
import { bodyOf, call, getRange, postBody } from '../../support/http-call.ts';
import type { TestKey } from '../../support/open-gateway.ts';
import { rawCall } from '../../support/raw-call.ts';

const gateway = await openEarlierGateway();
afterAll(() => gateway.close());
const { apiUrl, get, post, store } = gateway;

let key: TestKey;
beforeEach(async () => {
  key = await gateway.makeKey({ interface: 'both', mode: 'production', label: `Till ${nextId()}` });
});
/** The counts for this test's key: form, number of calls, and example. */
async function counted(): Promise<[form: string, calls: number, example: string][]> {
  const forms = await store.records.listUnusualForms();
  return forms.filter(({ keyId }) => keyId === key.id).map(({ form, calls, example }) => [form, calls, example]);
}
const json = (value: unknown): string => JSON.stringify(value);
const sent = (body: string, headers: Record<string, string> = {}, to = key) =>
  call(`${apiUrl}/v1/raw_transactions`, {
    method: 'POST',
    headers: { token: to.secret, 'content-type': 'application/json', ...headers },
    body,
  });

type Case = readonly [form: string, example: string, send: () => Promise<{ status: number }>];
const CASES: readonly Case[] = [
  ['timestamp_fraction', '0000-00-00x00:00:00.000x', () => sent(bodyOf({ timestamp: '2026-11-20T10:00:00.123Z' }))],
  ['timestamp_offset', '0000-00-00x00:00:00+00:00', () => sent(bodyOf({ timestamp: '2026-11-20T10:00:00+01:00' }))],
  ['long_id', `${'x'.repeat(40)}… (1024)`, () => sent(bodyOf({ external_id: 'k'.repeat(1024) }))],
  ['content_type', 'application/vnd.shop+json', () => sent(bodyOf(), { 'content-type': 'application/vnd.shop+json' })],
  [
    'content_type',
    'application/json; charset=utf8',
    () => sent(bodyOf(), { 'content-type': 'application/json; charset=utf8' }),
  ],
  ['content_type', 'application/json; …', () => sent(bodyOf(), { 'content-type': 'application/json; clerk=canary' })],
  ['content_encoding', 'identity', () => sent(bodyOf(), { 'content-encoding': 'identity' })],
  ['byte_order_mark', 'EF BB BF {', () => sent(`\ufeff${bodyOf()}`)],
  [
    'query_bound',
    '0000-00-00x00:00:00.000x',
    () => getRange(apiUrl, key.secret, { timestamp_gte: '2026-11-20T00:00:00.000Z' }),
  ],
  ['query_empty', 'type=', () => getRange(apiUrl, key.secret, { type: '' })],
  ['query_unknown', 'page', () => getRange(apiUrl, key.secret, { page: 'canary' })],
  ['query_unknown', 'x0000000000', () => getRange(apiUrl, key.secret, { c4111111111: '1' })],
  ['query_unknown', 'prod_…', () => getRange(apiUrl, key.secret, { prod_canary: '1' })],
];
test.each(CASES)('%s on the current interface, shown as %s', async (form, example, send) => {
  for (let n = 0; n < 2; n++) expect((await send()).status).toBeLessThan(300);
  expect(await counted()).toEqual([[form, 2, example]]);
});

const EARLIER: readonly Case[] = [
  [
    'timestamp_fraction',
    '0000-00-00x00:00:00.0x',
    () => get(`transactionid=${nextId()}&timestamp=2026-11-20T10:00:00.5Z`, { key }),
  ],
  [
    'timestamp_offset',
    '0000-00-00x00:00:00+0000',
    () => post(json({ transactionid: nextId(), timestamp: '2026-11-20T10:00:00+0100' }), { key }),
  ],
  ['long_id', `${'0'.repeat(40)}… (300)`, () => get(`transactionid=${'7'.repeat(300)}`, { key })],
  ['byte_order_mark', 'EF BB BF {', () => post(`\ufeff${json({ transactionid: nextId() })}`, { key })],
  [
    'content_encoding',
    'identity',
    () => post(json({ transactionid: nextId() }), { key, headers: { 'content-encoding': 'identity' } }),
  ],
  [
    'get_body',
    '{}',
    () =>
      call(`${apiUrl}${PATH}?transactionid=${nextId()}`, {
        headers: { authorization: `Bearer ${key.secret}` },
        body: '{}',
      }),
  ],
];
test('a GET with an empty body in chunks is counted as a GET with a body', async () => {
  const { secret } = key;
  const head = [`GET ${PATH}?transactionid=${nextId()} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${secret}`];
  await rawCall(apiUrl, `${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n0\r\n\r\n`);
  expect(await counted()).toEqual([['get_body', 1, '0 bytes']]);
});

test.each(EARLIER)('%s on the earlier interface, shown as %s', async (form, example, send) => {
  for (let n = 0; n < 2; n++) expect((await send()).status).toBe(200);
  expect(await counted()).toEqual([[form, 2, example]]);
});

test('every form has a case', () => {
  expect(new Set([...CASES, ...EARLIER].map(([form]) => form))).toEqual(new Set(UNUSUAL_FORMS));
});

test('several forms of one call are counted each', async () => {
  await sent(`\ufeff${bodyOf({ timestamp: '2026-11-20T10:00:00.000+01:00' })}`);
  expect((await counted()).map(([form]) => form)).toEqual([
    'byte_order_mark',
    'timestamp_fraction',
    'timestamp_offset',
  ]);
});

test('a usual call adds no count', async () => {
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
    await sent(bodyOf({ external_id: nextId() + 'i'.repeat(200) }), { 'content-type': type });
  await getRange(apiUrl, key.secret, { timestamp_gte: '2026-11-20T00:00:00Z', type: 'sale', limit: '10' });
  await get(`transactionid=${nextId()}&timestamp=2026-11-20T10:00:00Z&more=1`, { key });
  await get(`transactionid=${nextId()}`, { key, headers: { 'content-type': 'text/plain' } });
  await post(json({ data: { transactionid: nextId() } }), { key });
  expect(await counted()).toEqual([]);
});

test('a refused call adds no count', async () => {
  await sent(bodyOf({ timestamp: '2026-02-30T10:00:00.000Z' }));
  await sent(bodyOf({ timestamp: '2026-11-20T10:00:00.000Z', more: '"type":"sale"' }));
  await getRange(apiUrl, key.secret, { page: '1', limit: '0' });
  expect(await counted()).toEqual([]);
});

describe('no sent content is stored with the counts', () => {
  test('neither ids nor values nor tokens', async () => {
    const token = 'canarytoken0123456789';
    await sent(bodyOf({ external_id: `canary${'x'.repeat(300)}` }), { 'content-type': `application/json; a=${token}` });
    await sent(bodyOf(), { 'content-type': `application/json; a=${key.secret}` });
    await postBody(apiUrl, key.secret, `\ufeff${bodyOf({ object: '{"canary":"canary"}' })}`);
    await getRange(apiUrl, key.secret, { [token]: token, [key.secret]: key.secret });
    const text = json(await counted());
    expect(text).not.toMatch(/canary/);
    expect(text).not.toContain(key.secret.slice(5, 25));
  });
});
