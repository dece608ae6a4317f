// Doing something: what it may touch is asked again at once, without waiting for the gateway to say that it has changed.

import { useMutation, useQueryClient } from '@tanstack/react-query';

import type { LaneActAnswer, LaneActRequest } from '../../server/contract/lanes.ts';
import { send } from './client.ts';
import { KEYS_BY_SUBJECT } from './queries.ts';

/** What people do is about lanes, days, and how things are set up. */
const TOUCHED = new Set([...KEYS_BY_SUBJECT.lanes, ...KEYS_BY_SUBJECT.setup, ...KEYS_BY_SUBJECT.days]);

/** An act that is pending until what it touches is shown as it is now, also when it was refused: that is mostly why. */
export function useAct<Input, Answer>(act: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: act,
    onSettled: async () => {
      await Promise.all([...TOUCHED].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
}

/** An act about a lane, or about some of its records. */
export function actOnLane(laneId: number, act: LaneActRequest): Promise<LaneActAnswer> {
  return send('POST', `lanes/${laneId}/acts`, act);
}
