// The outages during a day: how long each was, how many sales were stored, and when those sales were sent. Then the times when
// the machine slept.

import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { OutageDiary } from '../../server/contract/days.ts';
import type { Sleep } from '../../server/contract/machine.ts';
import { CauseText } from '../components/cause-text.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { outageSentence, sleepSentence } from './outage-words.ts';
import { Section } from './section.tsx';

import classes from './days.module.css';

export function Outages({
  outages,
  sleeps,
}: {
  readonly outages: readonly OutageDiary[];
  readonly sleeps: readonly Sleep[];
}) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  if (outages.length + sleeps.length === 0) return null;
  return (
    <Section name={t('outages')}>
      <ul className={classes.list}>
        {outages.map((outage) => (
          <li key={`${outage.laneId} ${outage.from}`} className={classes.outage}>
            <Text>{outageSentence(outage, t, formats)}</Text>
            {outage.cause !== null && (
              <Text size="sm" c="dimmed">
                <CauseText cause={outage.cause} />
              </Text>
            )}
          </li>
        ))}
        {sleeps.map((sleep) => (
          <li key={sleep.from} className={classes.outage}>
            <Text>{sleepSentence(sleep, t, formats)}</Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}
