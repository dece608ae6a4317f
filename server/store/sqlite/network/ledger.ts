// The network in SQLite. The writer reads the authorities, because only it can unseal their keys.

import type { NetworkLedger } from '../../network/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openNetworkLedger({ reader, writer, reading, guard, changing, now }: EngineParts): NetworkLedger {
  return {
    settings: () => reading(reader.call('readNetworkSettings', [])),
    change: (change, actor) => changing(writer.call('changeNetwork', [change, actor, now()])),
    authorities: () => guard(writer.call('listAuthorities', [])),
    addAuthority: (authority, replacesId, actor) =>
      changing(writer.call('addAuthority', [authority, replacesId, actor, now()])),
  };
}
