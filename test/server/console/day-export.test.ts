// The exports of store days. The sums for bookkeeping have one row per day, type and till.

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { AmountRule } from '../../../server/contract/amounts.ts';
import { enter, type Window } from '../../support/console.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestKey } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());
const { production: counter, store } = gateway;
const RULE: AmountRule = { type: 'sale', total: '/total', currency: '/currency', payment: null, sign: 'as sent' };
let window: Window;

async function sell(key: TestKey, external_id: string, timestamp: string, object: object, type = 'sale') {
  const body = bodyOf({ external_id, timestamp, type, object: JSON.stringify(object) });
  expect((await postBody(gateway.apiUrl, key.secret, body)).json()).toHaveProperty('record_id');
}

beforeAll(async () => {
  window = await enter(gateway);
  await store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam' }, 'test');
  const bar = await gateway.makeKey({ mode: 'production', label: 'Bar' });
  await sell(counter, 'A-1', '2026-11-02T09:00:00Z', { total: 0.1, currency: 'EUR' });
  await sell(counter, 'A-2', '2026-11-02T22:59:59Z', { total: 0.2, currency: 'EUR' });
  await sell(counter, 'A-2', '2026-11-02T22:59:59Z', { total: 0.2, currency: 'EUR' }); // a repeat
  await sell(counter, 'A-2', '2026-11-02T22:59:59Z', { total: 9, currency: 'EUR' }); // a conflict
  await sell(bar, 'B-1', '2026-11-02T10:00:00Z', { total: '7.00', currency: 'CHF' });
  // midnight in the store's time zone
  await sell(counter, 'A-3', '2026-11-02T23:00:00Z', { total: '1234.50', currency: 'EUR' });
  await sell(counter, 'R-1', '2026-11-02T23:30:00Z', { total: 5, currency: 'EUR' }, 'refund');
});

async function exported(query = ''): Promise<string[]> {
  const path = '/api/days/tills/export?from=2026-11-01&to=2026-11-30&journal=';
  const answer = await window.get(`${path}${counter.journalId}${query}`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers['content-disposition']).toContain('"Bakery 2026-11-01 2026-11-30 tills.csv"');
  return answer.text
    .replace(/^\uFEFF/, '')
    .trim()
    .split('\n');
}

test('without a rule for amounts, the sums of tills have only the sales, without repeats and conflicts', async () => {
  expect(await exported()).toEqual([
    'day,interface,type,till,sales,without_amount',
    '2026-11-02,current,sale,Bar,1,',
    '2026-11-02,current,sale,Counter,2,',
    '2026-11-03,current,refund,Counter,1,',
    '2026-11-03,current,sale,Counter,1,',
  ]);
});

test('the sums of tills are exact, one per currency, and name the sales without an amount', async () => {
  await store.amounts.setRule('Bakery', 'sale', RULE, 'test');
  await expect
    .poll(() => exported('&format=semicolon'))
    .toEqual([
      'day;interface;type;till;sales;amount (CHF);amount (EUR);without_amount',
      '2026-11-02;current;sale;Bar;1;7,00;;0',
      '2026-11-02;current;sale;Counter;2;;0,30;0',
      '2026-11-03;current;refund;Counter;1;;;1',
      '2026-11-03;current;sale;Counter;1;;1234,50;0',
    ]);
});
