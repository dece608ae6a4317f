// The network of a gateway that only its start settings open: it knows what people decided, and no addresses.

import type { Store } from '../store/store.ts';
import type { NetworkTools } from './parts.ts';

export async function openSettingsNetwork(store: Store, localAddress: () => string): Promise<NetworkTools> {
  const settings = await store.network.settings();
  return {
    view: () => ({
      settings,
      fixedBy: [],
      interfaces: [],
      addresses: [],
      names: [],
      consoleAddresses: [],
      localAddress: localAddress(),
      announcement: { state: 'off' },
      certificate: null,
      authority: null,
      tillsAtOldAddress: [],
      tillsToTrust: [],
      failures: [],
    }),
    test: async () => [],
  };
}
