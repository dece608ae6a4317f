// The console when other machines may use it: only over HTTPS, only by the names in its certificate, and only for users. Its
// metrics stay closed to other machines.

import { connect } from 'node:tls';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { OperatorError } from '../../../server/errors.ts';
import { listLanAddresses } from '../../../server/lib/own-address.ts';
import { digestPassword } from '../../../server/lib/password.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { passOf, enter, PASSWORD, windowOf } from '../../support/console.ts';
import { type Answer, call } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { rawCall } from '../../support/raw-call.ts';

const certificate = makeCertificate({ hosts: ['*.shop.example', 'gateway.example', '127.0.0.1'] });
let gateway: TestGateway;
let port: string;

/** Adds a user who may sign in, before the gateway opens. */
async function prepare(dataDir: string): Promise<void> {
  const store = await openStore({ dataDir, role: 'command' });
  const password = await digestPassword(PASSWORD);
  await store.people.add({ name: 'Ann', role: 'clerk', createdAt: Date.now(), password }, 'test');
  await store.close();
}

beforeAll(async () => {
  gateway = await openTestGateway({ consoleHost: '0.0.0.0' }, certificate, {
    prepare,
    resolveName: async () => ['203.0.113.1'],
  });
  port = new URL(gateway.consoleUrl).port;
});
afterAll(() => gateway.close());

/** Calls this machine's address with any Host header. */
function callAs(
  host: string,
  path: string,
  more: { method?: string; body?: unknown; cookie?: string } = {},
): Promise<Answer> {
  const { method = 'GET', body, cookie } = more;
  return call(`https://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      host: `${host}:${port}`,
      cookie,
      ...(method !== 'GET' && { origin: `https://${host}:${port}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

test('its address begins with https and a name of the certificate', () => {
  expect(gateway.consoleUrl).toBe(`https://gateway.example:${port}`);
});

test('its address has no unresolvable name', async () => {
  const alone = await openTestGateway({ consoleHost: '0.0.0.0' }, certificate, {
    prepare,
    resolveName: () => Promise.reject(new Error('ENOTFOUND')),
  });
  onTestFinished(() => alone.close());
  expect(alone.consoleUrl).toMatch(/^https:\/\/127\.0\.0\.1:/);
});

test('this machine’s own windows reach it over plain HTTP, with the same links and only on loopback', async () => {
  const local = new URL(gateway.localConsoleUrl);
  expect([local.protocol, local.hostname]).toEqual(['http:', '127.0.0.1']);
  const { pathname, search } = new URL(gateway.createLink());
  const entered = await call(`${local.origin}${pathname}${search}`);
  expect(entered.headers['set-cookie']).not.toContain('Secure');
  const window = windowOf({ consoleUrl: local.origin }, passOf(entered));
  expect((await window.get('/api/session')).status).toBe(200);
  const byName = await call(`${local.origin}/api/entrance`, { headers: { host: `gateway.example:${local.port}` } });
  expect(byName.status).toBe(403);
});

describe('it accepts this machine’s own names and those of its certificate', () => {
  test.each(['gateway.example', 'GATEWAY.example', 'till-4.shop.example', '127.0.0.1', 'localhost', '[::1]'])(
    '%s',
    async (host) => {
      expect((await callAs(host, '/api/entrance')).json()).toMatchObject({ hasUsers: true });
    },
  );

  test.each([
    'evil.example',
    'gateway.example.evil.example',
    'a.b.shop.example',
    'shop.example',
    '10.0.0.1',
    '192.168.1.4',
  ])('and not %s', async (host) => {
    expect((await callAs(host, '/api/entrance')).json()).toMatchObject({ status: 403, code: 'origin_refused' });
  });
});

test('a user signs in from there, with a cookie only for HTTPS and this host, and cannot open anything without it', async () => {
  const body = { name: 'Ann', password: PASSWORD };
  const answer = await callAs('gateway.example', '/api/session', { method: 'POST', body });
  expect(answer.status).toBe(200);
  const ofHost = (what: string): string =>
    `__Host-counterfoil_${what}_${port}=[\\w-]+; Path=/; HttpOnly; Secure; SameSite=Strict`;
  expect(answer.headers['set-cookie']).toMatch(new RegExp(`^${ofHost('session')},${ofHost('browser')}$`));
  expect(answer.headers['strict-transport-security']).toBeUndefined(); // this header would apply to every port of the machine
  const { cookie = '', key = '' } = passOf(answer) ?? {};
  expect((await callAs('gateway.example', '/api/session', { cookie })).status).toBe(401);
  expect((await callAs('gateway.example', `/s/${key}/api/session`, { cookie })).json()).toMatchObject({
    actor: 'Ann',
    role: 'clerk',
  });
});

test('a change under one name from a page of another is refused', async () => {
  const answer = await call(`https://127.0.0.1:${port}/api/session`, {
    method: 'POST',
    headers: {
      host: `gateway.example:${port}`,
      origin: `https://till-4.shop.example:${port}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Ann', password: PASSWORD }),
  });
  expect(answer.json()).toMatchObject({ status: 403, code: 'origin_refused' });
});

test('the metrics are for this machine only', async () => {
  expect((await callAs('localhost', '/metrics')).status).toBe(200);
  expect((await callAs('gateway.example', '/metrics')).status).toBe(404);
});

test('another machine that calls over plain HTTP is told so, and gets nothing else', async (context) => {
  const [lan] = listLanAddresses();
  if (lan === undefined) return context.skip('not run: this machine has no network address');
  const answer = await rawCall(`http://${lan}:${port}`, 'GET /api/entrance HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(answer?.status).toBe(400);
  expect(answer?.text).toContain('https://');
});

test('nothing older than TLS 1.2 is accepted', async () => {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(port),
    rejectUnauthorized: false,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
  });
  onTestFinished(() => void socket.destroy());
  await expect(
    new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject)),
  ).rejects.toThrow(/protocol|alert|version/i);
});

test('it does not open if no user could sign in', async () => {
  const error = await openTestGateway({ consoleHost: '0.0.0.0' }, certificate).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(OperatorError);
  expect(error).toHaveProperty('message', expect.stringContaining('counterfoil users add'));
});

test('on this machine only, it speaks HTTP, with or without a certificate', async () => {
  const alone = await openTestGateway({}, certificate);
  onTestFinished(() => alone.close());
  expect(alone.consoleUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect((await (await enter(alone)).get('/api/session')).status).toBe(200);
  expect((await windowOf(alone, undefined).get('/api/entrance')).json()).toMatchObject({ hasUsers: false });
});
