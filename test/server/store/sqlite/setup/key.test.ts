// Replacing a key.

import { describe, expect, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

describe('a replaced key', () => {
  test('works together with the new one until it expires', async () => {
    let now = 1000;
    const store = await openTemporaryStore({ now: () => now });
    const old = await makeKey(store, 'Till 1', { secret: 'prod_old-secret-of-till' });
    const result = await store.setup.rotateKey(old.id, 5000, 'ann');
    if (result.kind !== 'rotated') throw new Error(result.kind);
    expect(result.replaced).toEqual({ ...old, expiresAt: 6000 });
    expect(result.key).toEqual({ ...old, id: result.key.id, createdAt: 1000 });
    expect(result.secret).toMatch(/^prod_\w{43}$/);
    expect(store.setup.findKey(result.secret)).toEqual(result.key);
    now = 5999;
    expect(store.setup.findKey('prod_old-secret-of-till')).toMatchObject({ revokedAt: null, expiresAt: 6000 });
    now = 6000;
    expect(store.setup.findKey('prod_old-secret-of-till')).toMatchObject({ revokedAt: 6000 });
    expect(store.setup.findKey(result.secret)).toMatchObject({ revokedAt: null });
    expect(await store.setup.listKeys()).toMatchObject([{ revokedAt: 6000 }, { revokedAt: null }]);
    expect(await store.glance.listTills(old.journalId, [])).toMatchObject([
      { keys: [{ revokedAt: 6000 }, { revokedAt: null }] },
    ]);
  });

  test('has a successor for the same till, mode and interface, which is not marked as adopted', async () => {
    const store = await openTemporaryStore();
    const wanted = { administration: 'Bakery', mode: 'test', label: 'Till 3', interface: 'earlier' } as const;
    const old = await store.setup.createKey({ ...wanted, secret: 'test_adopted-secret', isAdopted: true }, 'ann');
    expect(await store.setup.rotateKey(old?.id ?? 0, 0, 'ann')).toMatchObject({
      kind: 'rotated',
      key: { ...wanted, tillId: old?.tillId, isAdopted: false },
      replaced: { revokedAt: expect.any(Number) },
    });
    expect(store.setup.findKey('test_adopted-secret')?.revokedAt).toBeTypeOf('number');
  });

  test('can be revoked before it expires', async () => {
    const store = await openTemporaryStore({ now: () => 1000 });
    const old = await makeKey(store);
    await store.setup.rotateKey(old.id, 5000, 'ann');
    expect(await store.setup.revokeKey(old.id, 'ann')).toMatchObject({ revokedAt: 1000, expiresAt: 6000 });
  });

  test('is not replaced again; neither is a revoked or missing key', async () => {
    const store = await openTemporaryStore();
    const [one, two] = [await makeKey(store), await makeKey(store)];
    await store.setup.rotateKey(one.id, 5000, 'ann');
    await store.setup.revokeKey(two.id, 'ann');
    expect(await store.setup.rotateKey(one.id, 5000, 'ann')).toMatchObject({ kind: 'ended', key: { id: one.id } });
    expect(await store.setup.rotateKey(two.id, 5000, 'ann')).toMatchObject({ kind: 'ended', key: { id: two.id } });
    expect(await store.setup.rotateKey(999, 5000, 'ann')).toEqual({ kind: 'unknown' });
    expect(await store.setup.listKeys()).toHaveLength(3);
  });

  test('by another process also ends in a running gateway', async () => {
    const dataDir = temporaryFolder();
    const gateway = await openTemporaryStore({ dataDir });
    const old = await makeKey(gateway, 'Till 1', { secret: 'prod_old-secret-of-till' });
    const command = await openStore({ dataDir, role: 'command' });
    const result = await command.setup.rotateKey(old.id, 0, 'command line');
    await expect.poll(() => gateway.setup.findKey('prod_old-secret-of-till')?.revokedAt).toBeTypeOf('number');
    expect(result.kind === 'rotated' && gateway.setup.findKey(result.secret)?.label).toBe('Till 1');
    await command.close();
  });
});
