// Shows a notice on every screen when a store day ends with a difference. Each day is announced once.

import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EqualNot } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { DaySummary } from '../../server/contract/days.ts';
import { recentDaysQuery } from '../api/queries.ts';
import { LinkButton } from '../components/link-button.tsx';
import { needsAttention, shortReason } from '../model/day-state.ts';
import { useStoreFormats } from '../model/selected-journal.ts';

/** Maximum notices at one time. If there are more, only the latest days appear. */
const MAX_NOTICES = 3;

interface NoticeState {
  readonly days: readonly DaySummary[];
  /**
   * Days that get no new notice: they were announced before, or they already differed when the console opened. The rail still
   * counts them.
   */
  readonly known: ReadonlySet<string>;
  readonly announced: readonly string[];
}

/** Shows the notices of one journal. Callers set the journal as React `key`, so that another journal starts with a new state. */
export function DayNotice({ journalId, today }: { readonly journalId: number; readonly today: string }) {
  const { t } = useTranslation(['days', 'app']);
  const { t: reasons } = useTranslation('reasonShort');
  const formats = useStoreFormats();
  const { data: { days } = {} } = useQuery(recentDaysQuery(journalId, today));
  const [state, setState] = useState<NoticeState>();
  if (days !== undefined && days !== state?.days) setState(updateNotices(days, state));
  const notices = state?.days.filter((day) => state.announced.includes(day.date) && needsAttention(day)) ?? [];
  return (
    <Stack gap="xs" role="status">
      {notices.slice(-MAX_NOTICES).map((day) => (
        <Alert
          key={day.date}
          color="yellow"
          icon={<EqualNot size={16} aria-hidden />}
          mb="md"
          withCloseButton
          closeButtonLabel={t('app:close')}
          onClose={() =>
            state && setState({ ...state, announced: state.announced.filter((date) => date !== day.date) })
          }
        >
          <Group gap="xs">
            <Text>{t('ended', { day: formats.date(day.date), why: shortReason(day, reasons, formats) ?? '' })}</Text>
            <LinkButton to="/days/$date" params={{ date: day.date }} size="xs" variant="default">
              {t('seeDay')}
            </LinkButton>
          </Group>
        </Alert>
      ))}
    </Stack>
  );
}

function updateNotices(days: readonly DaySummary[], before: NoticeState | undefined): NoticeState {
  const differing = days.filter(needsAttention).map(({ date }) => date);
  const fresh = before === undefined ? [] : differing.filter((date) => !before.known.has(date));
  return {
    days,
    known: new Set([...(before?.known ?? []), ...differing]),
    announced: [...(before?.announced ?? []), ...fresh],
  };
}
