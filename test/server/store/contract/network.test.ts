// The contract of the ledger of the network (settings and authorities), for every engine.

import { describe, expect, test } from 'vitest';

import { CLOSED_NETWORK, type NewAuthority } from '../../../../server/store/network/ledger.ts';
import { engines } from './engines.ts';

const AUTHORITY: NewAuthority = { certificate: 'a certificate', key: 'a key', fingerprint: 'AA:BB' };

describe.each(engines)('the network on $name', ({ makeSite }) => {
  test('is closed until somebody opens it', async () => {
    const { network } = await makeSite().open();
    expect(await network.settings()).toEqual(CLOSED_NETWORK);
  });

  test('a change keeps the other settings, survives a restart, and is in the log of acts once', async () => {
    const site = makeSite();
    const before = await site.open();
    expect(await before.network.change({ isOpen: true, interfaces: ['eth0'] }, 'Ann')).toEqual({
      ...CLOSED_NETWORK,
      isOpen: true,
      interfaces: ['eth0'],
    });
    await before.network.change({ isOpen: true }, 'Ann'); // no difference
    await before.close();
    const { network, setup } = await site.open();
    expect(await network.change({ isAnnounced: false, interfaces: null }, 'Ben')).toEqual({
      ...CLOSED_NETWORK,
      isOpen: true,
      isAnnounced: false,
    });
    expect((await setup.listActs({ limit: 10 })).map(({ actor, act }) => ({ actor, act }))).toEqual([
      {
        actor: 'Ben',
        act: {
          kind: 'change network',
          changes: [
            { member: 'interfaces', before: ['eth0'], after: null },
            { member: 'isAnnounced', before: null, after: false },
          ],
        },
      },
      {
        actor: 'Ann',
        act: {
          kind: 'change network',
          changes: [
            { member: 'isOpen', before: false, after: true },
            { member: 'interfaces', before: null, after: ['eth0'] },
          ],
        },
      },
    ]);
  });

  test('a change by a command reaches the gateway', async () => {
    const site = makeSite();
    const gateway = await site.open();
    const told: string[] = [];
    gateway.watch({ setupChanged: () => told.push('set-up') });
    const command = await site.open({ role: 'command' });
    await command.network.change({ isOpen: true }, 'command line');
    expect(told).not.toEqual([]);
    expect(await gateway.network.settings()).toMatchObject({ isOpen: true });
  });

  test('authorities are listed newest first, with their keys', async () => {
    const { network } = await makeSite().open();
    expect(await network.authorities()).toEqual([]);
    expect(await network.addAuthority(AUTHORITY, undefined, 'gateway')).toBe(true);
    const [first] = await network.authorities();
    expect(first).toMatchObject(AUTHORITY);
    expect(await network.addAuthority({ ...AUTHORITY, fingerprint: 'CC' }, first?.id, 'gateway')).toBe(true);
    expect((await network.authorities()).map(({ fingerprint }) => fingerprint)).toEqual(['CC', 'AA:BB']);
  });

  test('of two processes that make an authority at the same time, one succeeds', async () => {
    const site = makeSite();
    const [gateway, command] = [await site.open(), await site.open({ role: 'command' })];
    const added = await Promise.all([
      gateway.network.addAuthority(AUTHORITY, undefined, 'gateway'),
      command.network.addAuthority({ ...AUTHORITY, fingerprint: 'CC' }, undefined, 'command line'),
    ]);
    expect(added.toSorted()).toEqual([false, true]);
    expect(await gateway.network.authorities()).toHaveLength(1);
  });

  test("an authority's key is sealed with the keyring, and unreadable with another", async () => {
    const site = makeSite();
    const before = await site.open({ sealKey: Buffer.alloc(32, 1) });
    await before.network.addAuthority(AUTHORITY, undefined, 'gateway');
    expect(await before.network.authorities()).toMatchObject([{ key: 'a key' }]);
    await before.close();
    const { network } = await site.open({ sealKey: Buffer.alloc(32, 2) });
    expect(await network.authorities()).toMatchObject([{ certificate: 'a certificate', key: undefined }]);
  });

  test('the last address of a key is kept until another replaces it', async () => {
    const { setup } = await makeSite().open();
    const wanted = { administration: 'Bar', mode: 'test', label: 'Till 1', interface: 'both' } as const;
    const key = await setup.createKey({ ...wanted, secret: 'test_0123456789', isAdopted: false }, 'Ann');
    if (key === undefined) throw new Error('no key was made');
    expect(key.lastAddress).toBeNull();
    setup.noteKeyUse(key.id, 5, 'https://192.168.1.20:7410');
    expect(await setup.listKeys()).toMatchObject([{ lastAddress: 'https://192.168.1.20:7410' }]);
    setup.noteKeyUse(key.id, 6);
    expect(await setup.listKeys()).toMatchObject([{ lastUsedAt: 6, lastAddress: 'https://192.168.1.20:7410' }]);
  });
});
