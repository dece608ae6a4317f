// A key sees only the records of its own journal: modes and administrations never mix.

import { afterAll, expect, test } from 'vitest';

import { bodyOf, getRange, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());
const { production } = gateway;

test('a production key never sees test records, and a test key never sees production records', async () => {
  const { test: testKey } = gateway;
  const of = (external_id: string): string =>
    bodyOf({ external_id, timestamp: '2026-03-01T12:00:00Z', object: `{"id":"${external_id}"}` });
  const day = {
    timestamp_gte: '2026-03-01T00:00:00',
    timestamp_lt: '2026-03-02T00:00:00',
    expand: 'raw_transactions',
  };
  for (const id of ['shared', 'p1']) await postBody(gateway.apiUrl, production.secret, of(id));
  const [shared, own] = [
    await postBody(gateway.apiUrl, testKey.secret, of('shared')),
    await postBody(gateway.apiUrl, testKey.secret, of('t1')),
  ];
  expect([shared?.json()['status'], own?.json()['status']]).toEqual(['NEW', 'NEW']);
  const idsFor = async (secret: string): Promise<unknown> =>
    ((await getRange(gateway.apiUrl, secret, day)).json()['raw_transactions'] as { external_id: string }[]).map(
      ({ external_id }) => external_id,
    );
  expect(await idsFor(production.secret)).toEqual(['shared', 'p1']);
  expect(await idsFor(testKey.secret)).toEqual(['shared', 't1']);
});

test('one administration never sees the records of another', async () => {
  const stranger = await gateway.makeKey({ administration: 'Butcher', mode: 'production', label: 'Counter' });
  expect((await postBody(gateway.apiUrl, production.secret, bodyOf())).status).toBe(201);
  expect((await getRange(gateway.apiUrl, stranger.secret)).json()['raw_transaction_count']).toBe(0);
});

test('a key for both interfaces can also use the current one', async () => {
  const both = await gateway.makeKey({ interface: 'both' });
  expect((await postBody(gateway.apiUrl, both.secret, bodyOf())).status).toBe(201);
});
