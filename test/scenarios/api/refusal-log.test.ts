// In the refusal log, a shop sees which calls were refused. The log never contains a key or sold goods.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, expect, onTestFinished, test, vi } from 'vitest';

import { anyNumber } from '../../support/api/matchers.ts';
import { refusalsOf } from '../../support/api/refusal-table.ts';
import { bodyOf, call, getRange, postBody, rangeParameters } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { rawCall } from '../../support/raw-call.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());
const { apiUrl, production } = gateway;

/** The entry of a refused call in the refusal log. */
async function logOf(refusedCall: () => Promise<unknown>) {
  return (await refusalsOf(gateway, refusedCall)).log[0];
}

test('a refusal has the time, address, till, call and cause, and nothing else', async () => {
  const from = Date.now();
  const refusal = await logOf(() => getRange(apiUrl, production.secret, { limit: '0', type: 'secret-type' }));
  expect(refusal).toEqual({
    calls: 1,
    id: anyNumber,
    at: anyNumber,
    address: '127.0.0.1',
    keyId: production.id,
    label: 'Counter',
    method: 'GET',
    path: '/v1/raw_transactions',
    code: 'query_invalid',
    detail: 'limit must be a whole number from 1 to 500.',
    excerpt: '',
    faults: [{ pointer: '/limit', code: 'range' }],
  });
  expect(refusal?.at).toBeGreaterThanOrEqual(from);
  expect(refusal?.at).toBeLessThanOrEqual(Date.now());
});

test('every letter and digit of a refused body is masked, in any script', async () => {
  const body = bodyOf({ external_id: '', object: '{"card":"4111 1111","name":"Ann Ünal 山田","n":"١٢٣"}' });
  const refusal = await logOf(() => postBody(apiUrl, production.secret, body));
  expect(refusal?.excerpt).toContain('{"xxxx":"xxxx"');
  expect(refusal?.excerpt).not.toMatch(/4111|Ann|Ünal|山|[١٢٣]|sale/);
  const long = bodyOf({ external_id: '', object: `{"long":"${'y'.repeat(10_000)}"}` });
  expect((await logOf(() => postBody(apiUrl, production.secret, long)))?.excerpt.length).toBeLessThanOrEqual(200);
});

test('of an unknown key only its prefix and last four characters are stored; of a short one nothing', async () => {
  const excerptFor = async (secret: string) => logOf(() => postBody(apiUrl, secret, bodyOf()));
  const unknown = { code: 'key_unknown', keyId: null, label: null };
  expect(await excerptFor('prod_abcdefghijklmnopqrstuvwxyz')).toMatchObject({ ...unknown, excerpt: 'prod_…wxyz' });
  expect(await excerptFor('hunter2')).toMatchObject({ ...unknown, excerpt: '…' });
});

test('the query string is never stored', async () => {
  const keyInQuery = `${apiUrl}/v1/raw_transactions?token=${production.secret}&${rangeParameters()}`;
  expect(await logOf(() => call(keyInQuery))).toMatchObject({ code: 'key_missing', path: '/v1/raw_transactions' });
});

test('refusals are listed newest first, up to the requested number', async () => {
  const paths = ['/one', '/two', '/three'];
  await refusalsOf(
    gateway,
    async () => {
      for (const path of paths) await call(apiUrl + path, { method: 'DELETE' });
    },
    paths.length,
  );
  expect((await gateway.store.records.listRefusals(2)).map(({ path }) => path)).toEqual(['/three', '/two']);
});

test('a list includes refusals that are still being written', async () => {
  // The store writes pending entries of the refusal log every second. Fake timers let the test control this.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const fresh = await openTestGateway();
  onTestFinished(async () => {
    vi.useRealTimers();
    await fresh.close();
  });
  for (let i = 1; i <= 20; i++) {
    await call(`${fresh.apiUrl}/nowhere-${i}`, { method: 'DELETE' });
    vi.advanceTimersByTime(1000);
    expect((await fresh.store.records.listRefusals(1)).map(({ path }) => path)).toEqual([`/nowhere-${i}`]);
  }
});

test('no key, known, unknown or revoked, is in any file of the data directory', async () => {
  const fresh = await openTestGateway();
  const revoked = await fresh.makeKey();
  await fresh.store.setup.revokeKey(revoked.id, 'test');
  const adopted = await fresh.makeKey({ secret: 'test_adopted-from-a-till-0123456789', isAdopted: true });
  const unknown = 'prod_unknown-canary-0123456789-abcdefgh';
  for (const secret of [fresh.production.secret, revoked.secret, adopted.secret, unknown]) {
    await postBody(fresh.apiUrl, secret, bodyOf());
    await postBody(fresh.apiUrl, secret, `{"token":"${secret}"`);
    await postBody(fresh.apiUrl, secret, `["${secret}"]`);
    await getRange(fresh.apiUrl, secret, { cursor: secret });
    await call(`${fresh.apiUrl}/v1/raw_transactions`, {
      headers: { token: [secret, secret], authorization: `Bearer ${secret}` },
    });
    await rawCall(fresh.apiUrl, `GET /v1/raw_transactions HTTP/1.1\r\ntoken: ${secret}\r\nbroken\r\n\r\n`);
  }
  await fresh.store.records.listRefusals(1);
  const files = readdirSync(fresh.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['counterfoil.db', 'counterfoil.log']));
  for (const { parentPath, name } of files) {
    const content = readFileSync(join(parentPath, name), 'latin1');
    for (const secret of [...fresh.listSecrets(), unknown])
      expect(content.includes(secret.slice(5, 30)), `${name} has a key in it`).toBe(false);
  }
  await fresh.close();
});
