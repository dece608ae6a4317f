// Returns to the choice of a backup.

import { useQueryClient } from '@tanstack/react-query';

import type { RestoreView } from '../../server/contract/restores.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { restoreQuery } from '../api/queries.ts';

/** Deletes the checked copy of a backup, or forgets a refused backup. */
export function useCancel() {
  const client = useQueryClient();
  const cancel = useAct(() => send<RestoreView>('DELETE', 'restore'));
  return {
    ...cancel,
    run: () => cancel.mutate(undefined, { onSuccess: (view) => client.setQueryData(restoreQuery.queryKey, view) }),
  };
}
