// Unusual forms of a till's calls. We accept these calls, but an upstream may reject them. For each form, shows the number of
// calls, the time of the last call, and an example.

import { Code, Text } from '@mantine/core';
import { Info } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { UnusualFormCount } from '../../server/contract/codes.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';

import classes from './till-card.module.css';

export function UnusualForms({ forms }: { readonly forms: readonly UnusualFormCount[] }) {
  const { t } = useTranslation('tills');
  const formats = useStoreFormats();
  return (
    <div className={classes.forms}>
      <StateMark tone="waiting" Icon={Info}>
        {t('unusualTitle')}
      </StateMark>
      <Text size="sm" c="dimmed">
        {t('unusualMeans')}
      </Text>
      <ul className={classes.formList} aria-label={t('unusualTitle')}>
        {forms.map(({ form, calls, lastAt, example }) => (
          <li key={form}>
            <Text size="sm">{t(`form_${form}`)}</Text>
            <Text size="sm" c="dimmed" title={formats.exact(lastAt)}>
              {t('formTimes', { count: calls, n: formats.number(calls), time: formats.time(lastAt) })}
            </Text>
            <Code className={classes.example ?? ''}>
              <ForeignText>{example}</ForeignText>
            </Code>
          </li>
        ))}
      </ul>
      <Text size="xs" c="dimmed">
        {t('unusualMasked')}
      </Text>
    </div>
  );
}
