// The verdict of a day in sentences: why, what is safe, what to do, and when the next check runs.

import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { type DaySummary, isOnlyOfOthers } from '../../server/contract/days.ts';
import type { Reason } from '../../server/contract/verdicts.ts';
import { CauseText } from '../components/cause-text.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { reasonKind } from '../model/day-state.ts';
import { useIsManager, useStoreFormats } from '../model/selected-journal.ts';
import { completeSentence, nextCheckAt, noteSentence, reasonSentence } from './day-words.ts';
import { salesOf } from './record-searches.ts';

export function VerdictText({ day }: { readonly day: DaySummary }) {
  const { t } = useTranslation('day');
  const { t: sentences } = useTranslation('reason');
  const formats = useStoreFormats();
  const [gravest, ...others] = day.reasons;
  const nextAt = nextCheckAt(day);
  return (
    <Stack gap={6}>
      <Text fz={24} fw={600} lh={1.3} aria-live="polite">
        {gravest === undefined ? completeSentence(day, t, formats) : reasonSentence(gravest, sentences, formats)}
      </Text>
      {gravest !== undefined && <Means reason={gravest} />}
      {others.map((reason) => (
        <div key={reason.code}>
          <Text fw={600}>{reasonSentence(reason, sentences, formats)}</Text>
          <Means reason={reason} />
        </div>
      ))}
      {day.notes.map((note) => (
        <Text key={note.code} c="dimmed">
          {noteSentence(note, t, formats)}
        </Text>
      ))}
      {isOnlyOfOthers(day) && <Text>{t('othersSendHint')}</Text>}
      {day.isProvisional && <StateMark tone="waiting">{t('provisional')}</StateMark>}
      {nextAt !== undefined && (
        <Text c="dimmed" title={formats.exact(nextAt)}>
          {t('nextCheck', { time: formats.time(nextAt) })}
        </Text>
      )}
      <ToDo day={day} />
    </Stack>
  );
}

function Means({ reason }: { readonly reason: Reason }) {
  const { t } = useTranslation('reasonMeans');
  return (
    <Text>
      {t(reasonKind(reason.code))} {reason.cause !== undefined && <CauseText cause={reason.cause} />}
    </Text>
  );
}

/** The link to the screen where the user can act. */
function ToDo({ day }: { readonly day: DaySummary }) {
  const { t } = useTranslation(['day', 'today']);
  const isManager = useIsManager();
  const codes = new Set(day.reasons.map(({ code }) => code));
  return (
    <Group gap="xs">
      {(codes.has('no_upstream') || codes.has('earlier_no_upstream')) &&
        (isManager ? (
          <LinkButton to="/upstream" variant="light" size="xs">
            {t('setUpstream')}
          </LinkButton>
        ) : (
          <Text>{t('today:askUpstream')}</Text>
        ))}
      {isOnlyOfOthers(day) && (
        <LinkButton to="/settings" variant="light" size="xs">
          {t('setOthersSend')}
        </LinkButton>
      )}
      {(codes.has('held') || codes.has('earlier_held')) && (
        <LinkButton to="/records" search={{ ...salesOf(day), delivery: 'held' }} variant="light" size="xs">
          {t('seeHeld')}
        </LinkButton>
      )}
    </Group>
  );
}
