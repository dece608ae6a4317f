// Passwords: what is kept of them, and whether one is right. Each check costs the same, whether or not there is anything
// to check against, and only one runs at a time: it takes 32 MiB and a twentieth of a second.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const COST = 2 ** 15;
const DIGEST_BYTES = 32;
const MAX_MEMORY = 64 * 1024 * 1024;
/** A long text is hashed first anyway; nobody types one. */
const MAX_CHARACTERS = 1000;

export const MIN_PASSWORD_CHARACTERS = 10;

export interface PasswordDigest {
  readonly salt: Uint8Array;
  /** The cost that scrypt was given, N. */
  readonly cost: number;
  readonly digest: Uint8Array;
}

/** Why a password is not taken, as a sentence without its subject; undefined when it is. */
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

/** Whether it is the password; with nothing to check against it takes as long and is not. */
export async function isPassword(password: string, kept: PasswordDigest | undefined): Promise<boolean> {
  const { salt, cost, digest } = kept ?? NOBODY;
  const isEqual = timingSafeEqual(await derive(password, salt, cost), digest);
  return isEqual && kept !== undefined;
}

const NOBODY: PasswordDigest = { salt: new Uint8Array(16), cost: COST, digest: new Uint8Array(DIGEST_BYTES) };

let latest: Promise<unknown> = Promise.resolve();

/** One after the other. */
function derive(password: string, salt: Uint8Array, cost: number): Promise<Buffer> {
  const work = latest.then(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        // However a keyboard writes an accent, it is the same password.
        scrypt(password.normalize('NFC'), salt, DIGEST_BYTES, { N: cost, maxmem: MAX_MEMORY }, (error, key) =>
          error === null ? resolve(key) : reject(error),
        );
      }),
  );
  latest = work.catch(() => {});
  return work;
}
