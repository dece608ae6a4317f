// Resends of up to 1 MiB that are as costly as possible to compare with their originals. Each resend is answered, no answer is
// larger than its request, and the gateway continues. The time limit of each test is far above the time that a comparison may
// take.

import { expect, onTestFinished, test } from 'vitest';

import { type Answer, bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { waitUntil } from '../../support/wait-until.ts';

const list = (item: string, count: number): string => Array.from({ length: count }, () => item).join(',');
const members = (count: number, value: number): string =>
  Array.from({ length: count }, (_, i) => `"m${i}":${value}`).join(',');
const LONG_NAME = 'k'.repeat(900_000);
const LONG_NAME_OF_TWO_BYTES = `я${'k'.repeat(900_000)}`;

interface Resend {
  readonly name: string;
  /** The member `object` as JSON text. */
  readonly original: string;
  readonly resent: string;
  readonly status: 'IGNORED' | 'ERROR';
  /** How many resends of this kind are sent at the same time. */
  readonly atOnce?: number;
}

/** A resend with one more space. Its bytes differ, so both records must be parsed. */
const respaced = (name: string, original: string): Resend => ({
  name,
  original,
  resent: original.replace(':', ': '),
  status: 'IGNORED',
});

test.each<Resend>([
  respaced('340,000 empty objects', `{"a":[${list('{}', 340_000)}]}`),
  respaced('500,000 numbers', `{"a":[${list('1', 500_000)}]}`),
  respaced('100,000 members', `{"a":{${members(80_000, 0)}}}`),
  respaced('a number of 150,000 zeros between two ones', `{"a":1${'0'.repeat(150_000)}1}`),
  respaced('a number of a million digits', `{"a":${'9'.repeat(1_000_000)}}`),
  respaced('an exponent of 100,000 digits', `{"a":1e${'9'.repeat(100_000)}}`),
  respaced('a million spaces', `{"a":[${' '.repeat(1_000_000)}]}`),
  {
    name: 'sixty changes below a member whose name has a megabyte',
    original: `{"${LONG_NAME}":{${members(60, 1)}}}`,
    resent: `{"${LONG_NAME}":{${members(60, 2)}}}`,
    status: 'ERROR',
  },
  {
    name: 'sixty such changes, eight at once and in two-byte characters',
    original: `{"${LONG_NAME_OF_TWO_BYTES}":{${members(60, 1)}}}`,
    resent: `{"${LONG_NAME_OF_TWO_BYTES}":{${members(60, 2)}}}`,
    status: 'ERROR',
    atOnce: 8,
  },
  {
    name: '30,000 objects with a repeated member below a long name',
    original: `{"${'k'.repeat(500_000)}":[${list('{"":1,"":1}', 30_000)}]}`,
    resent: `{"${'k'.repeat(500_000)}":[${list('{"":1,"":1}', 29_999)}]}`,
    status: 'ERROR',
  },
  {
    name: '300,000 changes',
    original: `{"a":[${list('1', 300_000)}]}`,
    resent: `{"a":[${list('2', 300_000)}]}`,
    status: 'ERROR',
  },
])('a resend of $name is answered $status', async ({ original, resent, status, atOnce = 1 }) => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  // one key each, because the resends of one key share a small part of the thread's time
  const keys = await Promise.all(Array.from({ length: atOnce }, () => gateway.makeKey()));
  const sendAll = (object: string): Promise<Answer[]> =>
    Promise.all(
      keys.map(({ secret }, i) => postBody(gateway.apiUrl, secret, bodyOf({ external_id: `costly-${i}`, object }))),
    );
  for (const answer of await sendAll(original)) expect(answer.json()).toMatchObject({ status: 'NEW' });
  for (const answer of await sendAll(resent)) {
    expect(answer.json()).toMatchObject({ status });
    expect(answer.text.length).toBeLessThan(resent.length + 4096);
  }
  expect((await postBody(gateway.apiUrl, gateway.test.secret, bodyOf())).status).toBe(201);
});

const parameters = (value: string): string => Array.from({ length: 30_000 }, (_, i) => `"m${i}":${value}`).join(',');
test.each([
  ['30,000 parameters', parameters('10'), parameters('"1e1"'), 'IGNORED'],
  ['a text of a million digits', `"amount":"${'9'.repeat(1_000_000)}"`, `"amount":${'9'.repeat(1_000_000)}`, 'IGNORED'],
  [
    'a text that is a number except for its last character',
    `"amount":"${'9'.repeat(1_000_000)}x"`,
    `"amount":"${'9'.repeat(1_000_000)}y"`,
    'ERROR',
  ],
])(
  'on the earlier interface a resend of %s is answered, and the gateway continues',
  async (_name, original, resent, status) => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const { secret } = await gateway.makeKey({ interface: 'earlier' });
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const post = (members: string): Promise<Answer> =>
      call(`${gateway.apiUrl}/v1/transaction`, {
        method: 'POST',
        headers,
        body: `{"transactionid":"costly",${members}}`,
      });
    expect((await post(original)).json()).toMatchObject({ status: 'NEW' });
    const answer = await post(resent);
    expect(answer.json()).toMatchObject({ status });
    expect((await call(`${gateway.apiUrl}/v1/transaction?transactionid=after`, { headers })).status).toBe(200);
  },
);

test('a till with a full queue of changed resends waits before its next call is read; another till does not', async () => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const [noisy, quiet] = [await gateway.makeKey({ interface: 'both' }), await gateway.makeKey()];
  const post = (key: { secret: string }, object = '{}', external_id?: string): Promise<Answer> =>
    postBody(gateway.apiUrl, key.secret, bodyOf({ object, ...(external_id !== undefined && { external_id }) }));
  const earlier = (): Promise<Answer> =>
    call(`${gateway.apiUrl}/v1/transaction?transactionid=a`, { headers: { authorization: `Bearer ${noisy.secret}` } });
  expect((await post(noisy, `{${members(60_000, 1)}}`, 'costly')).status).toBe(201);
  expect((await earlier()).status).toBe(200);

  const answered: string[] = [];
  const send = (name: string, answer: Promise<Answer>): void =>
    void answer.then(
      () => answered.push(name),
      () => {}, // the gateway is already closed
    );
  for (let i = 0; i < 100; i++) send('resend', post(noisy, `{"m":${i}}`, 'costly'));
  await waitUntil(() => {
    const room = gateway.store.records.waitForRoom(noisy.id);
    room?.catch(() => {});
    return room !== undefined;
  });
  send('sale of the noisy till', post(noisy));
  send('earlier sale of the noisy till', earlier());
  for (let i = 0; i < 20; i++) expect((await post(quiet)).status).toBe(201);
  expect(answered.filter((name) => name.includes('sale'))).toEqual([]);
});
