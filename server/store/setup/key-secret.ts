// The secrets of keys: how they are made, what their prefix says, and how one that a till uses already is taken over.

import { hash, randomInt } from 'node:crypto';

import { KEY_PREFIXES, type KeyInterface, type Mode } from '../../contract/codes.ts';
import { isAdoptable } from './input-rules.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 characters of base62 carry 256 bits. */
const SECRET_LENGTH = 43;

/** Makes a key with 256 random bits behind the prefix of its mode. */
export function generateSecret(mode: Mode): string {
  return KEY_PREFIXES[mode] + Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('');
}

/** The mode of a key's prefix, or undefined for an unknown prefix (docs/interface.md#keys). */
function modeOfSecret(secret: string): Mode | undefined {
  if (secret.startsWith(KEY_PREFIXES.production)) return 'production';
  if (secret.startsWith(KEY_PREFIXES.test)) return 'test';
  return undefined;
}

/** How a key that a till uses already can be taken over; `actual` is the mode that its prefix says. */
export type Adoption =
  | { readonly kind: 'adoptable'; readonly interface: KeyInterface }
  /** It has no prefix, which a test key and a key of the current interface must have. */
  | { readonly kind: 'prefix' }
  /** It has no prefix, and is to speak more than the earlier interface. */
  | { readonly kind: 'interface' }
  | { readonly kind: 'mode'; readonly actual: Mode }
  /** Too short, too long or with other characters. */
  | { readonly kind: 'key' };

/**
 * Says how a key is adopted into a mode. A key without a prefix is an access token of the earlier interface. There, only test keys
 * must have a prefix (docs/interface.md#keys), so a person may adopt it as production.
 */
export function adoptionOf(secret: string, mode: Mode, wanted: KeyInterface | undefined): Adoption {
  const actual = modeOfSecret(secret);
  if (actual === undefined && mode !== 'production') return { kind: 'prefix' };
  if (actual === undefined && wanted !== undefined && wanted !== 'earlier') return { kind: 'interface' };
  if (actual !== undefined && actual !== mode) return { kind: 'mode', actual };
  if (!isAdoptable(secret)) return { kind: 'key' };
  return { kind: 'adoptable', interface: actual === undefined ? 'earlier' : (wanted ?? 'both') };
}

/** SHA-256 in base64: how a key is looked up. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'base64');
}
