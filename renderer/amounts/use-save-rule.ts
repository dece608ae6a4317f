import type { AmountRuleRequest, AmountsView } from '../../server/contract/amounts.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { useJournal } from '../model/selected-journal.ts';

/** Sets or removes the amount rule of a record type. */
export function useSaveRule() {
  const { id: journal } = useJournal();
  return useAct((wanted: Omit<AmountRuleRequest, 'journal'>) =>
    send<AmountsView>('PUT', 'amounts', { journal, ...wanted } satisfies AmountRuleRequest),
  );
}
