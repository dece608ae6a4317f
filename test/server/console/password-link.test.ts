// How long a link for a new password works.

import { expect, test } from 'vitest';

import { openPasswordLinks } from '../../../server/console/password-link.ts';
import { HOUR, startVirtualTime } from '../../support/virtual-time.ts';

const ANN = { name: 'Ann', role: 'clerk', createdAt: 1 } as const;

test('a link works for 24 hours, and again only if the password could not be stored', async () => {
  const time = startVirtualTime();
  const links = openPasswordLinks(time);
  const { code, expiresAt } = links.create(ANN, 'stamp');
  expect(expiresAt).toBe(time.now() + 24 * HOUR);
  await time.pass(24 * HOUR - 1);
  expect([links.find(code)?.user, links.find('another code')]).toEqual([ANN, undefined]);
  const link = links.take(code);
  expect(link).toMatchObject({ user: ANN, replaces: 'stamp' });
  expect(links.find(code)).toBeUndefined();
  expect(links.take(code)).toBeUndefined();
  link?.putBack();
  await time.pass(1);
  expect(links.take(code)).toBeUndefined();
});

test('a newer link ends the link of the same user, even if that one is put back', () => {
  const links = openPasswordLinks(startVirtualTime());
  const zoe = links.create({ ...ANN, name: 'Zoe' }, 'stamp');
  const [first, second] = [links.create(ANN, 'stamp'), links.create(ANN, 'stamp')];
  expect(links.take(first.code)).toBeUndefined();
  const taken = links.take(second.code);
  const third = links.create(ANN, 'stamp');
  taken?.putBack();
  expect(links.take(second.code)).toBeUndefined();
  expect(links.take(third.code)?.user).toEqual(ANN);
  expect(links.take(zoe.code)?.user.name).toBe('Zoe');
});
