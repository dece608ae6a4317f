// The API of alerts: what a manager may set, and which changes keep the stored password.

import { afterAll, expect, test } from 'vitest';

import type { AlertsView } from '../../../server/contract/alerts.ts';
import { enter } from '../../support/console.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());
const manager = await enter(gateway);
const MAIL = { host: 'mail.example.org', port: 587, security: 'starttls', user: 'shop', from: 'shop@example.org' };
const MIA = {
  name: 'Mia',
  language: 'en',
  timeZone: 'UTC',
  choice: 'all',
  quiet: null,
  digestAt: null,
  destination: { kind: 'email', address: 'mia@example.org' },
};

async function setMail(change: object): Promise<AlertsView['mail']> {
  const { status, text } = await manager.send('PUT', '/api/alerts/mail', { ...MAIL, ...change });
  expect(status, text).toBe(200);
  return (JSON.parse(text) as AlertsView).mail;
}

test.each([
  ['another sender', { from: 'till@example.org' }, true],
  ['another host', { host: 'other.example.org' }, false],
  ['another port', { port: 25 }, false],
  ['no encryption', { security: 'none' }, false],
  ['another user', { user: 'mia' }, false],
])('a change to %s keeps the stored password: %s', async (_, change, isKept) => {
  expect(await setMail({ password: 'secret' })).toMatchObject({ hasPassword: true });
  expect(await setMail(change)).toEqual({ ...MAIL, ...change, hasPassword: isKept });
});

test.each([
  ['timeZone', '+02:00', '/timeZone', 'time_zone'],
  ['name', ' ', '/name', 'name'],
  ['quiet', { from: 60, to: 60 }, '/quiet', 'range'],
  ['digestAt', 1440, '/digestAt', 'too_big'],
  ['destination', { kind: 'email', address: 'mia' }, '/destination/address', 'email'],
])('a receiver with the %s %j is refused', async (field, value, pointer, code) => {
  const answer = await manager.send('POST', '/api/alerts/receivers', { ...MIA, [field]: value });
  expect(answer.status).toBe(400);
  expect(answer.json()).toMatchObject({ code: 'field_invalid', errors: [{ pointer, code }] });
});

test('a receiver keeps its address when its settings change, and its name stays unique', async () => {
  const ids: unknown[] = [];
  for (const name of ['Mia', 'Ben']) {
    const { receiver } = (await manager.send('POST', '/api/alerts/receivers', { ...MIA, name })).json();
    ids.push((receiver as { id: number }).id);
  }
  const change = (body: object) => manager.send('PATCH', `/api/alerts/receivers/${String(ids[1])}`, body);
  expect((await change({ digestAt: 480 })).json()).toMatchObject({
    name: 'Ben',
    shown: 'mia@example.org',
    digestAt: 480,
  });
  expect((await change({ name: 'MIA' })).json()).toMatchObject({ status: 409, code: 'already_there' });
});
