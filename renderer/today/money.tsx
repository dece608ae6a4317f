// The money of a day: one sum per currency, and the number of records whose amount cannot be read.

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { AmountSums } from '../../server/contract/amounts.ts';
import { amountsQuery } from '../api/queries.ts';
import { LinkButton } from '../components/link-button.tsx';
import { sumsOf } from '../model/amount-sums.ts';
import { useIsManager, useStoreFormats } from '../model/selected-journal.ts';

export function Money({ amounts }: { readonly amounts: AmountSums }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  const sums = sumsOf(amounts, formats);
  if (amounts === null)
    return (
      <Text span size="xs" c="dimmed">
        {t('amountsPending')}
      </Text>
    );
  if (sums === undefined) return null;
  return (
    <>
      {sums.words.map((words) => (
        <Text key={words} span fw={600}>
          {words}
        </Text>
      ))}
      {sums.without > 0 && (
        <Text span size="xs" c="dimmed">
          {t('withoutAmount', { count: sums.without, n: formats.number(sums.without) })}
        </Text>
      )}
    </>
  );
}

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
