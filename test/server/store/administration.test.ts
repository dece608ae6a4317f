// Administrations as the store keeps them: what each begins with, what can be changed, and who gets to know.

import { describe, expect, test } from 'vitest';

import { openStore } from '../../../server/store/store.ts';
import { makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

const BEGINNING = {
  customer: null,
  versions: ['v1'],
  resources: [
    { name: 'transaction', idParameter: 'transactionid' },
    { name: 'cancellations', idParameter: 'transactionid' },
  ],
};
const ADDRESS = { name: 'bakery', id: '42' };

async function openWith(...names: string[]) {
  const store = await openTemporaryStore();
  for (const administration of names) await makeKey(store, 'Till 1', { administration });
  return store;
}

test('an administration begins without address, with version v1 and two resources, and is listed by name', async () => {
  const store = await openWith('Café', 'Bakery');
  expect(await store.listAdministrations()).toEqual([
    { name: 'Bakery', ...BEGINNING },
    { name: 'Café', ...BEGINNING },
  ]);
});

test('the administration of a key is that of both its modes', async () => {
  const store = await openWith('Bakery');
  const underTest = await makeKey(store, 'Till 2', { mode: 'test' });
  await store.changeAdministration('Bakery', { customer: ADDRESS });
  expect(store.administrationOf(underTest)).toEqual({ name: 'Bakery', ...BEGINNING, customer: ADDRESS });
});

describe('a change', () => {
  test.each([
    ['the address', { customer: ADDRESS }],
    ['the versions', { versions: ['v2', '2026-01'] }],
    ['the resources', { resources: [{ name: 'refund', idParameter: 'refundid' }] }],
    ['everything', { customer: ADDRESS, versions: [], resources: [] }],
    ['nothing', {}],
  ])('of %s leaves the rest as it was, and is known at once', async (_name, change) => {
    const store = await openWith('Bakery', 'Café');
    const key = await makeKey(store, 'Till 2');
    const administration = { name: 'Bakery', ...BEGINNING, ...change };
    expect(await store.changeAdministration('Bakery', change)).toEqual({ kind: 'changed', administration });
    expect(store.administrationOf(key)).toEqual(administration);
    expect(await store.listAdministrations()).toEqual([administration, { name: 'Café', ...BEGINNING }]);
  });

  test('adds to the one before it, and an address can be taken away again', async () => {
    const store = await openWith('Bakery');
    await store.changeAdministration('Bakery', { customer: ADDRESS });
    await store.changeAdministration('Bakery', { versions: ['v2'] });
    expect(await store.listAdministrations()).toMatchObject([{ customer: ADDRESS, versions: ['v2'] }]);
    await store.changeAdministration('Bakery', { customer: null });
    expect(await store.listAdministrations()).toMatchObject([{ customer: null, versions: ['v2'] }]);
  });

  test('is there after a restart', async () => {
    const dataDir = temporaryFolder();
    const before = await openStore({ dataDir, role: 'gateway' });
    await makeKey(before);
    await before.changeAdministration('Bakery', { customer: ADDRESS, versions: ['v9'] });
    await before.close();
    const after = await openTemporaryStore({ dataDir });
    expect(await after.listAdministrations()).toEqual([
      { name: 'Bakery', ...BEGINNING, customer: ADDRESS, versions: ['v9'] },
    ]);
  });

  test('of one that is not there is unknown, and makes none', async () => {
    const store = await openWith('Bakery');
    for (const name of ['bakery', 'Bakery ', 'Café', ''])
      expect(await store.changeAdministration(name, { versions: ['v2'] })).toEqual({ kind: 'unknown' });
    expect(await store.listAdministrations()).toEqual([{ name: 'Bakery', ...BEGINNING }]);
  });

  test('to an address that another has is refused and names who, and changes nothing', async () => {
    const store = await openWith('Bakery', 'Café');
    await store.changeAdministration('Bakery', { customer: ADDRESS });
    expect(await store.changeAdministration('Café', { customer: ADDRESS, versions: ['v2'] })).toEqual({
      kind: 'taken',
      by: 'Bakery',
    });
    expect(await store.listAdministrations()).toMatchObject([
      { customer: ADDRESS },
      { customer: null, versions: ['v1'] },
    ]);
  });

  test('to its own address again, to the same name with another id, or to one that was given up, is done', async () => {
    const store = await openWith('Bakery', 'Café');
    for (const [name, customer] of [
      ['Bakery', ADDRESS],
      ['Bakery', ADDRESS],
      ['Café', { ...ADDRESS, id: '43' }],
      ['Bakery', null],
      ['Café', ADDRESS],
    ] as const)
      expect(await store.changeAdministration(name, { customer })).toMatchObject({
        kind: 'changed',
        administration: { name, customer },
      });
  });

  test('of two at once to one address, one is done', async () => {
    const store = await openWith('Bakery', 'Café');
    const results = await Promise.all(
      ['Bakery', 'Café'].map((name) => store.changeAdministration(name, { customer: ADDRESS })),
    );
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['changed', 'taken']);
  });

  test('by another process is known within a second, together with the keys', async () => {
    const dataDir = temporaryFolder();
    const gateway = await openTemporaryStore({ dataDir });
    const key = await makeKey(gateway);
    const command = await openStore({ dataDir, role: 'command' });
    await command.changeAdministration('Bakery', { customer: ADDRESS });
    await expect.poll(() => gateway.administrationOf(key).customer, { timeout: 1000, interval: 10 }).toEqual(ADDRESS);
    const secret = 'prod_made-by-another-process';
    await makeKey(command, 'Till 9', { administration: 'New', secret });
    await expect
      .poll(() => gateway.findKey(secret), { timeout: 1000, interval: 10 })
      .toMatchObject({ administration: 'New' });
    expect(gateway.administrationOf(gateway.findKey(secret)!)).toEqual({ name: 'New', ...BEGINNING }); // the poll found it
    await command.close();
  });
});
