// The log of acts: everything that people change is in it, with who did it, and no secret is.

import { expect, test } from 'vitest';

import { machineZone } from '../../../../../server/lib/calendar.ts';
import { generateSecret } from '../../../../../server/store/setup/key-secret.ts';
import { makeKey, openTemporaryStore } from '../../../../support/temp-store.ts';

test('what is done about keys, administrations and lanes is noted in the order it was done', async () => {
  let now = 0;
  const store = await openTemporaryStore({ now: () => (now += 1) });
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
  expect(acts.toReversed().map(({ id: _, at: __, ...act }) => act)).toEqual([
    { actor: 'ann', act: 'create administration', ...ofTest, mode: null, detail: '' },
    { actor: 'ann', act: 'create key', ...ofTest, detail: 'Till 1, key 1, for current' },
    { actor: 'ann', act: 'adopt key', ...ofTest, detail: 'Till 1, key 2, for current' },
    {
      actor: 'bob',
      act: 'rotate key',
      ...ofTest,
      detail: expect.stringMatching(
        /^Till 1, key 3, instead of key 1, which works until 1970-01-02T00:00:00.\d+Z$/,
      ) as string,
    },
    { actor: 'bob', act: 'revoke key', ...ofTest, detail: 'Till 1, key 2, for current' },
    { actor: 'ann', act: 'pause', ...ofTest, interface: 'earlier', detail: '' },
    {
      actor: 'ann',
      act: 'change administration',
      ...ofTest,
      mode: null,
      detail: `timeZone: "${machineZone()}" → "Europe/Berlin", dayStartsAt: 0 → 240`,
    },
  ]);
  const ats = acts.map(({ at }) => at);
  expect(ats).toEqual(ats.toSorted((a, b) => b - a));
  const secrets = [secret, 'test_adopted-secret', rotated.kind === 'rotated' ? rotated.secret : ''];
  for (const each of secrets) expect(JSON.stringify(acts)).not.toContain(each);
});

test('what changes nothing is not noted', async () => {
  const store = await openTemporaryStore();
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

test('pages follow each other, and those about lanes are found alone', async () => {
  const store = await openTemporaryStore();
  await makeKey(store);
  const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
  for (const kind of ['pause', 'resume', 'try now'] as const) await store.outbox.performAct(lane, { kind }, 'ann');
  const all = await store.setup.listActs({ limit: 100 });
  expect(all.map(({ act }) => act)).toEqual(['try now', 'resume', 'pause', 'create key', 'create administration']);
  expect(await store.setup.listActs({ limit: 2 })).toEqual(all.slice(0, 2));
  expect(await store.setup.listActs({ limit: 2, beforeId: all[1]?.id })).toEqual(all.slice(2, 4));
  expect(await store.setup.listActs({ limit: 100, aboutLanes: true })).toEqual(all.slice(0, 3));
});
