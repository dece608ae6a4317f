// Alerts of a whole gateway, to real SMTP and HTTP servers.

import { expect, onTestFinished, test } from 'vitest';

import { openHttpSink, openMailSink } from '../support/alert-sinks.ts';
import { addUser, enter, signIn } from '../support/console.ts';
import { bodyOf, postBody } from '../support/http-call.ts';
import { openTestGateway } from '../support/open-gateway.ts';

const SETTINGS = { language: 'en', timeZone: 'UTC', choice: 'all', quiet: null, digestAt: null };

test('an alert tells of conflicts and refusals, and has nothing of the body of a record', async () => {
  const [mail, hook] = [await openMailSink(), await openHttpSink()];
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const { apiUrl, production } = gateway;
  const manager = await enter(gateway);
  const server = { host: '127.0.0.1', port: mail.port, security: 'none', user: '', from: 'shop@example.org' };
  expect((await manager.send('PUT', '/api/alerts/mail', server)).status).toBe(200);
  for (const [name, destination] of [
    ['Mia', { kind: 'email', address: 'mia@example.org' }],
    ['Chat', { kind: 'webhook', url: hook.url }],
  ] as const)
    expect((await manager.send('POST', '/api/alerts/receivers', { ...SETTINGS, name, destination })).status).toBe(201);

  const canary = (object: string) => bodyOf({ type: 'canary', external_id: 'CANARY-1', object });
  await postBody(apiUrl, production.secret, canary('{"total":1,"note":"canary"}'));
  await postBody(apiUrl, production.secret, canary('{"total":2,"note":"canary"}'));
  await postBody(apiUrl, production.secret, '{"type":"canary","external_id":"CANARY-2","object":{"canary":1}}');
  const list = async () =>
    (await manager.get(`/api/todo?journal=${production.journalId}`)).json()['tasks'] as readonly unknown[];
  await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(2);
  const all = (): string => [...mail.mails.map(({ data }) => data), ...hook.calls.map(({ body }) => body)].join('\n');
  await expect.poll(all, { timeout: 20_000 }).toMatch(/changed copy of a sale/);
  await expect.poll(() => [mail.mails.length > 0, hook.calls.length > 0]).toEqual([true, true]);
  expect(all()).not.toMatch(/canary/i);
}, 60_000);

test('a receiver that cannot be reached delays no till, and the console shows what could not be sent', async () => {
  const hook = await openHttpSink();
  hook.script = 'hang';
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const { apiUrl, production } = gateway;
  const manager = await enter(gateway);
  const receivers = [
    ['A', { kind: 'webhook', url: hook.url }],
    ['B', { kind: 'webhook', url: 'http://127.0.0.1:1/' }],
  ] as const;
  for (const [name, destination] of receivers)
    await manager.send('POST', '/api/alerts/receivers', { ...SETTINGS, name, destination });
  await postBody(apiUrl, 'prod_unknown-key-of-nobody', bodyOf());
  await manager.get(`/api/todo?journal=${production.journalId}`);
  await expect.poll(() => hook.calls.length, { timeout: 20_000 }).toBe(1);
  expect((await postBody(apiUrl, production.secret, bodyOf({ external_id: 'A-1' }))).status).toBe(201);
  const failing = async () =>
    ((await manager.get('/api/alerts')).json()['receivers'] as { failing: unknown }[]).map((each) => each.failing);
  await expect.poll(failing, { timeout: 20_000 }).toMatchObject([null, { code: 'unreachable', attempts: 1 }]);
}, 60_000);

test('a clerk sees the names of receivers, and no address, chat or login', async () => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  await addUser(gateway, 'Ann', 'clerk');
  const manager = await enter(gateway);
  const server = { host: '127.0.0.1', port: 1, security: 'none', user: 'login', from: 'shop@example.org' };
  await manager.send('PUT', '/api/alerts/mail', server);
  const destination = { kind: 'email', address: 'mia@example.org' };
  await manager.send('POST', '/api/alerts/receivers', { ...SETTINGS, name: 'Mia', destination });
  const clerk = await signIn(gateway, 'Ann');
  expect((await clerk.get('/api/alerts')).json()).toEqual({ names: ['Mia'] });
}, 60_000);
