// The network of the gateway.

import { queryOptions } from '@tanstack/react-query';

import type { NetworkView } from '../../server/contract/network.ts';
import { get, Problem } from './client.ts';

/** Null if this gateway cannot change its network while it runs. */
export const networkQuery = queryOptions({
  queryKey: ['network'],
  queryFn: ({ signal }) =>
    get<NetworkView>('network', {}, signal).catch((error: unknown) => {
      if (error instanceof Problem && error.status === 404) return null;
      throw error;
    }),
});
