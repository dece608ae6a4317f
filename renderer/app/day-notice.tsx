// Says, on whatever screen, that a day has ended up different from the upstream or from what was declared: once for each day.

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

/** So many are told at once, the latest. */
const MOST = 3;

interface Seen {
  readonly days: readonly DaySummary[];
  /** Those that have been told, or differed already when the console was opened: the rail counts them. */
  readonly known: ReadonlySet<string>;
  readonly told: readonly string[];
}

/** To be drawn anew for another store or mode. */
export function DayNotice({ journalId, today }: { readonly journalId: number; readonly today: string }) {
  const { t } = useTranslation(['days', 'app']);
  const { t: reasons } = useTranslation('reasonShort');
  const formats = useStoreFormats();
  const { data: { days } = {} } = useQuery(recentDaysQuery(journalId, today));
  const [seen, setSeen] = useState<Seen>();
  if (days !== undefined && days !== seen?.days) setSeen(seeAgain(days, seen));
  const told = seen?.days.filter((day) => seen.told.includes(day.date) && needsAttention(day)) ?? [];
  return (
    <Stack gap="xs" role="status">
      {told.slice(-MOST).map((day) => (
        <Alert
          key={day.date}
          color="yellow"
          icon={<EqualNot size={16} aria-hidden />}
          mb="md"
          withCloseButton
          closeButtonLabel={t('app:close')}
          onClose={() => seen && setSeen({ ...seen, told: seen.told.filter((date) => date !== day.date) })}
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

function seeAgain(days: readonly DaySummary[], before: Seen | undefined): Seen {
  const differing = days.filter(needsAttention).map(({ date }) => date);
  const fresh = before === undefined ? [] : differing.filter((date) => !before.known.has(date));
  return {
    days,
    known: new Set([...(before?.known ?? []), ...differing]),
    told: [...(before?.told ?? []), ...fresh],
  };
}
