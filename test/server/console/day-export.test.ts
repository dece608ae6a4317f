// The exports of store days. The sums for bookkeeping have one row per day, type and till.

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

import type { AmountRule } from '../../../server/contract/amounts.ts';
import { MAX_LISTED } from '../../../server/contract/days.ts';
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

test('the list of days has only days with a verdict: from the first sale to today', async () => {
  const list = async (from: string, to: string): Promise<(string | undefined)[]> => {
    const { text } = await window.get(`/api/days/export?journal=${counter.journalId}&from=${from}&to=${to}`);
    const [, ...rows] = text.trim().split('\n');
    return rows.map((row) => row.split(',')[0]);
  };
  expect(await list('2026-10-30', '2026-11-03')).toEqual(['2026-11-02', '2026-11-03']);
  expect(await list('2026-10-01', '2026-10-31')).toEqual([]);
});

test('the file of a day names every id behind its numbers, but no query of the store returns more than a page', async () => {
  const { journalId } = counter;
  const named = (word: string, count = 2 * MAX_LISTED + 1): string[] =>
    Array.from({ length: count }, (_, i) => `${word} ${String(i).padStart(4, '0')}`);
  const totals = ['cash', 'card'].map((type) => ({ type, ids: named(`${type} gone`) }));
  await store.declared.declare(
    journalId,
    [
      ...totals.map(({ type, ids }) => ({ date: '2026-11-05', type, tillId: null, records: ids.length, ids })),
      { date: '2026-11-05', type: 'sale', tillId: counter.tillId, records: 1, ids: ['S-1'] },
    ],
    { actor: 'Ann', source: 'typed' },
  );
  await sell(counter, 'S-1', '2026-11-05T09:00:00Z', { total: 1 });
  await sell(counter, 'S-2', '2026-11-05T09:00:00Z', { total: 1 });
  const day = { from: Date.UTC(2026, 10, 4, 23) / 1000, to: Date.UTC(2026, 10, 5, 23) / 1000, date: '2026-11-05' };
  const verdictId = await store.verdicts.add({
    journalId,
    day,
    at: Date.UTC(2026, 10, 6),
    verdict: 'differs',
    isProvisional: false,
    reasons: [],
    notes: [],
    basis: 'ids',
    url: null,
    here: 2,
    open: 0,
    upstream: 2,
    earlier: 0,
    earlierTaken: 0,
    declared: null,
  });
  const found = named('found');
  const finding = { kind: 'missing here', recordId: null, type: 'sale', soldAt: day.from } as const;
  await store.verdicts.addFindings(
    verdictId,
    found.map((externalId) => ({ ...finding, externalId })),
  );

  const spies = [
    vi.spyOn(store.verdicts, 'listFindings'),
    vi.spyOn(store.declared, 'compareDay'),
    vi.spyOn(store.declared, 'listMissing'),
    vi.spyOn(store.declared, 'listUndeclared'),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  const answer = await window.get(`/api/days/2026-11-05/export?journal=${journalId}`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text.trim().split('\n').slice(1)).toEqual([
    ...found.map((id) => `missing here,${id},sale,2026-11-05 00:00:00,2026-11-04T23:00:00Z,,`),
    ...named('card gone').map((id) => `"declared, not here",${id},card,,,,`),
    ...named('cash gone').map((id) => `"declared, not here",${id},cash,,,,`),
    '"here, not declared",S-2,sale,,,Counter,',
  ]);
  for (const { mock } of spies)
    for (const [query] of mock.calls)
      expect('limit' in query ? query.limit : 'maxListed' in query && query.maxListed).toBeLessThanOrEqual(MAX_LISTED);
});
