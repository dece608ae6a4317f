// The random key that encrypts the gateway's secrets. It is stored in a file that only this system's keyring can decrypt.
// Without a keyring, the gateway's secrets are not encrypted, and the app tells the user.

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { SafeStorage } from 'electron';

export interface KeyringParts {
  readonly keyring: Pick<
    SafeStorage,
    'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
  >;
  readonly platform: NodeJS.Platform;
  /** The file with the key, encrypted by the keyring. */
  readonly file: string;
  readonly onFault: (doing: string, error: unknown) => void;
}

const KEY_BYTES = 32;

/**
 * Reads the key, or makes one: 32 bytes in Base64. Null if the system has no keyring, or if its keyring cannot decrypt the
 * file. In that case the file stays unchanged: the keyring may be locked, and can then decrypt the file after it is unlocked.
 */
export async function readSealKey({ keyring, platform, file, onFault }: KeyringParts): Promise<string | null> {
  try {
    if (!(await keyring.isAsyncEncryptionAvailable())) return null;
    // On Linux without a keyring, Electron would encrypt with a publicly known password.
    if (platform === 'linux' && ['basic_text', 'unknown'].includes(keyring.getSelectedStorageBackend())) return null;
    const keep = async (key: string): Promise<void> => {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(`${file}.new`, await keyring.encryptStringAsync(key), { mode: 0o600, flush: true });
      await rename(`${file}.new`, file);
    };
    const kept = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (kept === undefined) {
      const key = randomBytes(KEY_BYTES).toString('base64');
      await keep(key);
      return key;
    }
    const { result, shouldReEncrypt } = await keyring.decryptStringAsync(kept);
    if (Buffer.from(result, 'base64').length !== KEY_BYTES) throw new Error(`${file} does not have a key in it`);
    if (shouldReEncrypt) await keep(result).catch((error: unknown) => onFault('encrypt the key again', error));
    return result;
  } catch (error) {
    onFault('use the keyring of this system', error);
    return null;
  }
}
