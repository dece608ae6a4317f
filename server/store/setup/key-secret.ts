// The secrets of keys: generation, prefix, digest, and the adoption of a key that a till already uses.

import { hash, randomInt } from 'node:crypto';

import { KEY_PREFIXES, type KeyInterface, type Mode } from '../../contract/codes.ts';
import { isAdoptable } from './input-rules.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 base62 characters hold 256 bits. */
const SECRET_LENGTH = 43;

/** Makes a key: the prefix of its mode, and 256 random bits. */
export function generateSecret(mode: Mode): string {
  return KEY_PREFIXES[mode] + Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('');
}

/** The mode that the prefix of a key stands for; undefined for an unknown prefix (docs/interface.md#keys). */
function modeOfSecret(secret: string): Mode | undefined {
  if (secret.startsWith(KEY_PREFIXES.production)) return 'production';
  if (secret.startsWith(KEY_PREFIXES.test)) return 'test';
  return undefined;
}

/** Whether a key that a till already uses can be adopted. `actual` is the mode of its prefix. */
export type Adoption =
  | { readonly kind: 'adoptable'; readonly interface: KeyInterface }
  /** The key has no prefix, but a test key needs a prefix. */
  | { readonly kind: 'prefix' }
  /** The key has no prefix, but a key of the current interface needs a prefix. */
  | { readonly kind: 'interface' }
  | { readonly kind: 'mode'; readonly actual: Mode }
  /** The key is too short or too long, or has a character that is not allowed. */
  | { readonly kind: 'key' };

/**
 * Says whether a till's key can be adopted as a key of a mode, and on which interface. A key without a prefix is an access
 * token of the earlier interface. On that interface, only test keys must have a prefix (docs/interface.md#keys). So a person
 * may adopt a token without a prefix as a production key.
 */
export function adoptionOf(secret: string, mode: Mode, wanted: KeyInterface | undefined): Adoption {
  const actual = modeOfSecret(secret);
  if (actual === undefined && mode !== 'production') return { kind: 'prefix' };
  if (actual === undefined && wanted !== undefined && wanted !== 'earlier') return { kind: 'interface' };
  if (actual !== undefined && actual !== mode) return { kind: 'mode', actual };
  if (!isAdoptable(secret)) return { kind: 'key' };
  return { kind: 'adoptable', interface: actual === undefined ? 'earlier' : (wanted ?? 'both') };
}

/** Returns the SHA-256 in base64. The store finds keys by this digest. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'base64');
}
