// Hashes passwords and checks them. A check takes the same time with and without a stored hash, so it does not reveal which
// users exist. Only one hash is computed at a time, because each takes 32 MiB and 50 ms.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const COST = 2 ** 15;
const DIGEST_BYTES = 32;
const MAX_MEMORY = 64 * 1024 * 1024;
/** Maximum length of a password. */
const MAX_CHARACTERS = 1000;

export const MIN_PASSWORD_CHARACTERS = 10;

export interface PasswordDigest {
  readonly salt: Uint8Array;
  /** The cost parameter N of scrypt. */
  readonly cost: number;
  readonly digest: Uint8Array;
}

/** The reason to refuse a new password, such as "must have at least …". Undefined if the password is acceptable. */
export function findPasswordFault(password: string): string | undefined {
  if ([...password].length < MIN_PASSWORD_CHARACTERS) {
    return `must have at least ${MIN_PASSWORD_CHARACTERS} characters`;
  }
  if (password.length > MAX_CHARACTERS) return `must have at most ${MAX_CHARACTERS} characters`;
  if (/\p{Cc}/u.test(password) || !password.isWellFormed()) return 'must not contain control characters';
  return undefined;
}

export async function digestPassword(password: string): Promise<PasswordDigest> {
  const salt = randomBytes(16);
  return { salt, cost: COST, digest: await derive(password, salt, COST) };
}

/** Whether the password matches. If `kept` is undefined, returns false after the same time. */
export async function isPassword(password: string, kept: PasswordDigest | undefined): Promise<boolean> {
  const { salt, cost, digest } = kept ?? NOBODY;
  const isEqual = timingSafeEqual(await derive(password, salt, cost), digest);
  return isEqual && kept !== undefined;
}

const NOBODY: PasswordDigest = { salt: new Uint8Array(16), cost: COST, digest: new Uint8Array(DIGEST_BYTES) };

/**
 * The stored password of a user who has not chosen one yet. It matches no password. It can be recognised by its salt of zeros.
 * Its digest is random, so each further reset ends the links and sessions that belong to the reset before.
 */
export function missingPassword(): PasswordDigest {
  return { ...NOBODY, digest: randomBytes(DIGEST_BYTES) };
}

let latest: Promise<unknown> = Promise.resolve();

/** Hashes a password. Waits until all earlier hashes are done. */
function derive(password: string, salt: Uint8Array, cost: number): Promise<Buffer> {
  const work = latest.then(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        // Normalises the text, because keyboards encode accents in different ways.
        scrypt(password.normalize('NFC'), salt, DIGEST_BYTES, { N: cost, maxmem: MAX_MEMORY }, (error, key) =>
          error === null ? resolve(key) : reject(error),
        );
      }),
  );
  latest = work.catch(() => {});
  return work;
}
