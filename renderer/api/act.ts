// Doing something: what it touches is asked again at once, without waiting for the gateway to say that it has changed.

import { useMutation, useQueryClient } from '@tanstack/react-query';

import type { LiveSubject } from '../../server/contract.ts';
import { KEYS_BY_SUBJECT } from './queries.ts';

/** An act that is pending until what it `touches` is shown as it is now. */
export function useAct<Input, Answer>(act: (input: Input) => Promise<Answer>, touches: readonly LiveSubject[]) {
  const client = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: act,
    onSuccess: async () => {
      const keys = new Set(touches.flatMap((subject) => KEYS_BY_SUBJECT[subject]));
      await Promise.all([...keys].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
}
