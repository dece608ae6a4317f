// Finds tills that stop working after a change of the network. Looks at the address that each till called last.

import type { TillAtAddress } from '../contract/network.ts';
import { hostOfUrl } from '../lib/host.ts';
import type { Key } from '../store/setup/ledger.ts';

/** Lists tills whose last call used a host name or address that this machine no longer has. The most recent call is first. */
export function listTillsAtOldAddress(
  keys: readonly Key[],
  isOwnHost: (host: string) => boolean,
): readonly TillAtAddress[] {
  return lastCalls(keys).filter(({ address }) => !isOwnHost(hostOfUrl(address)));
}

/**
 * Lists tills whose last call used HTTPS and is older than the gateway's certificate authority, most recent first. They do not
 * trust this authority yet.
 */
export function listTillsToTrust(keys: readonly Key[], authorityCreatedAt: number): readonly TillAtAddress[] {
  return lastCalls(keys).filter(({ address, at }) => address.startsWith('https:') && at < authorityCreatedAt);
}

/** Returns the last call of each till with any of its keys. Skips revoked keys, because a till cannot use them any more. */
function lastCalls(keys: readonly Key[]): readonly TillAtAddress[] {
  const calls = new Map<number, TillAtAddress>();
  for (const { tillId, label: till, administration, lastAddress: address, lastUsedAt: at, revokedAt } of keys) {
    if (address === null || at === null || revokedAt !== null) continue;
    if ((calls.get(tillId)?.at ?? -1) < at) calls.set(tillId, { till, administration, address, at });
  }
  return [...calls.values()].toSorted((a, b) => b.at - a.at);
}
