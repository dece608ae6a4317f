// The full detail of one record.

import { describe, expect, test } from 'vitest';

import type { Delivery } from '../../../../server/contract/records.ts';
import type { Settlement } from '../../../../server/store/outbox/ledger.ts';
import type { Arrival } from '../../../../server/store/records/ledger.ts';
import type { Store } from '../../../../server/store/store.ts';
import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const SOLD_AT = 1_760_000_000;
async function appendAll(store: Store, calls: readonly Arrival[]): Promise<void> {
  for (const call of calls) await store.records.append(call);
}

describe.each(engines)('the detail of a record on $name', ({ makeSite }) => {
  async function openWithKey(site = makeSite()) {
    const store = await site.open();
    const key = await makeKey(store);
    const callOf = (object: string, more: Partial<Arrival> = {}): Arrival => ({
      ...arrivalOf(key, { externalId: 'a', soldAt: SOLD_AT }),
      body: Buffer.from(`{"type":"sale","external_id":"a","timestamp":"2025-10-09T08:53:20Z","object":${object}}`),
      ...more,
    });
    return { store, key, callOf };
  }

  test('a record has its body and its delivery state; a missing record has no detail', async () => {
    const { store, callOf } = await openWithKey();
    await store.records.append(callOf('{"total": 12.50}'));
    expect(await store.records.get(1)).toEqual({
      record: {
        recordId: 1,
        administration: 'Bakery',
        mode: 'production',
        till: 'Till 1',
        keyId: 1,
        interface: 'current',
        version: null,
        method: null,
        status: 'NEW',
        originalId: null,
        externalId: 'a',
        type: 'sale',
        soldAt: SOLD_AT,
        receivedAt: SOLD_AT * 1000,
        bytes: 94,
        amount: null,
        clock: undefined,
        delivery: {
          state: 'waiting',
          attempts: 0,
          answeredAt: null,
          answerStatus: null,
          answer: null,
          cause: null,
          upstreamStatus: null,
          reason: null,
        },
      },
      body: '{"type":"sale","external_id":"a","timestamp":"2025-10-09T08:53:20Z","object":{"total": 12.50}}',
      payment: null,
      isIntact: true,
      isUnreadable: false,
      original: null,
      differences: [],
      repeats: [],
      hasMoreRepeats: false,
    });
    expect(await store.records.get(2)).toBeUndefined();
    expect(await store.records.getBody(2)).toBeUndefined();
  });

  describe('the cause of a failure and the answer are separate fields', () => {
    const TROUBLE = 'cause:trouble 500';
    test.each<[name: string, settled: Pick<Settlement, 'state' | 'answerStatus' | 'answer'>, told: Partial<Delivery>]>([
      [
        'the record is tried again',
        { state: 'waiting', answerStatus: 500, answer: TROUBLE },
        { answer: null, cause: { code: 'trouble', detail: '500' } },
      ],
      [
        'the record is held, whatever the upstream says',
        { state: 'held', answerStatus: 422, answer: TROUBLE },
        { answer: TROUBLE, cause: null },
      ],
      [
        'the record is held and was never sent',
        { state: 'held', answerStatus: null, answer: 'cause:damaged' },
        { answer: null, cause: { code: 'damaged', detail: null } },
      ],
      [
        'an earlier version stored a sentence',
        { state: 'waiting', answerStatus: null, answer: 'The upstream does not answer (TIMEOUT).' },
        { answer: null, cause: { code: 'other', detail: 'The upstream does not answer (TIMEOUT).' } },
      ],
    ])('%s', async (_name, settled, told) => {
      const { store, callOf } = await openWithKey();
      await store.records.append(callOf('{}'));
      const laneId = store.outbox.lanes().find(({ interface: by }) => by === 'current')?.id ?? 0;
      const common = {
        recordId: 1,
        status: 'NEW',
        soldAt: SOLD_AT,
        attempts: 1,
        answeredAt: 1,
        upstreamStatus: null,
      } as const;
      await store.outbox.settle(laneId, [{ ...common, ...settled }]);
      expect((await store.records.get(1))?.record.delivery).toMatchObject(told);
    });
  });

  describe('a duplicate', () => {
    test('is shown with its original, and the original with its repeats, newest first', async () => {
      const { store, callOf } = await openWithKey();
      await appendAll(store, [callOf('{}'), callOf('{}'), callOf('{"a":1}')]);
      expect(await store.records.get(2)).toMatchObject({
        record: { status: 'IGNORED' },
        original: { record: { recordId: 1 } },
        differences: [],
        repeats: [],
      });
      expect(await store.records.get(1)).toMatchObject({
        original: null,
        repeats: [{ recordId: 3 }, { recordId: 2 }],
        hasMoreRepeats: false,
      });
    });

    test('on the earlier interface does not repeat a record of the current one', async () => {
      const { store, callOf } = await openWithKey();
      const earlier = {
        type: 'transaction',
        earlier: { version: 'v1', method: 'GET' },
        body: Buffer.from('transactionid=a'),
      } as const;
      await appendAll(store, [callOf('{}'), callOf('{}', earlier), callOf('{}', earlier)]);
      expect(await store.records.get(1)).toMatchObject({ repeats: [] });
      expect(await store.records.get(2)).toMatchObject({ repeats: [{ recordId: 3 }] });
    });

    test('fifty of very many are listed', async () => {
      const { store, callOf } = await openWithKey();
      await appendAll(
        store,
        Array.from({ length: 60 }, () => callOf('{}')),
      );
      const { repeats = [], hasMoreRepeats } = (await store.records.get(1)) ?? {};
      expect(hasMoreRepeats).toBe(true);
      expect(repeats.map(({ recordId }) => recordId)).toEqual(Array.from({ length: 50 }, (_, i) => 60 - i));
    });

    test.each([
      ['an amount as it was sent', '{"total":12.50}', '{"total": 1.205e1}', '/object/total', '12.50', '1.205e1'],
      [
        'a number beyond a float',
        '{"a":9196877626998784}',
        '{"a":9196877626998785}',
        '/object/a',
        '9196877626998784',
        '9196877626998785',
      ],
      ['a text with escapes', String.raw`{"a":"\u00e9"}`, '{"a":"e"}', '/object/a', String.raw`"\u00e9"`, '"e"'],
      ['a value only in the original', '{"a":null}', '{}', '/object/a', 'null', null],
      ['a value only in the resend', '{}', '{"a": [ 1, {"b":2} ]}', '/object/a', null, '[ 1, {"b":2} ]'],
      ['an item of a list', '{"a":[1,[2,3]]}', '{"a":[1,[2,4]]}', '/object/a/1/1', '3', '4'],
      ['names that a pointer escapes', '{"a/b~c":1,"a":2}', '{"a/b~c":"]","a":2}', '/object/a~1b~0c', '1', '"]"'],
      [
        'the object with a repeated name',
        '{"b": {"c":1,"c":1}}',
        '{"b":{"c":1}}',
        '/object/b',
        '{"c":1,"c":1}',
        '{"c":1}',
      ],
    ])('with other content is shown with %s', async (_name, before, after, pointer, original, resent) => {
      const { store, callOf } = await openWithKey();
      await appendAll(store, [callOf(before), callOf(after)]);
      expect(await store.records.get(2)).toMatchObject({
        record: { status: 'ERROR' },
        differences: [{ pointer, original, resent }],
      });
    });

    test('with another type and time is shown with both', async () => {
      const { store, callOf } = await openWithKey();
      const body = Buffer.from('{"type":"refund","external_id":"a","timestamp":"2025-10-09T08:53:21Z","object":{}}');
      await appendAll(store, [callOf('{}'), callOf('{}', { type: 'refund', soldAt: SOLD_AT + 1, body })]);
      expect((await store.records.get(2))?.differences).toEqual([
        { pointer: '/type', original: '"sale"', resent: '"refund"' },
        { pointer: '/timestamp', original: '"2025-10-09T08:53:20Z"', resent: '"2025-10-09T08:53:21Z"' },
      ]);
    });

    test('of the earlier interface is compared by parameters, in any form', async () => {
      const { store, callOf } = await openWithKey();
      const called = (method: 'GET' | 'POST', body: string) =>
        callOf('', { type: 'transaction', earlier: { version: 'v1', method }, body: Buffer.from(body) });
      await appendAll(store, [
        called('GET', 'transactionid=a&amount=12.50&till=1+b'),
        called('POST', '{"data":{"transactionid":"a","amount":12.05,"till":"1 b","x":{"y":1}}}'),
        called('GET', 'transactionid=a&amount=12.5&till=%22'),
      ]);
      expect((await store.records.get(2))?.differences).toEqual([
        { pointer: '/amount', original: '"12.50"', resent: '12.05' },
        { pointer: '/x', original: null, resent: '{"y":1}' },
      ]);
      expect((await store.records.get(3))?.differences).toEqual([
        { pointer: '/till', original: '"1 b"', resent: '"\\""' },
      ]);
    });

    test('with differences everywhere, in a megabyte, is shown with fifty places', async () => {
      const { store, callOf } = await openWithKey();
      const objectOf = (by: number): string =>
        JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`name ${i}`, i * by])));
      await appendAll(store, [callOf(objectOf(1)), callOf(objectOf(2))]);
      const { differences = [] } = (await store.records.get(2)) ?? {};
      expect(differences).toHaveLength(50);
      expect(differences[49]).toEqual({ pointer: '/object/name 50', original: '50', resent: '100' });
    });
  });
});
