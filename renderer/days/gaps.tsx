// Skipped numbers in ids that count up, within the day or at its borders. A skipped number is only a hint that a sale is
// missing.

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { GapView, SequenceView } from '../../server/contract/gaps.ts';
import { gapsQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { Section } from './section.tsx';
import { ShortList } from './short-list.tsx';

import classes from './days.module.css';

export function Gaps({ journalId, date }: { readonly journalId: number; readonly date: string }) {
  const { t } = useTranslation('day');
  const { data, error } = useQuery(gapsQuery(journalId, date));
  const found = data?.sequences.filter(({ skipped }) => skipped > 0) ?? [];
  return (
    <Section name={t('gaps')}>
      <Text c="dimmed">{t('gapsMeans')}</Text>
      <Stack gap="md" role="status">
        <ErrorAlert error={error} />
        {data?.isPartial === true && <Text>{t('gapsPartial')}</Text>}
        {data !== undefined && found.length === 0 && (
          <Text>{t(data.sequences.length === 0 ? 'gapsNoSequence' : 'gapsNone')}</Text>
        )}
        {found.map((sequence) => (
          <Sequence key={`${sequence.prefix} ${sequence.first}`} sequence={sequence} />
        ))}
      </Stack>
    </Section>
  );
}

function Sequence({ sequence: { tills, first, last, skipped, gaps, sureness } }: { readonly sequence: SequenceView }) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const said = ({ from, to, between }: GapView): string => {
    const numbers = from === to ? from : t('range', { from, to });
    if (between === null) return numbers;
    const [before, after] = between;
    return t('between', { what: numbers, from: formats.date(before), to: formats.date(after) });
  };
  const what = t('sequence', { tills: tills.join(', '), first, last });
  return (
    <Stack gap={4}>
      <div>
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {what}
        </Text>
        <StateMark tone={sureness === 'likely' ? 'unknown' : 'differs'}>
          {t(sureness, { count: skipped, n: formats.number(skipped) })}
        </StateMark>
      </div>
      <ShortList label={what} items={gaps} keyOf={({ from }) => from}>
        {(gap) => (
          <span className={classes.id}>
            <ForeignText>{said(gap)}</ForeignText>
          </span>
        )}
      </ShortList>
    </Stack>
  );
}
