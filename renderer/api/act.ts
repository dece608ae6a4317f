// Mutations. Each one immediately refetches the queries that it may affect, without waiting for a live event.

import { useMutation, useQueryClient } from '@tanstack/react-query';

import type { CertificationView, CertifyAct } from '../../server/contract/certify.ts';
import type { LaneActAnswer, LaneActRequest } from '../../server/contract/lanes.ts';
import type { NetworkChangeRequest, NetworkView } from '../../server/contract/network.ts';
import { send } from './client.ts';
import { certificationQuery, KEYS_BY_SUBJECT } from './queries.ts';

/** The queries to refetch after an act: those about lanes, days and the set-up. */
const AFFECTED_KEYS = new Set([...KEYS_BY_SUBJECT.lanes, ...KEYS_BY_SUBJECT.setup, ...KEYS_BY_SUBJECT.days]);

/**
 * A mutation that stays pending until the affected queries are refetched. It also refetches after a rejected act, because
 * outdated data on the screen is the usual cause of a rejection.
 */
export function useAct<Input, Answer>(act: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: act,
    onSettled: async () => {
      await Promise.all([...AFFECTED_KEYS].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
}

/** Changes settings of the network. */
export function useNetworkChange() {
  return useAct((change: NetworkChangeRequest) => send<NetworkView>('PATCH', 'network', change));
}

/** An act on a certification. The gateway answers with the certification's new state. */
export function useCertifyAct(id: number) {
  const client = useQueryClient();
  return useMutation<CertificationView, Error, CertifyAct>({
    mutationFn: (act) => send('POST', `certifications/${id}/acts`, act),
    onSuccess: (run) => void client.setQueryData(certificationQuery(id).queryKey, run),
    onError: () => client.invalidateQueries({ queryKey: certificationQuery(id).queryKey }),
  });
}

/** Runs an act on a lane, or on some of its records. */
export function actOnLane(laneId: number, act: LaneActRequest): Promise<LaneActAnswer> {
  return send('POST', `lanes/${laneId}/acts`, act);
}
