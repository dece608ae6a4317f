// How passwords are stored.

import { expect, test } from 'vitest';

import { digestPassword, isPassword, missingPassword } from '../../../server/lib/password.ts';

test('a password matches its own digest only', async () => {
  const kept = await digestPassword('correct horse');
  expect(await isPassword('correct horse', kept)).toBe(true);
  expect(await isPassword('correct house', kept)).toBe(false);
  expect(await isPassword('correct horse', undefined)).toBe(false);
});

test('no password matches a missing one, and no two missing ones are equal', async () => {
  const missing = missingPassword();
  expect(await isPassword('', missing)).toBe(false);
  expect(missingPassword().digest).not.toEqual(missing.digest);
});
