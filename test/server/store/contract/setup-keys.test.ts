// The keys of the set-up, for every engine.

import { describe, expect, test } from 'vitest';

import type { Mode } from '../../../../server/contract/codes.ts';
import { generateSecret } from '../../../../server/store/setup/key-secret.ts';
import type { Key, NewKey, SetupLedger } from '../../../../server/store/setup/ledger.ts';
import { engines } from './engines.ts';

const NOON = Date.parse('2026-11-22T12:00Z');

function keyFor(label: string, more: Partial<NewKey> = {}): NewKey {
  const mode: Mode = more.mode ?? 'production';
  const secret = generateSecret(mode);
  return { administration: 'Bakery', mode, label, interface: 'both', secret, isAdopted: false, ...more };
}

async function createKey(setup: SetupLedger, wanted: NewKey): Promise<Key> {
  const key = await setup.createKey(wanted, 'test');
  if (key === undefined) throw new Error('a key of this secret already exists');
  return key;
}

describe.each(engines)('keys on $name', ({ makeSite }) => {
  const open = async (now = () => NOON) => (await makeSite().open({ now })).setup;

  describe('a key', () => {
    test('is found by its secret, in the journal of its administration and mode', async () => {
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
        lastAddress: null,
        expiresAt: null,
        revokedAt: null,
      });
      expect(setup.findKey(wanted.secret)).toEqual(key);
      expect(setup.findKey(`${wanted.secret}x`)).toBeUndefined();
      expect(await setup.listKeys()).toEqual([key]);
      expect(setup.administrationOf(key).name).toBe('Bakery');
    });

    test('a till keeps its id with any key; each journal has its own tills', async () => {
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

    test('a repeated revocation keeps the time of the first', async () => {
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

    test('a rotated key works until it expires, together with its replacement', async () => {
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

    test('a change by another process takes effect within a second', async () => {
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
    test('is created once, even if it is requested repeatedly', async () => {
      const setup = await open();
      const first = await setup.ensureKey(keyFor('Till 1'), 'test');
      expect(first?.isNew).toBe(true);
      const acts = await setup.listActs({ limit: 10 });
      expect(await setup.ensureKey(keyFor('Till 1'), 'test')).toEqual({ key: first?.key, isNew: false });
      expect(await setup.ensureKey(keyFor('Till 1', { interface: 'current' }), 'test')).toMatchObject({
        isNew: false,
      });
      expect(await setup.listKeys()).toHaveLength(1);
      expect(await setup.listActs({ limit: 10 })).toEqual(acts);
    });

    test('is created by one of two processes that request it at the same time', async () => {
      const site = makeSite();
      const [gateway, command] = [await site.open(), await site.open({ role: 'command' })];
      const results = await Promise.all(
        [gateway, command, gateway, command].map(({ setup }) => setup.ensureKey(keyFor('Till 1'), 'test')),
      );
      expect(results.filter((result) => result?.isNew === true)).toHaveLength(1);
      expect(new Set(results.map((result) => result?.key.id)).size).toBe(1);
      expect(await gateway.setup.listKeys()).toHaveLength(1);
    });

    test.each<[name: string, end: (setup: SetupLedger, id: number) => Promise<unknown>]>([
      ['was revoked', (setup, id) => setup.revokeKey(id, 'test')],
      ['was rotated, and its successor was revoked', (setup, id) => rotateAndRevoke(setup, id)],
    ])('is created if the previous one %s', async (_name, end) => {
      const setup = await open();
      const { id } = await createKey(setup, keyFor('Till 1'));
      await end(setup, id);
      expect(await setup.ensureKey(keyFor('Till 1'), 'test')).toMatchObject({ isNew: true });
    });

    test.each<[name: string, other: Partial<NewKey>]>([
      ['another till', { label: 'Till 2' }],
      ['the other mode', { mode: 'test' }],
      ['another administration', { administration: 'Café' }],
      ['one interface', { interface: 'current' }],
    ])('is created if there is only a key of %s', async (_name, other) => {
      const setup = await open();
      await createKey(setup, keyFor('Till 1', other));
      expect(await setup.ensureKey(keyFor('Till 1'), 'test')).toMatchObject({ isNew: true });
    });

    test('that a till brings is adopted beside its other key, and found again only by its secret', async () => {
      const setup = await open();
      await createKey(setup, keyFor('Till 1'));
      const adopted = keyFor('Till 1', { isAdopted: true });
      expect(await setup.ensureKey(adopted, 'test')).toMatchObject({ isNew: true });
      expect(await setup.ensureKey(adopted, 'test')).toMatchObject({ isNew: false, key: { isAdopted: true } });
      expect(await setup.ensureKey({ ...adopted, label: 'Till 2' }, 'test')).toBeUndefined();
      expect(await setup.listKeys()).toHaveLength(2);
    });
  });
});

async function rotateAndRevoke(setup: SetupLedger, id: number): Promise<void> {
  const rotated = await setup.rotateKey(id, 60_000, 'test');
  if (rotated.kind === 'rotated') await setup.revokeKey(rotated.key.id, 'test');
}
