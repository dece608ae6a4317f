// A store day. At the top are its verdict, what is safe and what to do, and the table of counts. Below are the lists behind
// each number, the evidence and the acts.

import { Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { DayView } from '../../server/contract/days.ts';
import type { JournalView } from '../../server/contract/setup.ts';
import { addDays } from '../../server/lib/calendar.ts';
import { dayQuery } from '../api/queries.ts';
import { CountLink } from '../components/count-link.tsx';
import { CsvExport } from '../components/csv-export.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { Money } from '../components/money.tsx';
import { NoStoreYet } from '../components/no-store-yet.tsx';
import { VerdictMark } from '../components/verdict-mark.tsx';
import { dayStateOf } from '../model/day-state.ts';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { todayOf } from '../model/today.ts';
import { monthOf } from './calendar.ts';
import { ChecksUnderway } from './checks.tsx';
import { CountTable } from './count-table.tsx';
import { DayActs } from './day-acts.tsx';
import { DaySheet } from './day-sheet.tsx';
import { DeclaredTotals } from './declared-totals.tsx';
import { Evidence } from './evidence.tsx';
import { Findings } from './findings.tsx';
import { Gaps } from './gaps.tsx';
import { History } from './history.tsx';
import { Outages } from './outages.tsx';
import { recordsOf, salesOf } from './record-searches.ts';
import { Signature } from './sign-off.tsx';
import { VerdictText } from './verdict-text.tsx';

import classes from './days.module.css';

export function DayScreen() {
  const journal = useSelectedJournal();
  const { date } = useParams({ from: '/days/$date' });
  return journal === undefined ? <NoStoreYet /> : <Day key={`${journal.id} ${date}`} journal={journal} date={date} />;
}

function Day({ journal, date }: { readonly journal: JournalView; readonly date: string }) {
  const { t } = useTranslation(['day', 'export']);
  const { data: view } = useSuspenseQuery(dayQuery(journal.id, date));
  const { day } = view;
  return (
    <Stack gap="xl">
      <Stack gap="md">
        <Stack gap={6}>
          <Walk date={date} today={todayOf(journal)}>
            <CsvExport
              file={{
                path: `days/${date}/export`,
                parameters: { journal: journal.id },
                name: t('export:shown'),
                hint: t('exportHint'),
              }}
              ml="auto"
            />
          </Walk>
          <VerdictMark state={dayStateOf(day)} size="md" />
          <VerdictText day={day} />
          <Signature day={day} journalId={journal.id} />
        </Stack>
        <DayActs view={view} journalId={journal.id} />
        <ChecksUnderway checks={view.checks} />
      </Stack>
      {dayStateOf(day) !== 'closed' && <Numbers view={view} />}
      <CountTable view={view} />
      <Findings view={view} />
      <DeclaredTotals view={view} journalId={journal.id} />
      <Evidence view={view} />
      <Outages outages={view.outages} sleeps={view.sleeps} />
      <Gaps journalId={journal.id} date={date} />
      <History entries={view.history} />
      <DaySheet view={view} journal={journal} />
    </Stack>
  );
}

function Walk({
  date,
  today,
  children,
}: {
  readonly date: string;
  readonly today: string;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const arrow = (to: string, word: string, icon: ReactNode) => (
    <Link to="/days/$date" params={{ date: to }} className={classes.arrow} aria-label={word} title={word}>
      {icon}
    </Link>
  );
  const before = addDays(date, -1);
  const after = addDays(date, 1);
  return (
    <Group gap="0 8px">
      <Group gap={4} wrap="nowrap">
        {arrow(before, t('previous', { day: formats.date(before) }), <ChevronLeft size={20} aria-hidden />)}
        <Title order={2} size={20} fw={600}>
          {formats.fullDate(date)}
        </Title>
        {after > today ? (
          <span className={classes.arrow}>
            <ChevronRight size={20} aria-hidden opacity={0.3} />
          </span>
        ) : (
          arrow(after, t('next', { day: formats.date(after) }), <ChevronRight size={20} aria-hidden />)
        )}
      </Group>
      <LinkButton to="/days" search={{ month: monthOf(date) }} variant="subtle" size="compact-md">
        {formats.month(monthOf(date))}
      </LinkButton>
      {children}
    </Group>
  );
}

function Numbers({ view: { day, records, deliveries } }: { readonly view: DayView }) {
  const { t } = useTranslation('day');
  const sales = salesOf(day);
  const all = recordsOf(day);
  const counts: readonly Omit<ComponentProps<typeof CountLink>, 'to'>[] = [
    {
      n: day.here,
      word: t('saleCount', { count: day.here }),
      more: <Money amounts={day.amounts} fw={600} />,
      search: sales,
    },
    { n: deliveries.delivered, word: t('gone'), search: { ...sales, delivery: 'delivered' } },
    {
      n: deliveries.waiting,
      word: t('waiting', { count: deliveries.waiting }),
      tone: 'waiting',
      search: { ...sales, delivery: 'waiting' },
    },
    { n: deliveries.held, word: t('held'), tone: 'bad', search: { ...sales, delivery: 'held' } },
    { n: deliveries['set aside'], word: t('setAside'), tone: 'differs', search: { ...sales, delivery: 'set aside' } },
    { n: records.IGNORED, word: t('repeated'), code: 'IGNORED', search: { ...all, status: 'IGNORED' } },
    {
      n: records.ERROR,
      word: t('conflicts', { count: records.ERROR }),
      code: 'ERROR',
      tone: 'differs',
      search: { ...all, status: 'ERROR' },
    },
  ];
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, md: 7 }} spacing="xs">
      {counts.map((count) => (
        <CountLink key={count.word} to="/records" {...count} />
      ))}
    </SimpleGrid>
  );
}
