// Calls every route of the console as every kind of caller: nobody, a clerk, a manager, a page of another origin, and a page
// with another host name. The first test fails if a route has no row in the table of routes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { MAX_BODY_BYTES } from '../../../server/contract/codes.ts';
import {
  bodyOfRow,
  type Ids,
  isApi,
  isChange,
  listConsoleRoutes,
  methodOf,
  pathOf as pathFor,
  type Row,
  ROWS,
  UPSTREAM_KEY,
} from '../../support/console-routes.ts';
import { addUser, enter, signIn, type Window, windowOf } from '../../support/console.ts';
import { type Answer, bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { rawCall } from '../../support/raw-call.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

let gateway: TestGateway;
let manager: Window;
let clerk: Window;
let ids: Ids;

beforeAll(async () => {
  gateway = await openTestGateway({}, undefined, { rendererFolder: '/nowhere' });
  const { apiUrl, store, production } = gateway;
  await postBody(apiUrl, production.secret, bodyOf({ external_id: 'A-1', object: '{"total":12.5}' }));
  await postBody(apiUrl, production.secret, bodyOf({ external_id: 'A-1', object: '{"total":12.05}' }));
  const answer = await postBody(apiUrl, production.secret, bodyOf({ external_id: 'A-1', object: '{"total":12.50}' }));
  await postBody(apiUrl, 'prod_canary-that-nobody-knows', bodyOf());
  const spare = await gateway.makeKey({ mode: 'test', label: 'Spare' });
  const standIn = await openStandIn({ script: 'accept' });
  const lane = store.outbox
    .lanes()
    .find(({ journalId, interface: by }) => journalId === spare.journalId && by === 'current');
  ids = {
    journal: production.journalId,
    lane: lane?.id ?? 0,
    record: Number(answer.json()['record_id']),
    key: spare.id,
  };
  await store.outbox.performAct(
    { administration: 'Bakery', mode: 'test', interface: 'current' },
    { kind: 'set upstream', upstream: { url: standIn.url, token: UPSTREAM_KEY } },
    'test',
  );
  await addUser(gateway, 'Ann', 'clerk');
  manager = await enter(gateway);
  clerk = await signIn(gateway, 'Ann');
  return () => standIn.close();
});
afterAll(() => gateway.close());

const pathOf = (row: Row): string => pathFor(row, ids);
const bodyFor = (row: Row): unknown => bodyOfRow(row, ids);

/** Calls the route of a row as a page of this window does. If the answer is a stream, aborts it after its beginning. */
async function callAs(who: Window, row: Row, headers: Record<string, string | undefined> = {}): Promise<Answer> {
  if (row.route === 'GET /api/live' && headers['x-whole'] === undefined) return beginning(who, headers);
  return isChange(row) ? who.send(methodOf(row), pathOf(row), bodyFor(row), headers) : who.get(pathOf(row), headers);
}

/** Reads the status and headers of a stream, then aborts it. */
async function beginning(who: Window, headers: Record<string, string | undefined>): Promise<Answer> {
  const stop = new AbortController();
  const given = Object.entries({ cookie: who.cookie, ...headers }).filter(([, value]) => value !== undefined);
  const response = await fetch(who.url('/api/live'), {
    headers: given as [string, string][],
    signal: stop.signal,
  });
  const text = response.ok ? '' : await response.text();
  stop.abort();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    json: () => JSON.parse(text) as Record<string, unknown>,
  };
}

test('every route of the console has a row here', () => {
  const routes = listConsoleRoutes();
  expect(routes.length).toBeGreaterThan(20);
  expect(ROWS.map(({ route }) => route).toSorted()).toEqual(routes.toSorted());
});

/** The session cookie as a header. */
const sessionCookie = (secret: string): string => `counterfoil_session_${new URL(gateway.consoleUrl).port}=${secret}`;

describe('callers who are not signed in get nothing', () => {
  test.each(ROWS.filter(isApi))('$route', async (row) => {
    if (row.for === 'anybody') {
      return expect((await callAs(windowOf(gateway, undefined), row)).status).toBe(row.status);
    }
    const [mine, theirs] = [clerk.pass, manager.pass];
    if (mine === undefined || theirs === undefined) throw new Error('somebody could not sign in');
    const passes = [
      undefined,
      ...[sessionCookie(''), sessionCookie('guessed'), 'other=x', theirs.cookie].map((cookie) => ({ ...mine, cookie })),
      { ...mine, key: 'guessed-guessed-guesse' },
      { ...mine, key: 'short' },
    ];
    for (const pass of passes) {
      const answer = await callAs(windowOf(gateway, pass), row);
      expect([answer.status, answer.json()['code']]).toEqual([401, 'session_missing']);
    }
  });

  test.each(['/api', '/api/', '/api/nowhere', '/api/records/1/more', '/api//journals'])('%s', async (path) => {
    expect((await call(gateway.consoleUrl + path)).json()).toMatchObject({ code: 'session_missing' });
  });

  test.each([
    '/API/journals',
    '/Api/Journals',
    '/%61pi/journals',
    '/./api/journals',
    '//api/journals',
    '/api%2fjournals',
  ])('%s does not bypass the check', async (path) => {
    const answer = await rawCall(gateway.consoleUrl, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect([401, 403, 404]).toContain(answer?.status);
    expect(answer?.text).not.toContain('Bakery');
  });
});

describe('only the console’s own pages change anything', () => {
  test.each(ROWS.filter(isChange))('$route', async (row) => {
    const { consoleUrl } = gateway;
    const port = new URL(consoleUrl).port;
    const foreign = [
      { origin: undefined },
      { origin: 'null' },
      { origin: '' },
      { origin: 'https://evil.example' },
      { origin: `https://127.0.0.1:${port}` },
      { origin: `http://localhost:${port}` }, // refused: the call goes to 127.0.0.1, so localhost is another origin
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin: `${consoleUrl}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of foreign) {
      const answer = await callAs(manager, row, headers);
      expect([answer.status, answer.json()['code']], JSON.stringify(headers)).toEqual([403, 'origin_refused']);
    }
  });
});

describe('a page of another origin reads nothing', () => {
  test.each(ROWS.filter((row) => isApi(row) && !isChange(row)))('$route', async (row) => {
    for (const site of ['cross-site', 'same-site', 'anything']) {
      const answer = await callAs(manager, row, { 'sec-fetch-site': site, 'x-whole': 'yes' });
      expect([answer.status, answer.json()['code']]).toEqual([403, 'origin_refused']);
    }
    expect((await callAs(manager, row, { 'sec-fetch-site': 'none' })).status).toBe(row.status);
    expect((await callAs(manager, row)).headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('another host name gets nothing, for example a foreign name that points here', () => {
  test.each(ROWS)('$route', async (row) => {
    const { consoleUrl } = gateway;
    const { port } = new URL(consoleUrl);
    for (const host of [`evil.example:${port}`, 'counterfoil.local', '10.0.0.1', `127.0.0.1.evil.example:${port}`]) {
      const path = new URL(manager.url(pathOf(row))).pathname; // without a query, because the Host must be checked before the query
      const head = `${methodOf(row)} ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nCookie: ${manager.cookie}\r\nAccept: text/html\r\n\r\n`;
      const answer = await rawCall(consoleUrl, head);
      expect(answer?.status).toBe(403);
      expect(answer?.text).not.toContain('Bakery');
    }
  });
});

describe('the host of an absolute target overrides the header (RFC 9112, 3.2.2)', () => {
  const send = (target: string): ReturnType<typeof rawCall> => {
    const { host } = new URL(gateway.consoleUrl);
    return rawCall(gateway.consoleUrl, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${manager.cookie}\r\n\r\n`);
  };

  test.each(ROWS.filter((row) => !isChange(row)))('$route by another name', async (row) => {
    const { pathname, search } = new URL(manager.url(pathOf(row)));
    for (const host of ['evil.example', `127.0.0.1.evil.example:${new URL(gateway.consoleUrl).port}`, 'a@b', '']) {
      const answer = await send(`http://${host}${pathname}${search}`);
      expect([403, 404]).toContain(answer?.status);
      expect(answer?.text).not.toContain('Bakery');
    }
  });

  test('its own name is accepted', async () => {
    expect(await send(manager.url('/api/session'))).toMatchObject({ status: 200 });
  });
});

describe('a clerk sees everything and changes only a clerk’s data', () => {
  test.each(ROWS.filter((row) => row.route !== 'DELETE /api/session'))('$route', async (row) => {
    const answer = await callAs(clerk, row);
    if (row.for === 'managers') expect([answer.status, answer.json()['code']]).toEqual([403, 'manager_required']);
    else expect(answer.status).toBe(row.route === 'PUT /api/password' ? 204 : row.status);
  });
});

describe('unknown or wrong input is refused', () => {
  test.each(ROWS.filter(isApi))('an unknown query parameter of $route', async (row) => {
    const path = `${pathOf(row)}${pathOf(row).includes('?') ? '&' : '?'}surprise=1`;
    const answer = isChange(row) ? await manager.send(methodOf(row), path, bodyFor(row)) : await manager.get(path);
    expect(answer.json()).toMatchObject({ code: 'query_invalid', errors: [{ pointer: '/surprise', code: 'unknown' }] });
  });

  test.each(ROWS.filter((row) => row.body !== undefined))('an invalid body for $route', async (row) => {
    const sendText = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
      call(manager.url(pathOf(row)), {
        method: methodOf(row),
        headers: { cookie: manager.cookie, origin: gateway.consoleUrl, 'content-type': 'application/json', ...headers },
        body,
      });
    for (const [body, headers, status, code] of [
      ['{', {}, 400, 'json_malformed'],
      [Buffer.from([0x22, 0xff, 0xfe, 0x22]), {}, 400, 'json_malformed'],
      ['"text"', {}, 400, 'field_invalid'],
      ['[]', {}, 400, 'field_invalid'],
      ['{"surprise":1}', {}, 400, 'field_invalid'],
      ['', {}, 400, 'field_invalid'],
      ['a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'media_type_unsupported'],
      ['{}', { 'content-type': 'text/plain' }, 415, 'media_type_unsupported'],
      ['{}', { 'content-type': 'application/json; charset=utf-7' }, 415, 'media_type_unsupported'],
      ['{}', { 'content-encoding': 'gzip' }, 415, 'encoding_unsupported'],
      [`{"name":"${'x'.repeat(MAX_BODY_BYTES)}"}`, {}, 413, 'body_too_large'],
    ] as const) {
      if (row.route.startsWith('PATCH') && body === '') continue; // for PATCH, an empty body is a valid change
      const answer = await sendText(body, headers);
      expect([answer.status, answer.json()['code']], `${String(body).slice(0, 20)} ${JSON.stringify(headers)}`).toEqual(
        [status, code],
      );
    }
  });

  test.each(ROWS.filter((row) => isApi(row) && !isChange(row)))('HEAD in place of $route', async (row) => {
    expect((await manager.send('HEAD', pathOf(row))).status).toBe(405);
  });

  test.each(['0', '-1', '1.5', 'x', '9999999999999999', '%00', '1e3'])(
    '%j for a number in a path or query',
    async (id) => {
      for (const path of [`/api/records/${id}`, `/api/records/${id}/body`, `/api/lanes/${id}/waiting`]) {
        expect((await manager.get(path)).status, path).toBe(404);
      }
      for (const path of ['records', 'records.csv', 'overview', 'tills', 'refusals']) {
        expect((await manager.get(`/api/${path}?journal=${id}`)).status, path).toBe(400);
      }
    },
  );

  test('an unknown journal, lane, record, key or administration is 404', async () => {
    for (const path of ['records', 'records.csv', 'overview', 'tills', 'refusals'])
      expect((await manager.get(`/api/${path}?journal=77`)).status, path).toBe(404);
    for (const path of ['/api/records/999', '/api/records/999/body', '/api/lanes/999/waiting'])
      expect((await manager.get(path)).status, path).toBe(404);
    for (const [method, path, body] of [
      ['POST', '/api/lanes/999/acts', { kind: 'pause' }],
      ['PUT', '/api/lanes/999/upstream', { url: 'https://api.example.com', token: 'test_x' }],
      ['POST', '/api/upstream-check', { laneId: 999 }],
      ['POST', '/api/keys/999/rotate', { graceHours: 1 }],
      ['DELETE', '/api/keys/999', undefined],
      ['PATCH', '/api/administrations/Nobody', { dayStartsAt: 0 }],
      ['PUT', '/api/declared-totals', { journal: 77, date: '2026-11-20', records: 1 }],
      ['POST', '/api/declared-totals/import', { journal: 77, text: '', isTrial: true }],
    ] as const)
      expect((await manager.send(method, path, body)).status, path).toBe(404);
  });
});

describe('headers of every answer', () => {
  test.each(ROWS.filter((row) => !isChange(row)))('$route', async (row) => {
    const { headers } = await callAs(manager, row);
    const csp = headers['content-security-policy'] ?? '';
    expect(csp).toMatch(/^default-src 'none';script-src 'self' ('nonce-[\w+/]{24}');style-src 'self' \1;/);
    for (const part of ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "connect-src 'self'"])
      expect(csp).toContain(part);
    expect(csp).not.toMatch(/upgrade-insecure-requests|unsafe/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(headers['x-powered-by']).toBeUndefined();
    if (isApi(row)) expect(headers['cache-control']).toBe('no-store');
    const again = (await callAs(manager, row)).headers['content-security-policy'];
    expect(again).not.toBe(csp);
  });
});

describe('a manager gets an answer, and no answer contains a key except a new one', () => {
  test.each(ROWS)('$route', async (row) => {
    if ((await manager.get('/api/session')).status === 401) manager = await enter(gateway); // the call of another row has ended the session
    const answer = await callAs(manager, row);
    expect(answer.status, answer.text).toBe(row.status);
    const isMade = row.route === 'POST /api/keys' || row.route === 'POST /api/keys/:id/rotate';
    const shown = answer.text.match(/(test|prod)_[\w-]{20,}/g) ?? [];
    expect(shown).toHaveLength(isMade ? 1 : 0);
    for (const secret of [...gateway.listSecrets(), 'canary']) expect(answer.text).not.toContain(secret);
    expect(answer.headers['set-cookie']).toBe(
      row.route === 'DELETE /api/session' || row.route === 'DELETE /api/sessions'
        ? `${sessionCookie('')}; Max-Age=0; Path=/s/${manager.pass?.key}; HttpOnly; SameSite=Strict`
        : undefined,
    );
  });

  test('afterwards the session has ended', async () => {
    expect((await manager.get('/api/session')).json()).toMatchObject({ code: 'session_missing' });
  });
});
