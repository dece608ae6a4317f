// How a key stands, and who still uses one that was replaced. Pure: it is told the time.

import { KEY_PREFIXES, type KeyInterface, type Mode } from '../../server/contract/codes.ts';
import type { KeyView, Till } from '../../server/contract/setup.ts';

export type KeyState =
  | { readonly kind: 'works' }
  /** It was replaced and ends by itself. `stillUsedAt` is its last use since then; null when there was none. */
  | { readonly kind: 'ending'; readonly endsAt: number; readonly stillUsedAt: number | null }
  | { readonly kind: 'ended'; readonly endedAt: number };

/** `key` is one of `keys`, which are those of its till. */
export function keyState(key: KeyView, keys: readonly KeyView[], now: number): KeyState {
  if (key.revokedAt !== null) return { kind: 'ended', endedAt: key.revokedAt };
  if (key.expiresAt === null) return { kind: 'works' };
  if (key.expiresAt <= now) return { kind: 'ended', endedAt: key.expiresAt };
  // What replaces it is the first key that was made for the till after it.
  const replacedAt = Math.min(...keys.filter(({ id }) => id > key.id).map(({ createdAt }) => createdAt));
  const { lastUsedAt } = key;
  const stillUsedAt = lastUsedAt !== null && lastUsedAt > replacedAt ? lastUsedAt : null;
  return { kind: 'ending', endsAt: key.expiresAt, stillUsedAt };
}

/** When a till was last heard of, by any of its keys. */
export function lastCallAt({ keys }: Till): number | null {
  return keys.reduce<number | null>(
    (latest, { lastUsedAt }) => (lastUsedAt === null ? latest : Math.max(latest ?? 0, lastUsedAt)),
    null,
  );
}

/** Whether a till has another key than this one to go on with. */
export function hasOtherKey({ keys }: Till, keyId: number, now: number): boolean {
  return keys.some((key) => key.id !== keyId && keyState(key, keys, now).kind !== 'ended');
}

/** What a key speaks; `wanted` is what somebody chose, if they did. A token without a prefix is one of the earlier interface. */
export function interfaceOf(secret: string, wanted: KeyInterface | undefined): KeyInterface {
  return wanted ?? (hasPrefix(secret) ? 'both' : 'earlier');
}

/** Why a key cannot be taken over into this mode, as far as it shows; the gateway has the last word. */
export function adoptFault(
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
