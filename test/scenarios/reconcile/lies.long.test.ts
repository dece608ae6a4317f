// Upstreams that contradict themselves or send unreadable answers. They never make a day complete, and every check ends.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { Cause } from '../../../server/contract/codes.ts';
import { always, storeDayAt } from '../../../server/store-day.ts';
import { openReconciling, openUpstream, type Reconciling, salesOf, signAsItIs } from '../../support/reconciling.ts';

const DAY = '2025-10-09';
const MORNING = `${DAY}T07:00:00Z`;
const HOUR = 3_600_000;

interface Sent {
  readonly external_id: string;
  readonly type: string;
  readonly timestamp: string;
}

interface Question {
  /** The beginning of the queried range, as a time without a zone. */
  readonly from: string;
  readonly isList: boolean;
  /** The number of this query, counted from 1. */
  readonly number: number;
}

interface Truth {
  readonly raw_transaction_count: number;
  readonly next_cursor: string | null;
  readonly raw_transactions?: readonly Sent[];
}

interface Liar {
  /** Makes the false answer from the true answer. A text is sent unchanged. */
  readonly answer: (truth: Truth, question: Question) => object | string;
  readonly status?: (question: Question) => number;
  readonly loses?: string;
}

/** Opens an upstream that accepts every record and answers queries falsely. */
async function openLiar({ answer, status = () => 200, loses }: Liar) {
  const sent = new Map<string, Sent>();
  let asked = 0;
  const server = createServer((req, res) => {
    void (async () => {
      res.setHeader('content-type', 'application/json');
      if (req.method === 'POST') {
        const record = (await json(req)) as Sent;
        if (record.external_id !== loses) sent.set(record.external_id, record);
        return void res.writeHead(201).end('{}');
      }
      const parameters = new URL(req.url ?? '', 'http://upstream').searchParams;
      const [from = '', to = ''] = ['timestamp_gte', 'timestamp_lt'].map((name) => parameters.get(name) ?? '');
      const question = { from, isList: parameters.get('expand') === 'raw_transactions', number: (asked += 1) };
      const records = [...sent.values()].filter(({ timestamp }) => timestamp >= from && timestamp < to);
      const count = { raw_transaction_count: records.length, next_cursor: null };
      const said = answer(question.isList ? { ...count, raw_transactions: records } : count, question);
      res.writeHead(status(question)).end(typeof said === 'string' ? said : JSON.stringify(said));
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

const verdictsOf = ({ verdicts }: Reconciling): string[] =>
  verdicts.map(({ day, verdict }) => `${day.date} ${verdict}`);

describe('an upstream that contradicts itself', () => {
  test.each<[string, Liar['answer']]>([
    ['counts fewer than it lists', (truth) => ({ ...truth, raw_transaction_count: 17 })],
    ['counts more than it lists', (truth) => ({ ...truth, raw_transaction_count: 23 })],
    ['counts a million', (truth) => ({ ...truth, raw_transaction_count: 1_000_000 })],
    [
      'gives ever new cursors',
      (truth, { isList, number }) => ({ ...truth, raw_transaction_count: isList ? 20 : 19, next_cursor: `c${number}` }),
    ],
  ])('an upstream that %s: cannot tell, after few queries', async (_name, answer) => {
    const upstream = await openLiar({ answer });
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(20, MORNING));
    await shop.check(DAY);
    expect(verdictsOf(shop)).toEqual([`${DAY} cannot tell`]);
    expect(upstream.asked()).toBeLessThan(50);
  });

  test('parts that do not add up do not hide a missing sale', async () => {
    // Counts of parts of the day are one too low, so a part with a missing sale could seem complete.
    const answer: Liar['answer'] = (truth, { isList }) => {
      const { raw_transaction_count: count } = truth;
      return isList || count === 0 || count >= 990 ? truth : { ...truth, raw_transaction_count: count - 1 };
    };
    const shop = await openReconciling(await openLiar({ answer, loses: 'S-900' }));
    await shop.sell(salesOf(1000, MORNING, 10));
    for (let n = 1; n <= 2; n++) {
      shop.clock.skip(5 * HOUR);
      await shop.check(DAY, DAY, { actor: 'gateway' });
      await shop.settle(); // delivers the records that the check has queued again
    }
    const { day, findings } = await shop.day(DAY);
    expect(day.verdict).toBe('differs');
    expect(findings.map(({ kind, externalId }) => `${kind}: ${externalId}`)).toContain('missing upstream: S-900');
  });
});

describe('an unreadable answer', () => {
  const listed = (more: object): string =>
    JSON.stringify({
      raw_transaction_count: 1,
      next_cursor: null,
      raw_transactions: [{ external_id: 'a', type: 'sale', timestamp: MORNING, ...more }],
    });

  test.each<[string, number, string]>([
    ['a count that is text', 200, '{"raw_transaction_count":"0"}'],
    ['no JSON', 200, 'none'],
    ['a refusal', 400, '{"code":"range"}'],
    ['a refusal as of a record', 422, '{}'],
    ['an id with half a character', 200, listed({ external_id: 'a\ud800' })],
    ['an invalid time', 200, listed({ timestamp: 'noon' })],
  ])('%s: cannot tell, and the check continues with the next day', async (_name, code, text) => {
    const isOfDayBefore = ({ from }: Question): boolean => from < '2025-10-08T22';
    const upstream = await openLiar({
      answer: (truth, question) => (isOfDayBefore(question) ? text : truth),
      status: (question) => (isOfDayBefore(question) ? code : 200),
    });
    const shop = await openReconciling(upstream);
    await shop.sell({ a: MORNING });
    await shop.check('2025-10-08', DAY);
    expect(verdictsOf(shop)).toEqual(['2025-10-08 cannot tell', `${DAY} complete`]);
    expect(shop.verdicts[0]?.reasons).toMatchObject([{ code: 'upstream_unreadable' }]);
  });

  test.each<[name: string, code: number, text: string, cause: Cause]>([
    ['400', 400, '{"code":"range"}', { code: 'question_refused', detail: '400' }],
    ['{"hello":1}', 200, '{"hello":1}', { code: 'not_understood', detail: '200: raw_transaction_count' }],
    ['no JSON', 200, 'none', { code: 'not_understood', detail: '200: JSON' }],
    [
      'a count of 22 and a list of 19',
      200,
      JSON.stringify({
        raw_transaction_count: 22,
        next_cursor: null,
        raw_transactions: Array.from({ length: 19 }, (_, i) => ({
          external_id: `S-${i + 1}`,
          type: 'sale',
          timestamp: MORNING,
        })),
      }),
      { code: 'numbers_disagree', detail: '22 ≠ 19' },
    ],
  ])('an unreadable answer is no check and does not confirm a complete day: %s', async (_name, code, text, cause) => {
    let isLying = false;
    const upstream = await openLiar({
      answer: (truth) => (isLying ? text : truth),
      status: () => (isLying ? code : 200),
    });
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(20, MORNING));
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY);
    expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', isProvisional: false });
    isLying = true;
    await shop.check(DAY);
    expect((await shop.day(DAY)).day).toMatchObject({
      verdict: 'cannot tell',
      reasons: [{ code: 'upstream_unreadable', cause }],
      basis: null,
      upstream: null,
    });
    isLying = false;
    await shop.check(DAY);
    expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', isProvisional: false });
  });

  test("an unreadable answer makes today 'cannot tell'", async () => {
    const upstream = await openLiar({ answer: () => '{"hello":1}' });
    const shop = await openReconciling(upstream);
    const today = storeDayAt(shop.clock.now(), always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 0 })).date;
    await shop.check(today);
    expect((await shop.day(today)).day).toMatchObject({
      verdict: 'cannot tell',
      reasons: [{ code: 'upstream_unreadable' }, { code: 'not_over' }],
    });
  });
});

test('no query is made about a day that has no hours after a change of the zone', async () => {
  const upstream = await openUpstream();
  const shop = await openReconciling(upstream);
  await shop.store.setup.changeAdministration('Bakery', { timeZone: 'Pacific/Pago_Pago' }, 'test');
  await signAsItIs(shop.days, shop.journalId, DAY);
  await shop.store.setup.changeAdministration('Bakery', { timeZone: 'Pacific/Kiritimati' }, 'test');
  const { from, to } = (await shop.day('2025-10-10')).day;
  expect(to - from).toBe(0);
  await shop.check('2025-10-10');
  expect(verdictsOf(shop)).toEqual(['2025-10-10 complete']);
  expect(upstream.summary().queries).toBe(0);
});
