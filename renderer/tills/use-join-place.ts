// Where a till connects, as the gateway knows its network now.

import { useQuery } from '@tanstack/react-query';

import { networkQuery } from '../api/queries.ts';
import { joinPlace, type JoinPlace } from './join-place.ts';

/** Undefined while the state of the network is loading. Without it, `apiUrl` is the address. */
export function useJoinPlace(apiUrl: string): JoinPlace | undefined {
  const { data, isPending } = useQuery({ ...networkQuery, retry: false });
  return isPending ? undefined : joinPlace(data, apiUrl);
}
