// The API of amounts: a manager confirms a proposal while tills sell. After that, the answers contain amounts.

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { AmountsView } from '../../../server/contract/amounts.ts';
import type { DaysView, DayView } from '../../../server/contract/days.ts';
import type { OverviewView } from '../../../server/contract/overview.ts';
import type { RecordDetail, RecordPage } from '../../../server/contract/records.ts';
import { enter, type Window } from '../../support/console.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { waitUntil } from '../../support/wait-until.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());
const journal = gateway.production.journalId;
const now = new Date();
const timestamp = `${now.toISOString().slice(0, 19)}Z`;
let window: Window;

async function get<View>(path: string): Promise<View> {
  const { status, text } = await window.get(path);
  expect(status, text).toBe(200);
  return JSON.parse(text) as View;
}

async function sell(externalId: string, total: unknown): Promise<void> {
  const object = JSON.stringify({ total, currency: 'EUR', payment: { method: 'PIN' } });
  const { apiUrl, production } = gateway;
  const { status } = await postBody(apiUrl, production.secret, bodyOf({ external_id: externalId, timestamp, object }));
  expect(status).toBe(201);
}

async function idsOf(query: string): Promise<string[]> {
  const { records } = await get<RecordPage>(`/api/records?journal=${journal}&${query}`);
  return records.map(({ externalId }) => externalId).toSorted();
}

beforeAll(async () => {
  window = await enter(gateway);
  await sell('T1-000411', 12.5);
  await sell('T1-000412', '12.50');
});

test('the proposal becomes the rule, and every answer has the amounts of old and new records', async () => {
  const { suggestions } = await get<AmountsView>(`/api/amounts?journal=${journal}`);
  expect(suggestions).toMatchObject([{ readable: 2, example: { amount: { currency: 'EUR', value: '12.50' } } }]);
  const { type = '', ...rule } = suggestions[0]?.rule ?? {};
  const { status } = await window.send('PUT', '/api/amounts', { journal, type, rule });
  expect(status).toBe(200);
  await sell('T2-000413', 3);
  await sell('T2-000414', null);
  await waitUntil(async () => (await get<AmountsView>(`/api/amounts?journal=${journal}`)).rules[0]?.fill === null);

  const sums = [
    { currency: 'EUR', value: '28.00', withoutAmount: 0 },
    { currency: null, value: '0.00', withoutAmount: 1 },
  ];
  const overview = await get<OverviewView>(`/api/overview?journal=${journal}`);
  expect(overview.amounts).toEqual(sums);
  expect(overview.tills.flatMap(({ amounts }) => amounts)).toEqual(sums);
  const { date } = overview.day;
  const { days } = await get<DaysView>(`/api/days?journal=${journal}&from=${date}&to=${date}`);
  expect(days.map(({ amounts }) => amounts)).toEqual([sums]);
  const { rows } = await get<DayView>(`/api/days/${date}?journal=${journal}`);
  expect(rows.map(({ amounts }) => amounts)).toEqual([sums]);
  const { records, isFilling } = await get<RecordPage>(`/api/records?journal=${journal}&amount=12,50`);
  expect(isFilling).toBe(false);
  expect(records.map(({ amount }) => amount)).toEqual(Array(2).fill({ currency: 'EUR', value: '12.50' }));
  const detail = await get<RecordDetail>(`/api/records/${records[0]?.recordId}`);
  expect(detail).toMatchObject({ payment: 'PIN', record: { amount: { value: '12.50' } } });
});

test.each([
  ['amount=12,50', ['T1-000411', 'T1-000412']],
  ['amount=12.5', ['T1-000411', 'T1-000412']],
  ['amount=€ 3,00', ['T2-000413']],
  ['amount=12.51', []],
  ['idEnd=0412', ['T1-000412']],
  ['idEnd=13&amount=3', ['T2-000413']],
  ['idEnd=000412&id=T1', ['T1-000412']],
  [
    `idEnd=411&from=${Math.floor(now.getTime() / 1000) - 60}&to=${Math.floor(now.getTime() / 1000) + 60}`,
    ['T1-000411'],
  ],
])('a search for %s', async (query, ids) => {
  expect(await idsOf(encodeURI(query))).toEqual(ids);
});

test.each([
  ['a word', 'amount=much', 400],
  ['nothing', 'amount=', 400],
  ['40 digits', `amount=${'9'.repeat(40)}`, 400],
])('a search for the amount of %s is refused by its name', async (_what, query, status) => {
  const answer = await window.get(`/api/records?journal=${journal}&${query}`);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('amount')]);
});

test.each([
  ['rule/total', { total: '/object/~2' }],
  ['rule/total', { total: '' }],
  ['rule/currency', { currency: '€' }],
  ['rule/payment', { payment: '' }],
])('a wrong %s is refused by its name', async (field, change) => {
  const rule = { total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent', ...change };
  const { status, text } = await window.send('PUT', '/api/amounts', { journal, type: 'sale', rule });
  expect(status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ errors: [{ pointer: `/${field}` }] });
});

/** The cells of a column in an export of records. */
async function exportedCells(name: string): Promise<(string | undefined)[]> {
  const { text } = await window.get(`/api/records.csv?journal=${journal}&order=oldest&format=semicolon`);
  const [columns = [], ...rows] = text.split(/\n(?!$)/).map((line) => line.split(';'));
  return rows.map((row) => row[columns.indexOf(name)]);
}

test('an export has the amount and the payment method of each record', async () => {
  expect(await exportedCells('amount')).toEqual(['12,50', '12,50', '3,00', '']);
  expect(await exportedCells('payment')).toEqual(['PIN', 'PIN', 'PIN', 'PIN']);
});

test('a rule can be removed once', async () => {
  const body = { journal, type: 'sale', rule: null };
  expect((await window.send('PUT', '/api/amounts', body)).status).toBe(200);
  expect((await get<OverviewView>(`/api/overview?journal=${journal}`)).amounts).toEqual([]);
  expect((await window.send('PUT', '/api/amounts', body)).status).toBe(404);
  expect(await exportedCells('payment')).toEqual(['', '', '', '']);
});
