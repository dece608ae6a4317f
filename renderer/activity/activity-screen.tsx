// Activity: what people did, as sentences, newest first.

import { Stack, Text, Title } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ActEntry } from '../../server/contract/acts.ts';
import { MAX_ACTS_SHOWN, actsQuery, sessionQuery } from '../api/queries.ts';
import { FilterField } from '../components/filter-field.tsx';
import { matchesWords } from '../lib/match-words.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { useTaskWords } from '../model/tasks.ts';
import { actWords, recordOf } from './act-words.ts';

import classes from './activity.module.css';

export function ActivityScreen() {
  const { t } = useTranslation(['activity', 'people']);
  const formats = useStoreFormats();
  const words = useTaskWords();
  const { data: acts } = useSuspenseQuery(actsQuery);
  const { data: session } = useQuery(sessionQuery);
  const [wanted, setWanted] = useState('');
  const sentences = acts.map((entry) => ({
    entry,
    text: actWords(entry, session?.actor, t, { ...formats, task: (fact) => words(fact).what }),
  }));
  const shown = sentences.filter(({ entry, text }) => matchesWords([`${text} ${entry.actor}`], wanted));
  const days = Map.groupBy(shown, ({ entry }) => formats.day(entry.at));

  if (acts.length === 0)
    return (
      <Stack gap={4}>
        <Title order={2} size={24} fw={600}>
          {t('none')}
        </Title>
        <Text c="dimmed">{t('noneMeans')}</Text>
      </Stack>
    );
  return (
    <Stack gap="lg" maw={1100}>
      <Title order={2} size={24} fw={600}>
        {t('title')}
      </Title>
      <FilterField label={t('find')} example={t('findExample')} value={wanted} onChange={setWanted} />
      <div role="status">
        {wanted.trim() !== '' && (
          <Text c="dimmed" size="sm">
            {t('found', { count: shown.length, n: formats.number(shown.length) })}
          </Text>
        )}
      </div>
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-label={formats.dayName(ofDay[0]?.entry.at ?? 0)}>
          <Title order={3} size="h5" mb={4}>
            {formats.dayName(ofDay[0]?.entry.at ?? 0)}
          </Title>
          <ul className={classes.acts}>
            {ofDay.map(({ entry, text }) => (
              <li key={entry.id} className={classes.act}>
                <Text size="sm" c="dimmed" component="time" title={formats.exact(entry.at)} className={classes.time}>
                  {formats.clock(entry.at)}
                </Text>
                <Told act={entry.act} text={text} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {acts.length === MAX_ACTS_SHOWN && (
        <Text c="dimmed" size="sm">
          {t('newest', { n: formats.number(MAX_ACTS_SHOWN) })}
        </Text>
      )}
    </Stack>
  );
}

function Told({ act, text }: { readonly act: ActEntry['act']; readonly text: string }) {
  const { t } = useTranslation('activity');
  const recordId = recordOf(act);
  return (
    <div className={classes.told}>
      {text}{' '}
      {recordId !== undefined && (
        <Link
          to="/records/$recordId"
          params={{ recordId: String(recordId) }}
          state={{ isFromList: true }}
          className={classes.link}
        >
          {t('seeRecord')}
        </Link>
      )}
    </div>
  );
}
