// The evidence for a verdict: what was compared with the upstream, and when.

import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { DayView } from '../../server/contract/days.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { noteSentence } from './day-words.ts';
import { Section } from './section.tsx';

/** One sentence per piece of evidence. A printed sheet shows full dates. */
export function useEvidence({ day, lastAnsweredAt }: Pick<DayView, 'day' | 'lastAnsweredAt'>, isPrinted = false) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const { checkedAt, passedAt, upstream, basis, earlier, earlierTaken, notes, reasons } = day;
  // True if one check compared the counts and every id. False if a later check compared only the counts.
  const isByIds = basis === 'ids' && checkedAt === passedAt;
  // True if the last check failed. The verdict then gives the reason, so “no comparison yet” is left out.
  const hasNoUsableAnswer = reasons.some(({ code }) => code === 'upstream_silent' || code === 'upstream_unreadable');
  const isNeverCompared = checkedAt === null && passedAt === null && basis !== 'answers' && !hasNoUsableAnswer;
  const at = (name: 'counted' | 'compared' | 'lastAnswer', time: number) => ({
    at: time,
    text: t(name, { time: isPrinted ? formats.exact(time) : formats.time(time) }),
  });
  const counted = checkedAt === null ? [] : [at('counted', checkedAt)];
  const compared = passedAt === null ? [] : [at('compared', passedAt)];
  return [
    ...(isNeverCompared ? [{ at: null, text: t('neverCompared') }] : []),
    ...(isByIds ? compared : counted),
    ...(upstream === null || checkedAt === null
      ? []
      : [{ at: null, text: t('upstreamCounts', { n: formats.number(upstream - earlierTaken) }) }]),
    ...(isByIds ? [] : compared),
    ...(earlier === 0
      ? []
      : [
          {
            at: null,
            text: t('answersCount', {
              n: formats.number(earlier),
              taken: formats.number(earlierTaken),
            }),
          },
        ]),
    ...notes.map((note) => ({ at: null, text: noteSentence(note, t, formats) })),
    ...(lastAnsweredAt === null ? [] : [at('lastAnswer', lastAnsweredAt)]),
  ];
}

export function Evidence({ view }: { readonly view: Pick<DayView, 'day' | 'lastAnsweredAt'> }) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const lines = useEvidence(view);
  return (
    <Section name={t('evidence')} id="evidence" gap={4}>
      {lines.map(({ at, text }) => (
        <Text key={text} {...(at !== null && { title: formats.exact(at) })}>
          {text}
        </Text>
      ))}
    </Section>
  );
}
