// The log of acts, for every engine. It has every change of the set-up by a person, and contains no secret.

import { describe, expect, test } from 'vitest';

import { machineZone } from '../../../../server/lib/calendar.ts';
import { generateSecret } from '../../../../server/store/setup/key-secret.ts';
import { ACTS } from '../../../support/acts.ts';
import { makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

describe.each(engines)('the log of acts on $name', ({ makeSite }) => {
  test('acts on keys, administrations and lanes are logged in their order', async () => {
    let now = 0;
    const store = await makeSite().open({ now: () => (now += 1) });
    const secret = generateSecret('test');
    const wanted = { administration: 'Bakery', mode: 'test', label: 'Till 1', interface: 'current', secret } as const;
    const key = await store.setup.createKey({ ...wanted, isAdopted: false }, 'ann');
    await store.setup.createKey({ ...wanted, secret: 'test_adopted-secret', isAdopted: true }, 'ann');
    const rotated = await store.setup.rotateKey(key?.id ?? 0, 86_400_000, 'bob');
    await store.setup.revokeKey(2, 'bob');
    const lane = { administration: 'Bakery', mode: 'test', interface: 'earlier' } as const;
    await store.outbox.performAct(lane, { kind: 'pause' }, 'ann');
    await store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Berlin', dayStartsAt: 240 }, 'ann');

    const acts = await store.setup.listActs({ limit: 100 });
    const ofTest = { administration: 'Bakery', mode: 'test', interface: null };
    const ofKey = { till: 'Till 1', interface: 'current' };
    expect(acts.toReversed().map(({ id: _, at: __, ...act }) => act)).toEqual([
      { actor: 'ann', ...ofTest, mode: null, act: { kind: 'create administration' } },
      { actor: 'ann', ...ofTest, act: { kind: 'create key', ...ofKey, keyId: 1 } },
      { actor: 'ann', ...ofTest, act: { kind: 'adopt key', ...ofKey, keyId: 2 } },
      {
        actor: 'bob',
        ...ofTest,
        act: {
          kind: 'rotate key',
          till: 'Till 1',
          keyId: 3,
          replacedId: 1,
          replacedUntil: rotated.kind === 'rotated' && rotated.replaced.expiresAt,
        },
      },
      { actor: 'bob', ...ofTest, act: { kind: 'revoke key', ...ofKey, keyId: 2 } },
      { actor: 'ann', ...ofTest, interface: 'earlier', act: { kind: 'pause' } },
      {
        actor: 'ann',
        ...ofTest,
        mode: null,
        act: {
          kind: 'change administration',
          changes: [
            { member: 'timeZone', before: machineZone(), after: 'Europe/Berlin' },
            { member: 'dayStartsAt', before: 0, after: 240 },
          ],
        },
      },
    ]);
    const ats = acts.map(({ at }) => at);
    expect(ats).toEqual(ats.toSorted((a, b) => b - a));
    const secrets = [secret, 'test_adopted-secret', rotated.kind === 'rotated' ? rotated.secret : ''];
    for (const each of secrets) expect(JSON.stringify(acts)).not.toContain(each);
  });

  test('an act that changes nothing is not logged', async () => {
    const store = await makeSite().open();
    const secret = generateSecret('production');
    const key = await makeKey(store, 'Till 1', { secret });
    await store.setup.revokeKey(key.id, 'test');
    const before = await store.setup.listActs({ limit: 100 });
    await makeKey(store, 'Till 2', { secret }).catch(() => {});
    await store.setup.revokeKey(key.id, 'test');
    await store.setup.revokeKey(999, 'test');
    await store.setup.rotateKey(key.id, 1000, 'test');
    await store.setup.changeAdministration('Bakery', { dayStartsAt: 0, versions: ['v1'] }, 'test');
    await store.setup.changeAdministration('Butcher', { dayStartsAt: 60 }, 'test');
    expect(await store.setup.listActs({ limit: 100 })).toEqual(before);
  });

  test('pages follow each other, and a filter finds only the acts on lanes', async () => {
    const store = await makeSite().open();
    await makeKey(store);
    const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
    for (const kind of ['pause', 'resume', 'try now'] as const) await store.outbox.performAct(lane, { kind }, 'ann');
    const all = await store.setup.listActs({ limit: 100 });
    expect(all.map(({ act }) => act.kind)).toEqual([
      'try now',
      'resume',
      'pause',
      'create key',
      'create administration',
    ]);
    expect(await store.setup.listActs({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await store.setup.listActs({ limit: 2, beforeId: all[1]?.id })).toEqual(all.slice(2, 4));
    expect(await store.setup.listActs({ limit: 100, aboutLanes: true })).toEqual(all.slice(0, 3));
  });

  test('each act is read back as it was logged, also after a restart', async () => {
    const site = makeSite();
    const before = await site.open({ now: () => 1000 });
    for (const [act] of ACTS) await before.setup.noteAct({ act }, 'Ann');
    await before.close();
    const { setup } = await site.open();
    const acts = await setup.listActs({ limit: 500 });
    expect(acts.toReversed().map(({ act }) => act)).toEqual(ACTS.map(([act]) => act));
    const nothing = { administration: null, mode: null, interface: null };
    for (const each of acts) expect(each).toMatchObject({ at: 1000, actor: 'Ann', ...nothing });
  });
});
