// The network's routes: who may change what, and which changes are refused.

import { expect, onTestFinished, test } from 'vitest';

import type { NetworkTestView, NetworkView } from '../../../server/contract/network.ts';
import { CLOSED_NETWORK } from '../../../server/store/network/ledger.ts';
import { openGivenNetwork } from '../../support/console-network.ts';
import { addUser, enter, signIn } from '../../support/console.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { actLine } from '../../support/temp-store.ts';

/** A shop with a network. `more` replaces members of the network's state. */
async function open(more: Partial<NetworkView> = {}) {
  const gateway = await openTestGateway({}, undefined, {
    openConsoleNetwork: (store) => openGivenNetwork(store, more),
  });
  onTestFinished(() => gateway.close());
  await addUser(gateway, 'Ann', 'clerk');
  const manager = await enter(gateway);
  const change = (body: unknown) => manager.send('PATCH', '/api/network', body);
  const listActs = async () => (await gateway.store.setup.listActs({ limit: 50 })).map(actLine);
  return { gateway, manager, change, listActs };
}

test('a manager opens the network; the answer and the next view have the new settings', async () => {
  const { gateway, manager, change, listActs } = await open();
  const answer = await change({ isOpen: true, interfaces: ['eth0'] });
  expect(answer.status).toBe(200);
  const settings = { ...CLOSED_NETWORK, isOpen: true, interfaces: ['eth0'] };
  expect(answer.json()).toMatchObject({ settings });
  expect(await gateway.store.network.settings()).toEqual(settings);
  await expect
    .poll(async () => (await manager.get('/api/network')).json())
    .toMatchObject({ settings, addresses: ['https://192.168.1.20:7410', 'https://counterfoil.local:7410'] });
  expect(await listActs()).toContainEqual(expect.stringMatching(/^console: change network/));
});

test('a clerk sees the network and changes nothing', async () => {
  const { gateway } = await open();
  const clerk = await signIn(gateway, 'Ann');
  expect((await clerk.get('/api/network')).json()).toMatchObject({ settings: CLOSED_NETWORK });
  for (const [method, path, body] of [
    ['PATCH', '/api/network', { isOpen: true }],
    ['POST', '/api/network/test', undefined],
  ] as const)
    expect((await clerk.send(method, path, body)).json()).toMatchObject({ code: 'manager_required' });
  expect(await gateway.store.network.settings()).toEqual(CLOSED_NETWORK);
});

test.each([
  ['an unknown member', { isOpened: true }, '/isOpened', 'unknown'],
  ['a word instead of a boolean', { isOpen: 'yes' }, '/isOpen', 'type'],
  ['an unknown interface', { interfaces: ['eth0', 'eth7'] }, '/interfaces', 'unknown_interface'],
  ['no interface at all', { interfaces: [] }, '/interfaces', 'unique'],
  ['one interface twice', { interfaces: ['eth0', 'eth0'] }, '/interfaces', 'unique'],
])('%s is refused by its field', async (_name, body, pointer, code) => {
  const { gateway, change } = await open();
  const answer = await change(body);
  expect(answer.status).toBe(400);
  expect(answer.json()).toMatchObject({ code: 'field_invalid', errors: [{ pointer, code }] });
  expect(await gateway.store.network.settings()).toEqual(CLOSED_NETWORK);
});

test('a chosen interface that is unplugged stays chosen', async () => {
  const { gateway, change } = await open();
  await gateway.store.network.change({ interfaces: ['usb0'] }, 'test');
  expect((await change({ interfaces: ['usb0', 'eth0'] })).status).toBe(200);
});

test.each([
  ['host', { isOpen: true }],
  ['host', { interfaces: ['eth0'] }],
  ['host', { allowsPlainHttp: true }],
  ['consoleHost', { isConsoleOpen: true }],
])('what the setting %s decides cannot be changed by %j', async (setting, body) => {
  const { gateway, change } = await open({ fixedBy: [setting] });
  const answer = await change(body);
  expect(answer.status).toBe(409);
  expect(answer.json()).toMatchObject({ code: 'network_fixed', detail: expect.stringContaining(setting) });
  expect(await gateway.store.network.settings()).toEqual(CLOSED_NETWORK);
});

test('a setting decides only what it is about', async () => {
  const { change } = await open({ fixedBy: ['host'] });
  expect((await change({ isConsoleOpen: true })).status).toBe(200);
});

test('the console opens to other machines only after a user exists', async () => {
  const { gateway, change } = await open();
  await gateway.store.people.remove('Ann', 'test', true);
  expect((await change({ isConsoleOpen: true })).json()).toMatchObject({ status: 409, code: 'users_missing' });
  expect((await change({ isConsoleOpen: false })).status).toBe(200);
  await addUser(gateway, 'Mia', 'manager');
  expect((await change({ isConsoleOpen: true })).status).toBe(200);
});

test('two managers who test at the same time share one test', async () => {
  const { promise, resolve } = Promise.withResolvers<readonly NetworkTestView[]>();
  let runs = 0;
  const gateway = await openTestGateway({}, undefined, {
    async openConsoleNetwork(store) {
      const network = await openGivenNetwork(store);
      return { ...network, test: () => ((runs += 1), promise) };
    },
  });
  onTestFinished(() => gateway.close());
  const manager = await enter(gateway);
  const calls = [manager.send('POST', '/api/network/test'), manager.send('POST', '/api/network/test')];
  await expect.poll(() => runs).toBe(1);
  await manager.get('/api/network'); // this answer shows that the gateway has received both earlier calls
  const result = [{ address: 'https://192.168.1.20:7410', fault: null }];
  resolve(result);
  expect((await Promise.all(calls)).map(({ text }) => JSON.parse(text) as unknown)).toEqual([result, result]);
  expect(runs).toBe(1);
});

test('until a change is applied, the view says that the rest of it is older', async () => {
  const { gateway, manager, change } = await open({ settings: CLOSED_NETWORK });
  expect((await manager.get('/api/network')).json()).not.toHaveProperty('isApplying');
  const settings = { ...CLOSED_NETWORK, isOpen: true };
  expect((await change({ isOpen: true })).json()).toMatchObject({ settings, isApplying: true });
  await gateway.store.network.change({ isOpen: false }, 'Ann');
  expect((await manager.get('/api/network')).json()).not.toHaveProperty('isApplying');
});
