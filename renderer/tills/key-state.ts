// The state of a key, and whether a replaced key is still in use. Pure: the time is a parameter.

import { KEY_PREFIXES, type KeyInterface, type Mode } from '../../server/contract/codes.ts';
import type { KeyView, Till } from '../../server/contract/setup.ts';

export type KeyState =
  | { readonly kind: 'works' }
  /** The key was replaced and works until `endsAt`. `stillUsedAt` is its last use after the replacement, or null. */
  | { readonly kind: 'ending'; readonly endsAt: number; readonly stillUsedAt: number | null }
  | { readonly kind: 'ended'; readonly endedAt: number };

/** The state of a key. `keys` are all keys of its till. */
export function keyState(key: KeyView, keys: readonly KeyView[], now: number): KeyState {
  if (key.revokedAt !== null) return { kind: 'ended', endedAt: key.revokedAt };
  if (key.expiresAt === null) return { kind: 'works' };
  if (key.expiresAt <= now) return { kind: 'ended', endedAt: key.expiresAt };
  // The replacement is the next key made for the till.
  const replacedAt = Math.min(...keys.filter(({ id }) => id > key.id).map(({ createdAt }) => createdAt));
  const { lastUsedAt } = key;
  const stillUsedAt = lastUsedAt !== null && lastUsedAt > replacedAt ? lastUsedAt : null;
  return { kind: 'ending', endsAt: key.expiresAt, stillUsedAt };
}

/** The last use of any key of the till. */
export function lastCallAt({ keys }: Till): number | null {
  return keys.reduce<number | null>(
    (latest, { lastUsedAt }) => (lastUsedAt === null ? latest : Math.max(latest ?? 0, lastUsedAt)),
    null,
  );
}

/** Whether the till has another valid key. */
export function hasOtherKey({ keys }: Till, keyId: number, now: number): boolean {
  return keys.some((key) => key.id !== keyId && keyState(key, keys, now).kind !== 'ended');
}

/**
 * The interface of a key; `wanted` is the user's choice, if any. A token without a prefix belongs to the earlier
 * interface.
 */
export function interfaceOf(secret: string, wanted: KeyInterface | undefined): KeyInterface {
  return wanted ?? (hasPrefix(secret) ? 'both' : 'earlier');
}

/**
 * Why the gateway would refuse to adopt this key in this mode, judged only by its prefix. Undefined if the prefix fits. The
 * gateway makes the final decision.
 */
export function adoptError(
  secret: string,
  mode: Mode,
  wanted: KeyInterface | undefined,
): 'noPrefix' | 'onlyEarlier' | 'otherMode' | undefined {
  if (hasPrefix(secret)) return secret.startsWith(KEY_PREFIXES[mode]) ? undefined : 'otherMode';
  if (mode === 'test') return 'noPrefix';
  return interfaceOf(secret, wanted) === 'earlier' ? undefined : 'onlyEarlier';
}

function hasPrefix(secret: string): boolean {
  return Object.values(KEY_PREFIXES).some((prefix) => secret.startsWith(prefix));
}
