// The system's keyring protects the key that seals secrets. Without a keyring, that key does not exist.

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { type KeyringParts, readSealKey } from '../../electron/keyring.ts';
import { temporaryFolder } from '../support/temp-store.ts';

/** A fake keyring that "encrypts" by reversing texts. */
function open(more: Partial<KeyringParts['keyring']> = {}) {
  const faults: string[] = [];
  const reversed = (text: string): string => text.split('').toReversed().join('');
  const parts: KeyringParts = {
    keyring: {
      isAsyncEncryptionAvailable: () => Promise.resolve(true),
      getSelectedStorageBackend: () => 'gnome_libsecret',
      encryptStringAsync: (text) => Promise.resolve(Buffer.from(reversed(text))),
      decryptStringAsync: (bytes) => Promise.resolve({ result: reversed(String(bytes)), shouldReEncrypt: false }),
      ...more,
    },
    platform: 'linux',
    file: join(temporaryFolder(), 'app', 'seal-key'),
    onFault: (doing) => void faults.push(doing),
  };
  return { parts, faults, read: (changed: Partial<KeyringParts> = {}) => readSealKey({ ...parts, ...changed }) };
}

test('the key is made once, has 32 bytes, and is stored encrypted by the keyring', async () => {
  const { parts, read } = open();
  const key = (await read()) ?? '';
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(await read()).toBe(key);
  expect(readFileSync(parts.file, 'utf8')).not.toBe(key);
  expect(statSync(parts.file).mode & 0o777).toBe(0o600);
});

test.each(['basic_text', 'unknown'] as const)('a Linux without a keyring (%s) has no key', async (backend) => {
  const { read } = open({ getSelectedStorageBackend: () => backend });
  expect(await read()).toBeNull();
  expect(await read({ platform: 'darwin' })).not.toBeNull(); // the app asks only on Linux which keyring the system has
});

test('a keyring that is missing or cannot decrypt the key leaves the file unchanged', async () => {
  const { parts, read, faults } = open();
  const key = await read();
  const before = readFileSync(parts.file);
  const { keyring } = parts;
  expect(await read({ keyring: { ...keyring, isAsyncEncryptionAvailable: () => Promise.resolve(false) } })).toBeNull();
  const locked = { ...keyring, decryptStringAsync: () => Promise.reject(new Error('locked')) };
  expect(await read({ keyring: locked })).toBeNull();
  expect(faults).toEqual(['use the keyring of this system']);
  expect(readFileSync(parts.file)).toEqual(before);
  expect(await read()).toBe(key);
});

test('the key is encrypted again when the keyring requests it', async () => {
  const { parts, read } = open();
  const key = await read();
  const changed = {
    ...parts.keyring,
    decryptStringAsync: (bytes: Buffer) =>
      parts.keyring.decryptStringAsync(bytes).then(({ result }) => ({ result, shouldReEncrypt: true })),
    encryptStringAsync: (text: string) => Promise.resolve(Buffer.from(`new ${text}`)),
  };
  expect(await read({ keyring: changed })).toBe(key);
  expect(readFileSync(parts.file, 'utf8')).toBe(`new ${key}`);
});

test('an unreadable file does not cause a new key', async () => {
  const { parts, read, faults } = open();
  writeFileSync(join(parts.file, '../..', 'app'), ''); // a file where the folder should be
  expect(await read()).toBeNull();
  expect(faults).toHaveLength(1);
});

test('an invalid key is not used', async () => {
  const { parts, read, faults } = open();
  mkdirSync(join(parts.file, '..'), { recursive: true });
  writeFileSync(parts.file, 'short');
  expect(await read()).toBeNull();
  expect(faults).toHaveLength(1);
});
