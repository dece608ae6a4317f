// The contract of the ledger of people (users and links), for every engine.

import { describe, expect, test } from 'vitest';

import { missingPassword } from '../../../../server/lib/password.ts';
import type { User } from '../../../../server/store/people/ledger.ts';
import { engines } from './engines.ts';

const ANN: User = {
  name: 'Ann',
  role: 'manager',
  createdAt: 1000,
  password: { salt: Buffer.alloc(16, 1), cost: 1024, digest: Buffer.alloc(32, 2) },
};
const BEN: User = { ...ANN, name: 'Ben', role: 'clerk', createdAt: 2000 };

describe.each(engines)('people on $name', ({ makeSite }) => {
  test('users are listed by name, without their passwords', async () => {
    const { people } = await makeSite().open();
    expect(await people.list()).toEqual([]);
    expect(await people.add(BEN, 'test')).toBe(true);
    expect(await people.add(ANN, 'test')).toBe(true);
    expect(await people.list()).toEqual([
      { name: 'Ann', role: 'manager', createdAt: 1000, hasPassword: true },
      { name: 'Ben', role: 'clerk', createdAt: 2000, hasPassword: true },
    ]);
  });

  test('the list says who has no password yet', async () => {
    const { people } = await makeSite().open();
    await people.add({ ...ANN, password: missingPassword() }, 'test');
    expect(await people.list()).toMatchObject([{ name: 'Ann', hasPassword: false }]);
    const { password: replaced } = (await people.find('Ann'))!; // `!`: Ann was just added
    await people.changePassword({ name: 'Ann', createdAt: ANN.createdAt, replaced, password: ANN.password });
    expect(await people.list()).toMatchObject([{ hasPassword: true }]);
    await people.resetPassword({ name: 'Ann', password: missingPassword() }, 'test');
    expect(await people.list()).toMatchObject([{ hasPassword: false }]);
  });

  test('a user is found with the password digest, after a restart too', async () => {
    const site = makeSite();
    const before = await site.open();
    await before.people.add(ANN, 'test');
    await before.close();
    const { people } = await site.open();
    const { password, ...user } = (await people.find('Ann')) ?? { password: undefined };
    expect(user).toEqual({ name: 'Ann', role: 'manager', createdAt: 1000 });
    expect(password?.cost).toBe(1024);
    expect(Buffer.from(password?.salt ?? [])).toEqual(ANN.password.salt);
    expect(Buffer.from(password?.digest ?? [])).toEqual(ANN.password.digest);
    expect(await people.find('Ben')).toBeUndefined();
  });

  test('a name that differs only in capitals or spaces is the same user', async () => {
    const { people } = await makeSite().open();
    await people.add(ANN, 'test');
    expect(await people.find(' aNN ')).toMatchObject({ name: 'Ann' });
    expect(await people.add({ ...BEN, name: 'ANN' }, 'test')).toBe(false);
    expect(await people.list()).toHaveLength(1);
    expect(await people.remove('ann', 'test', true)).toBe('changed');
    expect(await people.remove('ann', 'test')).toBe('unknown');
    expect(await people.list()).toEqual([]);
  });

  test('if two processes add one user at the same time, one succeeds', async () => {
    const site = makeSite();
    const [gateway, command] = [await site.open(), await site.open({ role: 'command' })];
    const added = await Promise.all([gateway.people.add(ANN, 'gateway'), command.people.add(ANN, 'command')]);
    expect(added.toSorted()).toEqual([false, true]);
    expect(await gateway.people.list()).toHaveLength(1);
  });

  test('a password replaces only the one that was checked, so it never overtakes a reset', async () => {
    const { people } = await makeSite().open();
    await people.add(ANN, 'test');
    await people.resetPassword({ name: 'Ann', password: missingPassword() }, 'test');
    const change = { name: 'Ann', createdAt: 1000, replaced: ANN.password, password: { ...ANN.password, cost: 2048 } };
    expect(await people.changePassword(change)).toBe(false);
    expect(await people.list()).toMatchObject([{ hasPassword: false }]);
  });

  test('a manager who cannot sign in does not count as the last one', async () => {
    const { people } = await makeSite().open();
    await people.add(ANN, 'test');
    await people.add({ ...ANN, name: 'New', password: missingPassword() }, 'test');
    expect(await people.changeRole({ name: 'Ann', role: 'clerk' }, 'test')).toBe('last manager');
    expect(await people.remove('Ann', 'test')).toBe('last manager');
  });

  test('a password changes only for the user with the given creation time', async () => {
    const { people } = await makeSite().open();
    await people.add(ANN, 'test');
    const password = { ...ANN.password, cost: 2048 };
    expect(await people.changePassword({ name: 'Ann', createdAt: 1000, replaced: ANN.password, password })).toBe(true);
    expect((await people.find('Ann'))?.password.cost).toBe(2048);
    await people.remove('Ann', 'test', true);
    await people.add({ ...ANN, createdAt: 3000 }, 'test');
    expect(await people.changePassword({ name: 'Ann', createdAt: 1000, replaced: ANN.password, password })).toBe(false);
    expect((await people.find('Ann'))?.password.cost).toBe(1024);
  });

  test('the last manager is neither removed nor demoted, unless somebody insists', async () => {
    const { people } = await makeSite().open();
    await people.add(ANN, 'test');
    await people.add(BEN, 'test');
    expect(await people.remove('ann', 'test')).toBe('last manager');
    expect(await people.changeRole({ name: 'ann', role: 'clerk' }, 'test')).toBe('last manager');
    expect(await people.changeRole({ name: 'ann', role: 'manager' }, 'test')).toBe('changed');
    expect(await people.changeRole({ name: 'ben', role: 'manager' }, 'test')).toBe('changed');
    expect(await people.changeRole({ name: 'ann', role: 'clerk' }, 'test')).toBe('changed');
    expect(await people.list()).toMatchObject([{ role: 'clerk' }, { role: 'manager' }]);
    expect(await people.changeRole({ name: 'Ben', role: 'clerk' }, 'test', true)).toBe('changed');
    expect(await people.changeRole({ name: 'Cas', role: 'clerk' }, 'test')).toBe('unknown');
  });

  test('two processes that demote the last two managers leave one', async () => {
    const site = makeSite();
    const [gateway, command] = [await site.open(), await site.open({ role: 'command' })];
    await gateway.people.add(ANN, 'test');
    await gateway.people.add({ ...BEN, role: 'manager' }, 'test');
    const results = await Promise.all([
      gateway.people.changeRole({ name: 'Ann', role: 'clerk' }, 'test'),
      command.people.remove('Ben', 'test'),
    ]);
    expect(results.toSorted()).toEqual(['changed', 'last manager']);
  });

  test('a role and a reset password are in the log of acts, without the password', async () => {
    const { people, setup } = await makeSite().open();
    await people.add(ANN, 'test');
    await people.add(BEN, 'test');
    const password = { ...BEN.password, cost: 2048 };
    await people.changeRole({ name: 'ben', role: 'manager' }, 'Ann');
    expect(await people.resetPassword({ name: 'ben', password }, 'Ann')).toEqual({
      name: 'Ben',
      role: 'manager',
      createdAt: 2000,
    });
    expect(await people.resetPassword({ name: 'Cas', password }, 'Ann')).toBeUndefined();
    expect((await people.find('Ben'))?.password.cost).toBe(2048);
    const acts = await setup.listActs({ limit: 2 });
    expect(acts.map(({ actor, act }) => [actor, act])).toEqual([
      ['Ann', { kind: 'reset password', name: 'Ben' }],
      ['Ann', { kind: 'change role', name: 'Ben', before: 'clerk', after: 'manager' }],
    ]);
  });

  test('a link opens the console once, in another process too', async () => {
    const site = makeSite();
    const gateway = await site.open({ now: () => 1000 });
    const command = await site.open({ role: 'command', now: () => 1000 });
    const secret = await command.people.createLink(2000);
    expect(secret).toMatch(/^[\w-]+$/);
    expect(await command.people.createLink(2000)).not.toBe(secret);
    for (const wrong of [`${secret}x`, '', 'prod_something']) expect(await gateway.people.useLink(wrong)).toBe(false);
    const uses = await Promise.all([gateway, gateway, command].map(({ people }) => people.useLink(secret)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await gateway.people.useLink(secret)).toBe(false);
  });

  test('a link has expired at its time', async () => {
    let now = 1999;
    const { people } = await makeSite().open({ now: () => now });
    const [used, late] = [await people.createLink(2000), await people.createLink(2000)];
    expect(await people.useLink(used)).toBe(true);
    now = 2000;
    expect(await people.useLink(late)).toBe(false);
  });
});
