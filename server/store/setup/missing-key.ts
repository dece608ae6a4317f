// Decides whether a new key is necessary, or whether a till already has a key that can serve instead.

import type { Key, NewKey } from './ledger.ts';

/**
 * Whether a key can serve instead of the wanted key. A replaced key cannot serve, because it works only for a few more days.
 */
export function isKeyFor(key: Key, wanted: Omit<NewKey, 'secret'>): boolean {
  return (
    key.administration === wanted.administration &&
    key.mode === wanted.mode &&
    key.label === wanted.label &&
    (key.isAdopted || !wanted.isAdopted) &&
    (key.interface === 'both' || key.interface === wanted.interface) &&
    key.revokedAt === null &&
    key.expiresAt === null
  );
}
