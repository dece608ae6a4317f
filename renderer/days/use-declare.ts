// Declares a total for a day, or withdraws one.

import type { Amount } from '../../server/contract/amounts.ts';
import type { DeclaredTotalRequest, DeclaredComparison } from '../../server/contract/declared-totals.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';

interface Declaration {
  /** What the total is for. A null member means all types, or all tills. */
  readonly of: Pick<DeclaredComparison, 'type' | 'tillId'>;
  /** Null withdraws the total. */
  readonly records: number | null;
  readonly amounts?: readonly Amount[];
}

export function useDeclare<Wanted extends Declaration>(journalId: number, date: string) {
  return useAct(({ of: { type, tillId }, records, amounts = [] }: Wanted) =>
    send('PUT', 'declared-totals', {
      journal: journalId,
      date,
      ...(type !== null && { type }),
      ...(tillId !== null && { tillId }),
      records,
      amounts,
    } satisfies DeclaredTotalRequest),
  );
}
