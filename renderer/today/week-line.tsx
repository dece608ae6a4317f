// The verdicts of the last seven store days, each a link to its day.

import { SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import type { DaySummary } from '../../server/contract/days.ts';
import { recentDaysQuery } from '../api/queries.ts';
import { VerdictMark } from '../components/verdict-mark.tsx';
import { shortReason } from '../model/day-state.ts';
import { dayStateOf } from '../model/day-state.ts';
import { useStoreFormats } from '../model/selected-journal.ts';

import classes from '../components/count-link.module.css';

export function WeekLine({ journalId, today }: { readonly journalId: number; readonly today: string }) {
  const { t } = useTranslation('today');
  const { data } = useQuery(recentDaysQuery(journalId, today));
  const first = data?.first ?? null;
  const days = first === null ? [] : (data?.days ?? []).slice(-7).filter(({ date }) => date >= first);
  if (days.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t('week')}
      </Title>
      <SimpleGrid
        cols={{ base: 2, xs: 3, md: 7 }}
        spacing="xs"
        component="ul"
        p={0}
        m={0}
        style={{ listStyle: 'none', minWidth: 0 }}
      >
        {days.map((day) => (
          <li key={day.date} style={{ display: 'grid' }}>
            <Day day={day} isToday={day.date === today} />
          </li>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function Day({ day, isToday }: { readonly day: DaySummary; readonly isToday: boolean }) {
  const { t } = useTranslation('reasonShort');
  const { t: words } = useTranslation('palette');
  const formats = useStoreFormats();
  const why = isToday ? undefined : shortReason(day, t, formats);
  return (
    <Link to="/days/$date" params={{ date: day.date }} className={`plain-link ${classes.count}`}>
      <Text span fw={600}>
        {isToday ? words('today') : formats.date(day.date)}
      </Text>
      <VerdictMark state={dayStateOf(day)} />
      {why !== undefined && (
        <Text span size="sm" c="dimmed">
          {why}
        </Text>
      )}
    </Link>
  );
}
