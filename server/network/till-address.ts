// Which tills a change of the network leaves behind, from the address of each key's last use.

import type { TillAtAddress } from '../contract/network.ts';
import { hostOfUrl } from '../lib/host.ts';
import type { Key } from '../store/setup/ledger.ts';

/** Tills that last called by a name or address that this machine no longer has, most recent first. */
export function listTillsAtOldAddress(
  keys: readonly Key[],
  isOwnHost: (host: string) => boolean,
): readonly TillAtAddress[] {
  return lastCalls(keys).filter(({ address }) => !isOwnHost(hostOfUrl(address)));
}

/** Tills that last called by HTTPS before the authority was made, most recent first. They trust another one, if any. */
export function listTillsToTrust(keys: readonly Key[], authorityCreatedAt: number): readonly TillAtAddress[] {
  return lastCalls(keys).filter(({ address, at }) => address.startsWith('https:') && at < authorityCreatedAt);
}

/** The last call of each till, over all its keys. A till whose keys are all revoked calls no more. */
function lastCalls(keys: readonly Key[]): readonly TillAtAddress[] {
  const calls = new Map<number, TillAtAddress>();
  for (const { tillId, label: till, administration, lastAddress: address, lastUsedAt: at, revokedAt } of keys) {
    if (address === null || at === null || revokedAt !== null) continue;
    if ((calls.get(tillId)?.at ?? -1) < at) calls.set(tillId, { till, administration, address, at });
  }
  return [...calls.values()].toSorted((a, b) => b.at - a.at);
}
