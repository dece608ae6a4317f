// Encrypts secrets in the database with AES-256-GCM, so that the file alone does not reveal them. The key is in the keyring of
// the operating system. Without a keyring, secrets are stored in plain text.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Prefix of sealed text. No upstream key has a space, so no unsealed key can begin like this. */
const MARK = 'sealed 1 ';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Length of the sealing key. */
export const SEAL_KEY_BYTES = 32;

export interface Seal {
  /** Seals a secret for storage. Returns an already sealed secret as it is. */
  seal(kept: string): string;
  /** Decrypts a stored secret. Returns undefined if the secret was sealed with another key. */
  unseal(kept: string): string | undefined;
}

/** `key` has 32 random bytes; undefined without a keyring. */
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
        return undefined; // the secret was sealed with another key, or its bytes were changed
      }
    },
  };
}

/** SQL condition: a column has a sealed secret. */
export function isSealed(column: string): string {
  return `${column} LIKE '${MARK}%'`;
}
