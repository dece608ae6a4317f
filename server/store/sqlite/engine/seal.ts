// Keeps a secret unreadable in the database for whoever has no more than its file: AES-256-GCM with a key that is kept elsewhere,
// in the keyring of the operating system. Without such a key secrets are kept as they are.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Begins what is sealed. No key upstream has a space in it, so none looks sealed. */
const MARK = 'sealed 1 ';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Of the key. */
export const SEAL_KEY_BYTES = 32;

export interface Seal {
  /** As it is to be kept. What is sealed already stays as it is. */
  seal(kept: string): string;
  /** Undefined where it was sealed with a key that is not this one. */
  unseal(kept: string): string | undefined;
}

/** `key` is 32 random bytes; undefined where there is nothing to keep one in. */
export function openSeal(key: Uint8Array | undefined): Seal {
  return {
    seal(kept) {
      if (key === undefined || kept.startsWith(MARK)) return kept;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const sealed = Buffer.concat([nonce, cipher.update(kept, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return MARK + sealed.toString('base64');
    },
    unseal(kept) {
      if (!kept.startsWith(MARK)) return kept;
      if (key === undefined) return undefined;
      const sealed = Buffer.from(kept.slice(MARK.length), 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined; // another key, or bytes that were changed
      }
    },
  };
}
