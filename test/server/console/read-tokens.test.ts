// Programs that read the API with a token.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { AddedReadTokenView } from '../../../server/contract/setup.ts';
import { bodyOfRow, type Ids, isApi, isChange, methodOf, pathOf, ROWS } from '../../support/console-routes.ts';
import { enter, type Window } from '../../support/console.ts';
import { type Answer, bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';

const HOUR = 60 * 60 * 1000;
const NAME = 'Head office, reports';
let gateway: TestGateway;
let manager: Window;
let token: string;
let ids: Ids;

beforeAll(async () => {
  gateway = await openTestGateway({}, undefined, { rendererFolder: '/nowhere' });
  const { apiUrl, store, production } = gateway;
  const answer = await postBody(apiUrl, production.secret, bodyOf({ external_id: 'A-1' }));
  manager = await enter(gateway);
  const added = await manager.send('POST', '/api/read-tokens', { name: NAME });
  ({ token } = added.json() as unknown as AddedReadTokenView);
  ids = {
    journal: production.journalId,
    lane: store.outbox.lanes().find(({ journalId }) => journalId === production.journalId)?.id ?? 0,
    record: Number(answer.json()['record_id']),
    key: production.id,
  };
});
afterAll(() => gateway.close());

const callWith = (secret: string, path: string, method = 'GET', body?: unknown): Promise<Answer> =>
  call(gateway.consoleUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(method !== 'GET' && { origin: gateway.consoleUrl, 'sec-fetch-site': 'same-origin' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

const looks = ROWS.filter((row) => isApi(row) && !isChange(row) && row.for !== 'anybody');

describe('a program with a token', () => {
  test.each(looks.filter(({ for: who, route }) => who === 'clerks' && route !== 'GET /api/live'))(
    'reads what clerks read: $route',
    async (row) => {
      const answer = await callWith(token, pathOf(row, ids));
      expect([200, row.status]).toContain(answer.status);
    },
  );

  test.each(looks.filter(({ for: who }) => who === 'managers'))('does not read $route', async (row) => {
    expect((await callWith(token, pathOf(row, ids))).json()).toMatchObject({ code: 'manager_required' });
  });

  test.each(ROWS.filter((row) => isApi(row) && isChange(row) && row.for !== 'anybody'))(
    'changes nothing: $route',
    async (row) => {
      const answer = await callWith(token, pathOf(row, ids), methodOf(row), bodyOfRow(row, ids));
      expect([answer.status, answer.json()['code']]).toEqual([403, 'read_only']);
    },
  );

  test('that tries a change like no page does, without Origin, hears that it can only read', async () => {
    const answer = await call(`${gateway.consoleUrl}/api/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.json()).toMatchObject({ status: 403, code: 'read_only', detail: 'A token can only read: send GET.' });
  });

  test.each(['/api/live', '/api/live/', '/api/live//', '/api/live?x=1'])(
    'gets no stream of changes, which would outlive its token: %s',
    async (path) => {
      const answer = await callWith(token, path);
      expect([answer.status, answer.json()['code']]).toEqual([403, 'read_only']);
    },
  );
});

test.each(['', 'read_guessed-guessed-guessed-guessed-guessed', 'Basic x', 'read_ö'])(
  'an unknown token is refused: %s',
  async (secret) => {
    const answer = await callWith(secret, '/api/overview?journal=1');
    expect([answer.status, answer.json()['code']]).toEqual([401, 'session_missing']);
  },
);

test('a token does not sign in to the tills’ port, and a till’s key does not read the console', async () => {
  expect((await postBody(gateway.apiUrl, token, bodyOf())).status).toBe(401);
  expect((await callWith(gateway.production.secret, '/api/journals')).status).toBe(401);
});

test('the list has names and times, but no token, and a name exists once', async () => {
  await callWith(token, '/api/journals');
  const list = async (): Promise<Answer> => manager.get('/api/read-tokens');
  await expect
    .poll(async () => JSON.parse((await list()).text) as unknown)
    .toEqual([{ name: NAME, createdAt: expect.any(Number), usedAt: expect.any(Number) }]);
  expect((await list()).text).not.toContain(token);
  const again = await manager.send('POST', '/api/read-tokens', { name: NAME.toUpperCase() });
  expect([again.status, again.json()['code']]).toEqual([409, 'already_there']);
});

test('a removed token reads nothing from then on, and the log names who made and removed it', async () => {
  const added = await manager.send('POST', '/api/read-tokens', { name: 'Old' });
  const { token: old } = added.json() as unknown as AddedReadTokenView;
  expect((await callWith(old, '/api/journals')).status).toBe(200);
  expect((await manager.send('DELETE', '/api/read-tokens/Old')).status).toBe(204);
  expect((await manager.send('DELETE', '/api/read-tokens/Old')).status).toBe(404);
  expect((await callWith(old, '/api/journals')).status).toBe(401);
  const acts = await gateway.store.setup.listActs({ limit: 10 });
  expect(acts.filter(({ act }) => 'name' in act && act.name === 'Old').map(({ act }) => act.kind)).toEqual([
    'remove read token',
    'add read token',
  ]);
});

test('a use is written at most once an hour', async () => {
  const { people } = gateway.store;
  const usedAt = async (): Promise<number | null | undefined> => (await people.findReadToken(token))?.usedAt;
  const first = (await usedAt()) ?? 0;
  const known = { name: NAME, createdAt: (await people.findReadToken(token))?.createdAt ?? 0 };
  await people.noteReadTokenUse({ ...known, usedAt: Date.now() });
  expect(await usedAt()).toBe(first);
  await people.noteReadTokenUse({ ...known, usedAt: Date.now() - HOUR });
  expect(await usedAt()).toBeGreaterThan(first);
});
