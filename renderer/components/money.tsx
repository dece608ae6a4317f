// Sums of amounts, one for each currency, and the number of records whose amount cannot be read.

import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { AmountSums } from '../../server/contract/amounts.ts';
import { sumsOf } from '../model/amount-sums.ts';
import { useStoreFormats } from '../model/selected-journal.ts';

/** Shows nothing if no type has an amount rule. */
export function Money({ amounts, fw = 'inherit' }: { readonly amounts: AmountSums; readonly fw?: 600 | 'inherit' }) {
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
        <Text key={words} span inherit fw={fw}>
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
