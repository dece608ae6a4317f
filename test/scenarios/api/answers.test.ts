// The answers to tills and other senders, member by member.

import { afterAll, beforeEach, describe, expect, test } from 'vitest';

import { rangeDocument, receipt } from '../../../server/api/schema.ts';
import { anyNumber, textLike } from '../../support/api/matchers.ts';
import { PATHS } from '../../support/api/refusal-table.ts';
import { bodyOf, type BodyParts, getRange, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestKey } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

/** A key of a new administration, so that every test starts with an empty journal. */
let key: TestKey;
let made = 0;
beforeEach(async () => {
  made += 1;
  key = await gateway.makeKey({ administration: `Shop ${made}`, mode: 'production' });
});

const MILLISECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const NOON = '2026-11-20T12:00:00Z';

describe.each(PATHS)('POST %s', (path) => {
  const send = (parts: BodyParts) =>
    postBody(gateway.apiUrl, key.secret, bodyOf({ external_id: 'T1-1', timestamp: NOON, ...parts }), path);
  const receiptLike = (status: string) => ({
    record_id: anyNumber,
    external_id: 'T1-1',
    type: 'sale',
    timestamp: NOON,
    status,
    received_at: textLike(MILLISECONDS),
  });

  test('a new record is 201 with its receipt and nothing else', async () => {
    const from = Date.now();
    const answer = await send({ object: '{"total":12.5}' });
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(answer.json()).toEqual(receiptLike('NEW'));
    expect(receipt.strict().safeParse(answer.json()).error).toBeUndefined();
    const receivedAt = Date.parse(String(answer.json()['received_at']));
    expect(receivedAt).toBeGreaterThanOrEqual(from);
    expect(receivedAt).toBeLessThanOrEqual(Date.now());
  });

  test('the same content again is 200 IGNORED and names the original', async () => {
    const original = (await send({ object: '{"total":12.5,"lines":[1]}' })).json()['record_id'];
    const answer = await send({ object: '{ "lines": [1.0], "total": 125e-1 }', more: '"clerk":"Ann"' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(answer.json()).toEqual({ ...receiptLike('IGNORED'), original_record_id: original });
    expect(answer.json()['record_id']).not.toBe(original);
    expect(receipt.strict().safeParse(answer.json()).error).toBeUndefined();
  });

  test('other content is 200 ERROR, names the original and where it differs', async () => {
    const original = (await send({ object: '{"total":12.5,"lines":[{"n":1}],"a/b~c":1}' })).json()['record_id'];
    const answer = await send({
      type: 'refund',
      timestamp: '2026-11-20T12:00:01Z',
      object: '{"total":12.05,"lines":[{"n":2}],"a/b~c":2}',
    });
    expect(answer.status).toBe(200);
    const { differences, ...rest } = answer.json() as { differences: string[] };
    expect(rest).toEqual({
      ...receiptLike('ERROR'),
      type: 'refund',
      timestamp: '2026-11-20T12:00:01Z',
      original_record_id: original,
    });
    expect(differences.toSorted()).toEqual([
      '/object/a~1b~0c',
      '/object/lines/0/n',
      '/object/total',
      '/timestamp',
      '/type',
    ]);
    expect(receipt.strict().safeParse(answer.json()).error).toBeUndefined();
  });

  test('every later resend is compared with the original, not with the resends in between', async () => {
    const original = (await send({ object: '{"total":1}' })).json()['record_id'];
    const statuses = [];
    for (const total of [2, 2, 1, 3]) {
      const answer = (await send({ object: `{"total":${total}}` })).json();
      expect(answer['original_record_id']).toBe(original);
      statuses.push(answer['status']);
    }
    expect(statuses).toEqual(['ERROR', 'ERROR', 'IGNORED', 'ERROR']);
  });

  test('a body with a repeated member equals only the same bytes', async () => {
    const body = bodyOf({ external_id: 'T1-1', timestamp: NOON, object: '{"a":1,"a":1}' });
    const outcomes = [];
    for (const text of [body, body, ` ${body}`, body.replace('"a":1,"a":1', '"a":1')]) {
      const { status, differences } = (await postBody(gateway.apiUrl, key.secret, text, path)).json();
      outcomes.push([status, differences]);
    }
    expect(outcomes).toEqual([
      ['NEW', undefined],
      ['IGNORED', undefined],
      ['ERROR', ['/object']],
      ['ERROR', ['/object']],
    ]);
  });

  test('tills of one administration share ids, and both paths are the same interface', async () => {
    const sibling = await gateway.makeKey({
      administration: key.administration,
      mode: 'production',
      label: 'Second till',
    });
    const otherPath = PATHS.find((other) => other !== path);
    const first = (await send({})).json();
    const second = (
      await postBody(gateway.apiUrl, sibling.secret, bodyOf({ external_id: 'T1-1', timestamp: NOON }), otherPath)
    ).json();
    expect(second).toMatchObject({ status: 'IGNORED', original_record_id: first['record_id'] });
  });
});

describe.each(PATHS)('GET %s', (path) => {
  const post = (external_id: string, timestamp: string, type = 'sale') =>
    postBody(gateway.apiUrl, key.secret, bodyOf({ external_id, timestamp, type }));
  const ask = (more: Record<string, string>) => getRange(gateway.apiUrl, key.secret, more, path);

  test('a query without expand returns only the count', async () => {
    await post('a', NOON);
    for (const more of [{}, { expand: 'none' }]) {
      const answer = await ask(more);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
      expect(answer.json()).toEqual({
        timestamp_gte: '2026-11-20T00:00:00',
        timestamp_lt: '2026-11-21T00:00:00',
        raw_transaction_count: 1,
        limit: 500,
        next_cursor: null,
      });
      expect(rangeDocument.strict().safeParse(answer.json()).error).toBeUndefined();
    }
  });

  test('only NEW records are counted and listed: one per external_id', async () => {
    for (const timestamp of [NOON, NOON, '2026-11-20T13:00:00Z']) await post('a', timestamp);
    const answer = (await ask({ expand: 'raw_transactions' })).json();
    expect(answer['raw_transaction_count']).toBe(1);
    expect(answer['raw_transactions']).toEqual([{ external_id: 'a', type: 'sale', timestamp: '2026-11-20T12:00:00' }]);
  });

  test('records are listed by timestamp, then by arrival, without zone suffix', async () => {
    await post('late', '2026-11-20T23:59:59Z');
    await post('noon 2', NOON, 'refund');
    await post('early', '2026-11-20T00:00:00Z');
    await post('noon 1', NOON);
    await post('next day', '2026-11-21T00:00:00Z');
    await post('day before', '2026-11-19T23:59:59Z');
    const answer = (await ask({ expand: 'raw_transactions' })).json();
    expect(answer).toEqual({
      timestamp_gte: '2026-11-20T00:00:00',
      timestamp_lt: '2026-11-21T00:00:00',
      raw_transaction_count: 4,
      limit: 500,
      next_cursor: null,
      raw_transactions: [
        { external_id: 'early', type: 'sale', timestamp: '2026-11-20T00:00:00' },
        { external_id: 'noon 2', type: 'refund', timestamp: '2026-11-20T12:00:00' },
        { external_id: 'noon 1', type: 'sale', timestamp: '2026-11-20T12:00:00' },
        { external_id: 'late', type: 'sale', timestamp: '2026-11-20T23:59:59' },
      ],
    });
    expect(rangeDocument.strict().safeParse(answer).error).toBeUndefined();
  });

  test('an empty range has count 0 and an empty list', async () => {
    expect((await ask({ expand: 'raw_transactions' })).json()).toMatchObject({
      raw_transaction_count: 0,
      next_cursor: null,
      raw_transactions: [],
    });
  });

  test('a full last page has no next_cursor; with one more record it has one', async () => {
    await post('a', NOON);
    await post('b', NOON);
    expect((await ask({ expand: 'raw_transactions', limit: '2' })).json()['next_cursor']).toBeNull();
    const page = (await ask({ expand: 'raw_transactions', limit: '1' })).json();
    expect(page).toMatchObject({
      raw_transaction_count: 2,
      limit: 1,
      next_cursor: textLike(/^[\w-]+$/),
      raw_transactions: [{ external_id: 'a' }],
    });
    const last = (await ask({ expand: 'raw_transactions', limit: '1', cursor: String(page['next_cursor']) })).json();
    expect(last).toMatchObject({
      raw_transaction_count: 2,
      next_cursor: null,
      raw_transactions: [{ external_id: 'b' }],
    });
  });

  test('a query with a type counts only records of that type', async () => {
    await post('a', NOON, 'sale');
    await post('b', NOON, 'refund');
    expect((await ask({ type: 'refund', expand: 'raw_transactions' })).json()).toMatchObject({
      raw_transaction_count: 1,
      raw_transactions: [{ external_id: 'b', type: 'refund' }],
    });
    expect((await ask({ type: 'Sale' })).json()['raw_transaction_count']).toBe(0);
  });

  test('a query never writes: repeating it changes nothing', async () => {
    await post('a', NOON);
    const before = await gateway.countRecords();
    const [first, second] = [await ask({ expand: 'raw_transactions' }), await ask({ expand: 'raw_transactions' })];
    expect(second?.json()).toEqual(first?.json());
    expect(await gateway.countRecords()).toEqual(before);
  });
});
