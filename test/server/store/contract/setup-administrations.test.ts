// The administrations of the set-up, for every engine.

import { beforeEach, describe, expect, test } from 'vitest';

import type { Customer } from '../../../../server/contract/setup.ts';
import { machineZone } from '../../../../server/lib/calendar.ts';
import { always } from '../../../../server/store-day.ts';
import { generateSecret } from '../../../../server/store/setup/key-secret.ts';
import type { Key } from '../../../../server/store/setup/ledger.ts';
import type { Store } from '../../../../server/store/store.ts';
import { makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const BEGINNING = {
  customer: null,
  versions: ['v1'],
  resources: [
    { name: 'transaction', idParameter: 'transactionid' },
    { name: 'cancellations', idParameter: 'transactionid' },
  ],
  forwarded: ['NEW'],
  othersSend: false,
  timeZone: machineZone(),
  dayStartsAt: 0,
  dayRules: always({ timeZone: machineZone(), dayStartsAt: 0 }),
};

describe.each(engines)('administrations on $name', ({ makeSite }) => {
  let store: Store;
  beforeEach(async () => {
    store = await makeSite().open();
  });

  async function makeTwo(): Promise<{ bakery: Key; cafe: Key; address: Customer }> {
    return {
      bakery: await makeKey(store, 'Till 1', { administration: 'Bakery' }),
      cafe: await makeKey(store, 'Till 1', { administration: 'Café' }),
      address: { name: 'bakery', id: '42' },
    };
  }

  /** The administrations of these keys, as the list shows them. */
  async function listed(...keys: readonly Key[]) {
    const names = keys.map(({ administration }) => administration);
    return (await store.setup.listAdministrations()).filter(({ name }) => names.includes(name));
  }

  test('an administration starts without an address, with version v1 and two resources, and is listed by name', async () => {
    const { bakery, cafe } = await makeTwo();
    expect(await listed(cafe, bakery)).toEqual([
      { name: bakery.administration, ...BEGINNING },
      { name: cafe.administration, ...BEGINNING },
    ]);
    const names = (await store.setup.listAdministrations()).map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
  });

  test('a key belongs to the same administration in both modes', async () => {
    const { bakery, address } = await makeTwo();
    const { administration: name } = bakery;
    const underTest = await makeKey(store, 'Till 2', { mode: 'test', administration: name });
    await store.setup.changeAdministration(name, { customer: address }, 'test');
    expect(store.setup.administrationOf(underTest)).toEqual({ name, ...BEGINNING, customer: address });
  });

  describe('a change', () => {
    test.each([
      ['the address', { customer: { name: 'alone', id: '1' } }],
      ['the versions', { versions: ['v2', '2026-01'] }],
      ['the resources', { resources: [{ name: 'refund', idParameter: 'refundid' }] }],
      ['the setting that others send to the same upstream', { othersSend: true }],
      ['the forwarded statuses', { forwarded: ['NEW', 'ERROR'] as const }],
      ['everything', { customer: { name: 'all', id: '1' }, versions: [], resources: [] }],
      ['the time zone', { timeZone: 'Europe/Amsterdam' }],
      ['the beginning of its days', { dayStartsAt: 255 }],
      ['nothing', {}],
    ])('of %s leaves all other settings unchanged, and is visible at once', async (_name, change) => {
      const { bakery, cafe } = await makeTwo();
      const { timeZone, dayStartsAt, ...rest } = { ...BEGINNING, ...change };
      const dayRules = always({ timeZone, dayStartsAt });
      const administration = { name: bakery.administration, ...rest, timeZone, dayStartsAt, dayRules };
      expect(await store.setup.changeAdministration(bakery.administration, change, 'test')).toEqual({
        kind: 'changed',
        administration,
      });
      expect(store.setup.administrationOf(bakery)).toEqual(administration);
      expect(await listed(bakery, cafe)).toEqual([administration, { name: cafe.administration, ...BEGINNING }]);
    });

    test('adds to earlier changes, and can remove an address again', async () => {
      const { bakery, address } = await makeTwo();
      await store.setup.changeAdministration(bakery.administration, { customer: address }, 'test');
      await store.setup.changeAdministration(bakery.administration, { versions: ['v2'] }, 'test');
      expect(await listed(bakery)).toMatchObject([{ customer: address, versions: ['v2'] }]);
      await store.setup.changeAdministration(bakery.administration, { customer: null }, 'test');
      expect(await listed(bakery)).toMatchObject([{ customer: null, versions: ['v2'] }]);
    });

    test('of an unknown administration is refused, and creates none', async () => {
      const before = await store.setup.listAdministrations();
      for (const name of ['bakery', 'Bakery 1 ', 'Butcher', ''])
        expect(await store.setup.changeAdministration(name, { versions: ['v2'] }, 'test')).toEqual({ kind: 'unknown' });
      expect(await store.setup.listAdministrations()).toEqual(before);
    });

    test('to an address of another administration is refused, names the owner, and changes nothing', async () => {
      const { bakery, cafe, address } = await makeTwo();
      await store.setup.changeAdministration(bakery.administration, { customer: address }, 'test');
      expect(
        await store.setup.changeAdministration(cafe.administration, { customer: address, versions: ['v2'] }, 'test'),
      ).toEqual({
        kind: 'taken',
        by: bakery.administration,
      });
      expect(await listed(bakery, cafe)).toMatchObject([{ customer: address }, { customer: null, versions: ['v1'] }]);
    });

    test('to its own address, to the same name with another id, or to a released address succeeds', async () => {
      const { bakery, cafe, address } = await makeTwo();
      for (const [{ administration: name }, customer] of [
        [bakery, address],
        [bakery, address],
        [cafe, { ...address, id: 'other' }],
        [bakery, null],
        [cafe, address],
      ] as const) {
        expect(await store.setup.changeAdministration(name, { customer }, 'test')).toMatchObject({
          kind: 'changed',
          administration: { name, customer },
        });
      }
    });

    test('to the same address succeeds for one of two simultaneous calls', async () => {
      const { bakery, cafe, address } = await makeTwo();
      const results = await Promise.all(
        [bakery, cafe].map((key) =>
          store.setup.changeAdministration(key.administration, { customer: address }, 'test'),
        ),
      );
      expect(results.map(({ kind }) => kind).toSorted()).toEqual(['changed', 'taken']);
    });

    test('by another process is visible to the gateway, as new keys are, and survives a restart', async () => {
      const site = makeSite();
      const customer = { name: 'bakery', id: '42' };
      const gateway = await site.open();
      const key = await makeKey(gateway);
      const command = await site.open({ role: 'command' });
      await command.setup.changeAdministration('Bakery', { customer }, 'test');
      await expect.poll(() => gateway.setup.administrationOf(key).customer).toEqual(customer);
      const secret = generateSecret('production');
      const other = await makeKey(command, 'Till 9', { administration: 'New', secret });
      await expect.poll(() => gateway.setup.findKey(secret)?.id).toBe(other.id);
      expect(gateway.setup.administrationOf(other)).toEqual({ name: 'New', ...BEGINNING });
      await command.close();
      await gateway.close();
      const after = await site.open();
      expect(after.setup.administrationOf(key)).toEqual({ name: 'Bakery', ...BEGINNING, customer });
    });
  });

  test('a renamed administration keeps its keys, lanes and records', async () => {
    const key = await makeKey(store, 'Till 1', { administration: 'My store', mode: 'test' });
    const { journalId } = key;
    await makeKey(store, 'Till 1', { administration: 'Other store' });
    expect(await store.setup.changeAdministration('My store', { name: 'Other store' }, 'Ann')).toEqual({
      kind: 'name taken',
    });
    const renamed = await store.setup.changeAdministration('My store', { name: 'Corner' }, 'Ann');
    expect(renamed).toMatchObject({ kind: 'changed', administration: { name: 'Corner' } });
    expect((await store.setup.listKeys()).find(({ id }) => id === key.id)).toMatchObject({
      administration: 'Corner',
      journalId,
    });
    expect(store.outbox.lanes().find((lane) => lane.journalId === journalId)).toMatchObject({
      administration: 'Corner',
    });
    const [act] = await store.setup.listActs({ limit: 1 });
    expect(act).toMatchObject({
      administration: 'My store',
      act: { kind: 'change administration', changes: [{ member: 'name', before: 'My store', after: 'Corner' }] },
    });
  });

  test('an administration can be created before any key, with a journal and lanes for each mode; its name is unique', async () => {
    const wanted = { name: 'Kiosk', timeZone: 'Europe/Amsterdam', dayStartsAt: 240 };
    expect(await store.setup.createAdministration(wanted, 'Ann')).toEqual({
      ...BEGINNING,
      ...wanted,
      dayRules: always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }),
    });
    expect(await store.setup.createAdministration({ ...wanted, timeZone: 'UTC' }, 'Ben')).toBeUndefined();
    const isKiosk = ({ administration }: { administration: string | null }): boolean => administration === 'Kiosk';
    expect((await store.setup.listJournals()).filter(isKiosk)).toEqual([
      expect.objectContaining({ mode: 'production' }),
      expect.objectContaining({ mode: 'test' }),
    ]);
    expect(store.outbox.lanes().filter(isKiosk)).toHaveLength(4);
    const acts = (await store.setup.listActs({ limit: 50 })).filter(isKiosk);
    expect(acts).toMatchObject([{ actor: 'Ann', act: { kind: 'create administration' } }]);
    const key = await makeKey(store, 'Till 1', { administration: 'Kiosk' });
    expect((await store.setup.listJournals()).filter(isKiosk).map(({ id }) => id)).toContain(key.journalId);
  });
});
