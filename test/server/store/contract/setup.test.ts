// The contract of the ledger of what people set up, for every engine.

import { describe, expect, test } from 'vitest';

import type { Mode } from '../../../../server/contract/codes.ts';
import { always } from '../../../../server/store-day.ts';
import { generateSecret } from '../../../../server/store/setup/key-secret.ts';
import type { Key, NewKey, Setup } from '../../../../server/store/setup/ledger.ts';
import { ACTS } from '../../../support/acts.ts';
import { engines } from './engines.ts';

const NOON = Date.parse('2026-11-22T12:00Z');
const BAKERY = { name: 'Bakery', timeZone: 'Europe/Amsterdam', dayStartsAt: 240 };

function keyFor(label: string, more: Partial<NewKey> = {}): NewKey {
  const mode: Mode = more.mode ?? 'production';
  const secret = generateSecret(mode);
  return { administration: 'Bakery', mode, label, interface: 'both', secret, isAdopted: false, ...more };
}

async function createKey(setup: Setup, wanted: NewKey): Promise<Key> {
  const key = await setup.createKey(wanted, 'test');
  if (key === undefined) throw new Error('a key of this secret already exists');
  return key;
}

describe.each(engines)('the set-up on $name', ({ makeSite }) => {
  const open = async (now = () => NOON) => (await makeSite().open({ now })).setup;

  describe('keys', () => {
    test('a key is found by its secret, in the journal of its administration and mode', async () => {
      const setup = await open();
      const wanted = keyFor('Till 1', { interface: 'current' });
      const key = await createKey(setup, wanted);
      expect(key).toEqual({
        id: key.id,
        journalId: key.journalId,
        tillId: key.tillId,
        administration: 'Bakery',
        mode: 'production',
        label: 'Till 1',
        interface: 'current',
        isAdopted: false,
        createdAt: NOON,
        lastUsedAt: null,
        expiresAt: null,
        revokedAt: null,
      });
      expect(setup.findKey(wanted.secret)).toEqual(key);
      expect(setup.findKey(`${wanted.secret}x`)).toBeUndefined();
      expect(await setup.listKeys()).toEqual([key]);
      expect(setup.administrationOf(key).name).toBe('Bakery');
    });

    test('a till keeps its id, whatever its key; each journal has tills of its own', async () => {
      const setup = await open();
      const first = await createKey(setup, keyFor('Till 1'));
      const again = await createKey(setup, keyFor('Till 1'));
      const inTest = await createKey(setup, keyFor('Till 1', { mode: 'test' }));
      expect(again).toMatchObject({ tillId: first.tillId, journalId: first.journalId });
      expect(inTest.tillId).not.toBe(first.tillId);
      expect(inTest.journalId).not.toBe(first.journalId);
    });

    test('a secret belongs to one key, revoked or not', async () => {
      const setup = await open();
      const wanted = keyFor('Till 1');
      const key = await createKey(setup, wanted);
      expect(await setup.createKey({ ...wanted, label: 'Till 2' }, 'test')).toBeUndefined();
      await setup.revokeKey(key.id, 'test');
      expect(await setup.createKey(wanted, 'test')).toBeUndefined();
      expect(await setup.listKeys()).toHaveLength(1);
    });

    test('a revoked key keeps the time of the first call', async () => {
      let now = NOON;
      const setup = await open(() => now);
      const wanted = keyFor('Till 1');
      const { id } = await createKey(setup, wanted);
      expect(await setup.revokeKey(id, 'test')).toMatchObject({ id, revokedAt: NOON });
      now += 1000;
      expect(await setup.revokeKey(id, 'test')).toMatchObject({ id, revokedAt: NOON });
      expect(setup.findKey(wanted.secret)).toMatchObject({ revokedAt: NOON });
      expect(await setup.revokeKey(id + 1, 'test')).toBeUndefined();
    });

    test('a rotated key works until it expires, beside the key that replaces it', async () => {
      let now = NOON;
      const setup = await open(() => now);
      const wanted = keyFor('Till 1', { interface: 'earlier' });
      const { id, tillId } = await createKey(setup, wanted);
      const rotated = await setup.rotateKey(id, 5000, 'test');
      if (rotated.kind !== 'rotated') throw new Error(rotated.kind);
      expect(rotated.replaced).toMatchObject({ id, expiresAt: NOON + 5000, revokedAt: null });
      expect(setup.findKey(rotated.secret)).toEqual(rotated.key);
      expect(rotated.key).toMatchObject({ tillId, interface: 'earlier', isAdopted: false, expiresAt: null });
      expect(await setup.rotateKey(id, 5000, 'test')).toMatchObject({ kind: 'ended', key: { id } });
      expect(await setup.rotateKey(999, 5000, 'test')).toEqual({ kind: 'unknown' });
      now = NOON + 5000;
      expect(setup.findKey(wanted.secret)).toMatchObject({ revokedAt: NOON + 5000 });
      expect((await setup.listKeys()).map(({ revokedAt }) => revokedAt)).toEqual([NOON + 5000, null]);
    });

    test('the last use of a key is listed at once, and an earlier one does not replace it', async () => {
      const setup = await open();
      const { id } = await createKey(setup, keyFor('Till 1'));
      for (const at of [NOON + 2, NOON + 1]) {
        setup.noteKeyUse(id, at);
        expect(await setup.listKeys()).toMatchObject([{ id, lastUsedAt: NOON + 2 }]);
      }
    });

    test('a change of another process is known within a second', async () => {
      const site = makeSite();
      const [gateway, command] = [await site.open(), await site.open({ role: 'command' })];
      const wanted = keyFor('Till 1');
      const { id } = await createKey(command.setup, wanted);
      await expect.poll(() => gateway.setup.findKey(wanted.secret)).toMatchObject({ id });
      await command.setup.revokeKey(id, 'test');
      await expect.poll(() => gateway.setup.findKey(wanted.secret)?.revokedAt).toEqual(expect.any(Number));
    });
  });

  describe('a missing key', () => {
    test('is made once, however often it is asked for', async () => {
      const setup = await open();
      const first = await setup.createMissingKey(keyFor('Till 1'), 'test');
      expect(first?.existed).toBe(false);
      const acts = await setup.listActs({ limit: 10 });
      expect(await setup.createMissingKey(keyFor('Till 1'), 'test')).toEqual({ key: first?.key, existed: true });
      expect(await setup.createMissingKey(keyFor('Till 1', { interface: 'current' }), 'test')).toMatchObject({
        existed: true,
      });
      expect(await setup.listKeys()).toHaveLength(1);
      expect(await setup.listActs({ limit: 10 })).toEqual(acts);
    });

    test('is made by one of two processes that ask at once', async () => {
      const site = makeSite();
      const [gateway, command] = [await site.open(), await site.open({ role: 'command' })];
      const results = await Promise.all(
        [gateway, command, gateway, command].map(({ setup }) => setup.createMissingKey(keyFor('Till 1'), 'test')),
      );
      expect(results.filter((result) => result?.existed === false)).toHaveLength(1);
      expect(new Set(results.map((result) => result?.key.id)).size).toBe(1);
      expect(await gateway.setup.listKeys()).toHaveLength(1);
    });

    test.each<[name: string, end: (setup: Setup, id: number) => Promise<unknown>]>([
      ['was revoked', (setup, id) => setup.revokeKey(id, 'test')],
      ['was rotated, and its successor revoked', (setup, id) => rotateAndRevoke(setup, id)],
    ])('is made where the one before %s', async (_name, end) => {
      const setup = await open();
      const { id } = await createKey(setup, keyFor('Till 1'));
      await end(setup, id);
      expect(await setup.createMissingKey(keyFor('Till 1'), 'test')).toMatchObject({ existed: false });
    });

    test.each<[name: string, other: Partial<NewKey>]>([
      ['another till', { label: 'Till 2' }],
      ['the other mode', { mode: 'test' }],
      ['another administration', { administration: 'Café' }],
      ['one interface only', { interface: 'current' }],
    ])('is made where there is only a key of %s', async (_name, other) => {
      const setup = await open();
      await createKey(setup, keyFor('Till 1', other));
      expect(await setup.createMissingKey(keyFor('Till 1'), 'test')).toMatchObject({ existed: false });
    });

    test('that a till brings is adopted beside its other key, and found again by its secret only', async () => {
      const setup = await open();
      await createKey(setup, keyFor('Till 1'));
      const adopted = keyFor('Till 1', { isAdopted: true });
      expect(await setup.createMissingKey(adopted, 'test')).toMatchObject({ existed: false });
      expect(await setup.createMissingKey(adopted, 'test')).toMatchObject({ existed: true, key: { isAdopted: true } });
      expect(await setup.createMissingKey({ ...adopted, label: 'Till 2' }, 'test')).toBeUndefined();
      expect(await setup.listKeys()).toHaveLength(2);
    });
  });

  describe('administrations', () => {
    test('are listed by name, each with a journal per mode and its lanes', async () => {
      const { setup, outbox } = await makeSite().open();
      expect(await setup.createAdministration({ ...BAKERY, name: 'Café' }, 'test')).toMatchObject({ name: 'Café' });
      expect(await setup.createAdministration(BAKERY, 'test')).toEqual({
        ...BAKERY,
        dayRules: always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }),
        customer: null,
        versions: ['v1'],
        resources: [
          { name: 'transaction', idParameter: 'transactionid' },
          { name: 'cancellations', idParameter: 'transactionid' },
        ],
        forwarded: ['NEW'],
        othersSend: false,
      });
      expect(await setup.createAdministration(BAKERY, 'test')).toBeUndefined();
      expect((await setup.listAdministrations()).map(({ name }) => name)).toEqual(['Bakery', 'Café']);
      expect(await setup.listJournals()).toMatchObject([
        { administration: 'Bakery', mode: 'production', timeZone: 'Europe/Amsterdam', hasRecords: false },
        { administration: 'Bakery', mode: 'test' },
        { administration: 'Café', mode: 'production' },
        { administration: 'Café', mode: 'test' },
      ]);
      expect(outbox.lanes()).toHaveLength(8);
    });

    test('a change is there after a restart, and leaves the rest as it is', async () => {
      const site = makeSite();
      const before = await site.open();
      const made = await before.setup.createAdministration(BAKERY, 'test');
      const change = { customer: { name: 'bakery', id: '42' }, forwarded: ['NEW', 'ERROR'], othersSend: true } as const;
      const result = await before.setup.changeAdministration('Bakery', change, 'test');
      expect(result).toEqual({ kind: 'changed', administration: { ...made, ...change } });
      await before.close();
      const { setup } = await site.open();
      expect(await setup.listAdministrations()).toEqual([{ ...made, ...change }]);
    });

    test('a renamed administration keeps its journals and keys', async () => {
      const setup = await open();
      const wanted = keyFor('Till 1');
      const { journalId } = await createKey(setup, wanted);
      await setup.changeAdministration('Bakery', { name: 'Corner' }, 'test');
      expect(setup.findKey(wanted.secret)).toMatchObject({ administration: 'Corner', journalId });
      expect((await setup.listJournals()).map(({ administration }) => administration)).toEqual(['Corner']);
    });

    test('a name, and an address, belong to one', async () => {
      const setup = await open();
      await setup.createAdministration(BAKERY, 'test');
      await setup.createAdministration({ ...BAKERY, name: 'Café' }, 'test');
      const customer = { name: 'bakery', id: '42' };
      await setup.changeAdministration('Bakery', { customer }, 'test');
      expect(await setup.changeAdministration('Café', { customer }, 'test')).toEqual({ kind: 'taken', by: 'Bakery' });
      expect(await setup.changeAdministration('Café', { name: 'Bakery' }, 'test')).toEqual({ kind: 'name taken' });
      expect(await setup.changeAdministration('Kiosk', { othersSend: true }, 'test')).toEqual({ kind: 'unknown' });
    });
  });

  describe('the log of acts', () => {
    test('keeps each act as it was noted', async () => {
      const setup = await open();
      for (const [act] of ACTS) await setup.noteAct({ act }, 'Ann');
      const acts = await setup.listActs({ limit: 500 });
      expect(acts.toReversed().map(({ act }) => act)).toEqual(ACTS.map(([act]) => act));
      const nothing = { administration: null, mode: null, interface: null };
      for (const each of acts) expect(each).toMatchObject({ at: NOON, actor: 'Ann', ...nothing });
    });

    test('has one entry for each change, with its store, and none where nothing changes', async () => {
      const setup = await open();
      await setup.createAdministration(BAKERY, 'Ann');
      const key = await createKey(setup, keyFor('Till 1'));
      await setup.changeAdministration('Bakery', { name: 'Bar', dayStartsAt: 0 }, 'Ann');
      await setup.changeAdministration('Bar', { dayStartsAt: 0 }, 'Ann');
      await setup.revokeKey(key.id, 'Ann');
      await setup.revokeKey(key.id, 'Ann');
      expect(await setup.listActs({ limit: 10 })).toMatchObject([
        { administration: 'Bar', mode: 'production', act: { kind: 'revoke key', till: 'Till 1', keyId: key.id } },
        {
          administration: 'Bakery',
          mode: null,
          act: {
            kind: 'change administration',
            changes: [
              { member: 'name', before: 'Bakery', after: 'Bar' },
              { member: 'dayStartsAt', before: 240, after: 0 },
            ],
          },
        },
        { administration: 'Bakery', mode: 'production', act: { kind: 'create key' } },
        { administration: 'Bakery', act: { kind: 'create administration' } },
      ]);
    });

    test('is read in pages, newest first; acts about lanes can be read alone', async () => {
      const setup = await open();
      const lane = { administration: 'Bakery', mode: 'production', interface: 'earlier' } as const;
      await setup.noteAct({ act: { kind: 'pause' }, ...lane }, 'Ann');
      await setup.noteAct({ act: { kind: 'sign out' } }, 'Ann');
      await setup.noteAct({ act: { kind: 'resume' }, ...lane }, 'Ann');
      const all = await setup.listActs({ limit: 10 });
      expect(all.map(({ act }) => act.kind)).toEqual(['resume', 'sign out', 'pause']);
      expect(await setup.listActs({ limit: 2 })).toEqual(all.slice(0, 2));
      expect(await setup.listActs({ limit: 2, beforeId: all[1]?.id })).toEqual(all.slice(2));
      expect(await setup.listActs({ limit: 10, aboutLanes: true })).toEqual([all[0], all[2]]);
      expect(all[0]).toMatchObject(lane);
    });
  });
});

async function rotateAndRevoke(setup: Setup, id: number): Promise<void> {
  const rotated = await setup.rotateKey(id, 60_000, 'test');
  if (rotated.kind === 'rotated') await setup.revokeKey(rotated.key.id, 'test');
}
