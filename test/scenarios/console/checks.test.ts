// Checks that people request in the console. A clerk may compare. A manager may also resend sales within four hours of their
// delivery, although the upstream may need that time to show them.

import { expect, onTestFinished, test } from 'vitest';

import { addUser, signIn } from '../../support/console.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

async function open() {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const windowOf = async (name: string, role: 'clerk' | 'manager') => {
    await addUser(gateway, name, role);
    return signIn(gateway, name);
  };
  const day = { journal: gateway.production.journalId, from: '2025-10-09', to: '2025-10-09', byIds: false };
  return { day, windowOf };
}

test('a clerk compares a day and cannot resend sales early', async () => {
  const { day, windowOf } = await open();
  const clerk = await windowOf('Ann', 'clerk');
  const answer = await clerk.send('POST', '/api/checks', day);
  expect(answer.status).toBe(202);
  expect(answer.json()).toMatchObject({ byIds: false, resend: false });
  expect((await clerk.send('POST', '/api/checks', { ...day, resend: true })).json()).toMatchObject({
    status: 403,
    code: 'manager_required',
  });
});

test('a manager resends sales early', async () => {
  const { day, windowOf } = await open();
  const manager = await windowOf('Mia', 'manager');
  const answer = await manager.send('POST', '/api/checks', { ...day, resend: true });
  expect([answer.status, answer.json()]).toMatchObject([202, { resend: true }]);
});
