// A key that ends while the body of a call is arriving. The call gets the answer of a revoked key, and nothing of it is stored.

import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../../../server/store/open-store.ts';
import { openEarlierGateway, PATH } from '../../support/api/earlier-gateway.ts';
import { expectRefused, PATHS } from '../../support/api/refusal-table.ts';
import { addUser, signIn, type Window } from '../../support/console.ts';
import { bodyOf } from '../../support/http-call.ts';
import type { TestKey } from '../../support/open-gateway.ts';
import { openRawConnection, type RawConnection } from '../../support/raw-call.ts';
import { waitUntil } from '../../support/wait-until.ts';

const gateway = await openEarlierGateway();
afterAll(() => gateway.close());
await addUser(gateway, 'Mia', 'manager');
const manager: Window = await signIn(gateway, 'Mia');

const DAY = '2026-11-20';

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: string;
  readonly credential: (secret: string) => string;
  readonly challenge: string;
  readonly body: string;
}

const current = { method: 'POST', credential: (secret: string) => `token: ${secret}`, challenge: 'token' } as const;
const earlier = { credential: (secret: string) => `Authorization: Bearer ${secret}`, challenge: 'Bearer' } as const;

const CALLS: readonly (readonly [name: string, sent: Sent])[] = [
  ['a record', { ...current, path: PATHS[0] ?? '', body: bodyOf() }],
  ['a body that is no record', { ...current, path: PATHS[1] ?? '', body: '{"type":' }],
  ['a declared total', { ...current, path: '/ext/v1/day_totals', body: JSON.stringify({ day: DAY, count: 1 }) }],
  ['an earlier POST', { ...earlier, method: 'POST', path: PATH, body: '{"transactionid":"half-way"}' }],
  ['an earlier GET', { ...earlier, method: 'GET', path: PATH, query: '?transactionid=half-way', body: '{}' }],
];

/** Sends the headers and half of the body, after the gateway has accepted the headers. Returns the function that sends the rest. */
async function sendHalf(connection: RawConnection, key: TestKey, sent: Sent): Promise<() => void> {
  const { method, path, query = '', credential, body } = sent;
  connection.send(
    `${method} ${path}${query} HTTP/1.1\r\nHost: a\r\n${credential(key.secret)}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  expect(await connection.next()).toMatchObject({ status: 100 });
  const half = body.length / 2;
  connection.send(body.slice(0, half));
  return () => connection.send(body.slice(half));
}

async function connect(): Promise<RawConnection> {
  const connection = await openRawConnection(gateway.apiUrl);
  onTestFinished(() => connection.destroy());
  return connection;
}

/** Sends half of a call, then ends its key with `end`. Expects the answer that a revoked key gets. */
async function expectRefusedAfter(end: (key: TestKey) => Promise<unknown>, sent: Sent): Promise<void> {
  const key = await gateway.makeKey({ interface: 'both', label: 'Slow till' });
  const connection = await connect();
  const sendRest = await sendHalf(connection, key, sent);
  await end(key);
  const { method, path, challenge } = sent;
  const refusal = {
    status: 401,
    code: 'key_revoked',
    label: 'Slow till',
    headers: { 'www-authenticate': challenge },
  } as const;
  await expectRefused(gateway, refusal, { method, path }, () => {
    sendRest();
    return connection.next();
  });
  const { journalId } = key;
  expect(await gateway.store.declared.list({ journalId, from: DAY, to: DAY })).toEqual([]);
}

test.each(CALLS)('%s is refused if its key is revoked in the console meanwhile', async (_name, sent) => {
  await expectRefusedAfter(async ({ id }) => {
    expect((await manager.send('DELETE', `/api/keys/${id}`)).status).toBe(200);
  }, sent);
});

test.each(CALLS)('%s is refused if another process revokes its key meanwhile', async (_name, sent) => {
  await expectRefusedAfter(async (key) => {
    const command = await openStore({ dataDir: gateway.dataDir, role: 'command' });
    await command.setup.revokeKey(key.id, 'test');
    await command.close();
    await waitUntil(() => gateway.store.setup.isRevoked(key));
  }, sent);
});

test.each(CALLS)('%s is refused if its key is replaced without a transition period meanwhile', async (_name, sent) => {
  await expectRefusedAfter(async ({ id }) => {
    expect((await manager.send('POST', `/api/keys/${id}/rotate`, { graceHours: 0 })).status).toBe(201);
  }, sent);
});

test.each(CALLS.filter(([name]) => name !== 'a body that is no record'))(
  '%s is stored if only another key is revoked meanwhile',
  async (_name, sent) => {
    const key = await gateway.makeKey({ interface: 'both', label: 'Slow till' });
    const other = await gateway.makeKey({ interface: 'both', label: 'Slow till' });
    const connection = await connect();
    const sendRest = await sendHalf(connection, key, sent);
    await gateway.store.setup.revokeKey(other.id, 'test');
    sendRest();
    expect([200, 201]).toContain((await connection.next())?.status);
  },
);
