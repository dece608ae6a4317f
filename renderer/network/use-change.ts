// Changes settings of the network.

import type { NetworkChangeRequest, NetworkView } from '../../server/contract/network.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';

export function useNetworkChange() {
  return useAct((change: NetworkChangeRequest) => send<NetworkView>('PATCH', 'network', change));
}
