// The missing receipt numbers of a store day, through a real gateway.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import type { GapsView } from '../../../server/contract/gaps.ts';
import { enter, type Window } from '../../support/console.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';

let gateway: TestGateway;
let window: Window;
let journal: number;

const idOf = (number: number): string => `T3-${String(number).padStart(6, '0')}`;

beforeAll(async () => {
  gateway = await openTestGateway();
  journal = gateway.production.journalId;
  await gateway.store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }, 'test');
  const kiosk = await gateway.makeKey({ mode: 'production', label: 'Kiosk' });
  const post = (number: number, timestamp: string, { secret } = gateway.production) =>
    postBody(gateway.apiUrl, secret, bodyOf({ external_id: idOf(number), timestamp }));
  // The store day of 20 November begins at 03:00 UTC.
  await post(411, '2026-11-20T02:59:59Z');
  for (let number = 412; number < 512; number++) {
    if (number === 500 || number === 501) continue;
    // One sale comes from a till whose clock is a day behind.
    const timestamp = number === 450 ? '2026-11-19T10:00:00Z' : '2026-11-20T03:00:00Z';
    await post(number, timestamp, number % 3 === 0 ? kiosk : undefined);
  }
  window = await enter(gateway);
});
afterAll(() => gateway.close());

const read = async (date: string): Promise<GapsView> => {
  const { status, text } = await window.get(`/api/days/${date}/gaps?journal=${journal}`);
  expect(status, text).toBe(200);
  return JSON.parse(text) as GapsView;
};

test('the sequences of a day show skipped numbers, but not numbers that are stored under another day', async () => {
  expect(await read('2026-11-20')).toEqual({
    sequences: [
      {
        prefix: 'T3-',
        tills: ['Counter', 'Kiosk'],
        first: 'T3-000412',
        last: 'T3-000511',
        here: 97,
        skipped: 2,
        gaps: [{ from: 'T3-000500', to: 'T3-000501', between: null }],
        sureness: 'almost certain',
      },
    ],
    isPartial: false,
  });
});

test('a number skipped between the last sale of one day and the first of the next is found from both', async () => {
  const shop = await openTestGateway();
  onTestFinished(() => shop.close());
  await shop.store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam' }, 'test');
  const { secret, journalId } = shop.production;
  /** Sells these numbers, a minute apart, starting at `at`. */
  const sell = async (from: number, to: number, at: string): Promise<void> => {
    for (let number = from; number <= to; number++) {
      const timestamp = `${new Date(Date.parse(at) + (number - from) * 60_000).toISOString().slice(0, 19)}Z`;
      const body = bodyOf({ external_id: `T2-${String(number).padStart(6, '0')}`, timestamp });
      expect((await postBody(shop.apiUrl, secret, body)).status).toBe(201);
    }
  };
  await sell(400, 411, '2026-11-18T10:00:00Z');
  await sell(414, 433, '2026-11-20T10:00:00Z'); // the shop was closed the day before
  await sell(434, 438, '2026-11-21T10:00:00Z');
  const found = await enter(shop);
  const gapsOf = async (date: string) => {
    const { text } = await found.get(`/api/days/${date}/gaps?journal=${journalId}`);
    return (JSON.parse(text) as GapsView).sequences.map(({ first, last, here, skipped, gaps }) => ({
      first,
      last,
      here,
      skipped,
      gaps,
    }));
  };
  const gaps = [{ from: 'T2-000412', to: 'T2-000413', between: ['2026-11-18', '2026-11-20'] }];
  expect(await gapsOf('2026-11-18')).toEqual([{ first: 'T2-000400', last: 'T2-000411', here: 12, skipped: 2, gaps }]);
  expect(await gapsOf('2026-11-20')).toEqual([{ first: 'T2-000414', last: 'T2-000433', here: 20, skipped: 2, gaps }]);
  expect(await gapsOf('2026-11-21')).toEqual([
    { first: 'T2-000434', last: 'T2-000438', here: 5, skipped: 0, gaps: [] },
  ]);
});

test('a day with few records belongs to the sequence of the day beside it', async () => {
  expect((await read('2026-11-19')).sequences).toMatchObject([
    { first: 'T3-000411', last: 'T3-000450', here: 2, skipped: 0, gaps: [] },
  ]);
});

test.each(['2026-11-21', '1900-01-01', '9999-12-31', '0001-01-01'])(
  'a day without records shows no sequences: %s',
  async (date) => {
    expect(await read(date)).toEqual({ sequences: [], isPartial: false });
  },
);

test.each(['2026-02-30', '2026-11-2', 'today', '20261120', '2026-11-20T00:00'])(
  'an invalid day shows nothing: %s',
  async (date) => {
    const answer = await window.get(`/api/days/${date}/gaps?journal=${journal}`);
    expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
  },
);

test.each([
  ['', 'query_invalid'],
  ['?journal=x', 'query_invalid'],
  ['?journal=1&till=1', 'query_invalid'],
  ['?journal=999', 'not_found'],
])('a call that does not name exactly one journal is refused: %j', async (query, code) => {
  expect((await window.get(`/api/days/2026-11-20/gaps${query}`)).json()).toMatchObject({ code });
});
