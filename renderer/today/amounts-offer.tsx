// Offers managers to set amount rules.

import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { AmountSums } from '../../server/contract/amounts.ts';
import { amountsQuery } from '../api/queries.ts';
import { LinkButton } from '../components/link-button.tsx';
import { useIsManager } from '../model/selected-journal.ts';

/** A link to the screen Amounts. Only managers see it, and only if no amount rule is set and the gateway has suggestions. */
export function AmountsOffer({ journalId, amounts }: { readonly journalId: number; readonly amounts: AmountSums }) {
  const { t } = useTranslation('today');
  const isManager = useIsManager();
  const isUnset = isManager && amounts?.length === 0;
  const { data } = useQuery({ ...amountsQuery(journalId), enabled: isUnset, refetchInterval: false });
  if (!isUnset || data === undefined || data.rules.length > 0 || data.suggestions.length === 0) return null;
  return (
    <LinkButton to="/amounts" variant="subtle" size="compact-sm" style={{ alignSelf: 'flex-start' }}>
      {t('setAmounts')}
    </LinkButton>
  );
}
