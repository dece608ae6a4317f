// Where a till connects, according to the gateway's current network state.

import { useQuery } from '@tanstack/react-query';

import { networkQuery } from '../api/queries.ts';
import { joinPlace, type JoinPlace } from './join-place.ts';

/** Undefined while the network state is loading. If it cannot be loaded, the address is `apiUrl`. */
export function useJoinPlace(apiUrl: string): JoinPlace | undefined {
  const { data, isPending } = useQuery({ ...networkQuery, retry: false });
  return isPending ? undefined : joinPlace(data, apiUrl);
}
