// Shows the amount of a record, or the reason why there is none.

import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { RecordAmount } from '../../server/contract/amounts.ts';
import { useStoreFormats } from '../model/selected-journal.ts';

/** Shows nothing if the record's type has no amount rule. */
export function AmountText({ amount }: { readonly amount: RecordAmount }) {
  const { t } = useTranslation('amounts');
  const formats = useStoreFormats();
  if (amount === null) return null;
  if (amount === 'unreadable' || amount === 'pending')
    return (
      <Text span inherit fw={400} c="dimmed" title={t(`${amount}Means`)}>
        {t(amount)}
      </Text>
    );
  return formats.amount(amount);
}
