// Activity: what people did, as sentences, the newest first.

import { Stack, Text, Title } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ACTORS, type ActView } from '../../server/contract.ts';
import { ACTS_SHOWN, actsQuery, sessionQuery } from '../api/queries.ts';
import { useStoreFormats } from '../app/journal.tsx';
import { FindField } from '../parts/find-field.tsx';
import { isFound } from '../parts/find-words.ts';
import { type ActSentence, actSentence, type Change, type RecordsChosen, valueWords } from './act-sentence.ts';

import classes from './activity.module.css';

/** The settings that have a name in words; any other is called as the log names it. */
const MEMBERS = ['name', 'timeZone', 'dayStartsAt', 'customer', 'versions', 'resources', 'forwarded'] as const;

export function ActivityScreen() {
  const { t } = useTranslation('activity');
  const formats = useStoreFormats();
  const { data: acts } = useSuspenseQuery(actsQuery);
  const { data: session } = useQuery(sessionQuery);
  const [wanted, setWanted] = useState('');
  const sentences = acts.map((act) => ({ act, text: wordsOf(act, session?.actor, t, formats.day) }));
  const shown = sentences.filter(({ act, text }) => isFound([`${text} ${act.actor}`], wanted));
  const days = Map.groupBy(shown, ({ act }) => formats.day(act.at));

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
    <Stack gap="lg" maw={860}>
      <Title order={2} size={24} fw={600}>
        {t('title')}
      </Title>
      <FindField label={t('find')} example={t('findExample')} value={wanted} onChange={setWanted} />
      <div role="status">
        {wanted.trim() !== '' && (
          <Text c="dimmed" size="sm">
            {t('found', { count: shown.length, n: formats.number(shown.length) })}
          </Text>
        )}
      </div>
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-label={formats.dayName(ofDay[0]?.act.at ?? 0)}>
          <Title order={3} size="h5" mb={4}>
            {formats.dayName(ofDay[0]?.act.at ?? 0)}
          </Title>
          <ul className={classes.acts}>
            {ofDay.map(({ act, text }) => (
              <li key={act.id} className={classes.act}>
                <Text size="sm" c="dimmed" component="time" title={formats.exact(act.at)} className={classes.time}>
                  {formats.clock(act.at)}
                </Text>
                <Told act={act} text={text} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {acts.length === ACTS_SHOWN && (
        <Text c="dimmed" size="sm">
          {t('newest', { n: formats.number(ACTS_SHOWN) })}
        </Text>
      )}
    </Stack>
  );
}

function Told({ act, text }: { readonly act: ActView; readonly text: string }) {
  const { t } = useTranslation('activity');
  const sentence = actSentence(act);
  const recordId = 'records' in sentence && sentence.records.kind === 'one' ? sentence.records.recordId : undefined;
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

type Words = TFunction<'activity'>;

/** The whole sentence. `me` is how the log names the one who reads. */
function wordsOf(view: ActView, me: string | undefined, t: Words, day: (at: number) => string): string {
  const { actor, administration, mode, interface: by } = view;
  const store = [
    administration ?? '',
    ...(mode === 'test' ? [t('inTest')] : []),
    ...(by === 'earlier' ? [t('byEarlier')] : []),
  ].join(' ');
  return sentenceWords(actSentence(view), { who: whoWords(actor, me, t), store }, t, day);
}

function whoWords(actor: string, me: string | undefined, t: Words): string {
  switch (actor) {
    case ACTORS.link:
      return t('atConsole');
    case ACTORS.commandLine:
      return t('commandLine');
    case ACTORS.firstStart:
      return t('firstStart');
    case ACTORS.demo:
      return t('demo');
    default:
      return actor === me ? t('you') : actor;
  }
}

function sentenceWords(
  sentence: ActSentence,
  about: { readonly who: string; readonly store: string },
  t: Words,
  day: (at: number) => string,
): string {
  switch (sentence.kind) {
    case 'pause':
    case 'resume':
    case 'tryNow':
    case 'createAdministration':
      return t(sentence.kind, about);
    case 'setUpstream':
      return t(sentence.kind, { ...about, url: sentence.url });
    case 'createKey':
    case 'adoptKey':
    case 'revokeKey':
      return t(sentence.kind, { ...about, till: sentence.till, id: sentence.id });
    case 'addUser':
    case 'removeUser':
      return t(sentence.kind, { who: about.who, name: sentence.name });
    case 'rotateKey': {
      const { till, id, replaced } = sentence;
      return t(sentence.kind, { ...about, till, id, replaced });
    }
    case 'sendAgain':
      return t(sentence.kind, { ...about, records: recordWords(sentence.records, t, day) });
    case 'setAside':
      return t(sentence.kind, { ...about, records: recordWords(sentence.records, t, day), reason: sentence.reason });
    case 'changeAdministration':
      return t(sentence.kind, {
        ...about,
        changes: sentence.changes.map((change) => changeWords(change, t)).join(', '),
      });
    case 'other': {
      const { act, detail } = sentence;
      return about.store === '' ? t('other', { who: about.who, act, detail }) : t('otherOf', { ...about, act, detail });
    }
  }
}

function recordWords(records: RecordsChosen, t: Words, day: (at: number) => string): string {
  switch (records.kind) {
    case 'one':
      return t('record', { id: records.recordId });
    case 'some':
      return t('records', { count: records.count, n: records.count });
    case 'sold':
      return t('recordsSold', { day: day(records.from * 1000) });
    case 'held':
      return t('recordsHeld');
    case 'all':
      return t('recordsAll');
  }
}

function changeWords({ member, was, is }: Change, t: Words): string {
  const known = MEMBERS.find((each) => each === member);
  const setting = known === undefined ? member : t(known);
  return t('change', {
    setting,
    was: valueWords(member, was) ?? t('nothing'),
    is: valueWords(member, is) ?? t('nothing'),
  });
}
