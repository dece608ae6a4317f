// The screen Trends. It compares the sales of a week or month with those of the period before, by day, hour and till. It also
// shows when tills sold, and when lanes could send.

import { Group, SegmentedControl, Select, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import type { JournalView } from '../../server/contract/setup.ts';
import type { TrendsView } from '../../server/contract/trends.ts';
import { trendsQuery } from '../api/queries.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { FailedScreen, LoadingScreen } from '../components/screen-fallbacks.tsx';
import { SlotStartTick } from '../components/slot-start-tick.tsx';
import { hourTicks } from '../lib/chart-ticks.ts';
import { lazyPart } from '../lib/lazy-part.tsx';
import { weekStartOf } from '../lib/week-start.ts';
import { locale } from '../locales/words.ts';
import type { TrendsSearch } from '../model/search-parameters.ts';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { todayOf } from '../model/today.ts';
import { type Comparison, compare } from './comparison.ts';
import { movePeriod, type Period, periodAt, type Unit } from './periods.ts';
import { Uptime } from './uptime.tsx';

import classes from './trends.module.css';

const PairChart = lazyPart(async () => (await import('./pair-chart.tsx')).default);
const NoStoreYet = lazyPart(async () => (await import('../components/no-store-yet.tsx')).NoStoreYet);

export function TrendsScreen(): ReactNode {
  const journal = useSelectedJournal();
  return journal === undefined ? <NoStoreYet /> : <Trends key={journal.id} journal={journal} />;
}

function Trends({ journal }: { readonly journal: JournalView }) {
  const { t } = useTranslation('trends');
  const { unit = 'week', date, till } = useSearch({ from: '/trends' });
  const today = todayOf(journal);
  const weekStart = weekStartOf(locale);
  const period = periodAt(unit, date === undefined || date > today ? today : date, weekStart);
  const before = movePeriod(unit, period, -1, weekStart);
  const { data: view, error, refetch } = useQuery(trendsQuery(journal.id, before.from, period.to));
  if (view === undefined)
    return error === null ? <LoadingScreen /> : <FailedScreen error={error} reset={() => void refetch()} />;
  if (view.first === null) return <Text size="lg">{t('noSales')}</Text>;
  const comparison = compare(view, period, till);
  return (
    <Stack gap="xl">
      <Stack gap="sm">
        <Choice unit={unit} period={period} view={view} till={till} />
        <Sentence comparison={comparison} unit={unit} />
      </Stack>
      <Charts
        comparison={comparison}
        unit={unit}
        period={period}
        before={before}
        dayStartsAt={journal.dayRules.at(-1)?.dayStartsAt ?? 0}
      />
      {till === undefined && view.tills.length > 0 && <Tills view={view} period={period} before={before} unit={unit} />}
      <Uptime view={view} till={till} week={unit === 'week' ? period : undefined} timeZone={journal.timeZone} />
    </Stack>
  );
}

/** The name of a period for people: "November 2026" or "23 Nov – 29 Nov". */
function usePeriodName(): (unit: Unit, period: Period) => string {
  const { t } = useTranslation('trends');
  const formats = useStoreFormats();
  return (unit, { from, to }) =>
    unit === 'month'
      ? formats.month(from.slice(0, 7))
      : t('span', { from: formats.shortDate(from), to: formats.shortDate(to) });
}

/** The controls above the charts: previous and next period, week or month, and the till. */
function Choice({
  unit,
  period,
  view,
  till,
}: {
  readonly unit: Unit;
  readonly period: Period;
  readonly view: TrendsView;
  readonly till: number | undefined;
}) {
  const { t } = useTranslation('trends');
  const nameOf = usePeriodName();
  const navigate = useNavigate();
  const go = (changed: { [Name in keyof TrendsSearch]?: TrendsSearch[Name] | undefined }): void =>
    void navigate({ to: '/trends', search: (search) => ({ ...search, ...changed }) as TrendsSearch, replace: true });
  const tills = view.tills.map(({ id, label }) => ({ value: String(id), label }));
  const arrow = (by: number, Icon: typeof ChevronLeft) => {
    const other = movePeriod(unit, period, by, weekStartOf(locale));
    const isThere = other.from <= view.today && other.to >= (view.first ?? view.today);
    const said = t('earlier', { when: nameOf(unit, other) });
    return isThere ? (
      <LinkButton
        to="/trends"
        search={(search) => ({ ...search, date: other.from })}
        variant="subtle"
        color="gray"
        px={8}
        aria-label={said}
        title={said}
      >
        <Icon size={20} aria-hidden />
      </LinkButton>
    ) : (
      <Icon size={20} aria-hidden opacity={0.3} style={{ margin: 8 }} />
    );
  };
  return (
    <Group gap="xs" justify="space-between">
      <Group gap={4} wrap="nowrap">
        {arrow(-1, ChevronLeft)}
        <Title order={2} size={24} fw={600}>
          {nameOf(unit, period)}
        </Title>
        {arrow(1, ChevronRight)}
      </Group>
      <Group gap="xs">
        <SegmentedControl
          aria-label={t('period')}
          value={unit}
          onChange={(value) => go({ unit: value === 'month' ? 'month' : undefined })}
          data={[
            { value: 'week', label: t('week') },
            { value: 'month', label: t('month') },
          ]}
        />
        <Select
          aria-label={t('till')}
          placeholder={t('allTills')}
          data={tills}
          value={till === undefined ? null : String(till)}
          onChange={(value) => go({ till: value === null ? undefined : Number(value) })}
          clearable
          w={180}
        />
      </Group>
    </Group>
  );
}

function Sentence({ comparison: { finished }, unit }: { readonly comparison: Comparison; readonly unit: Unit }) {
  const { t } = useTranslation('trends');
  const formats = useStoreFormats();
  const { days, sales, before } = finished;
  const said = (): string => {
    if (days === 0) return t('noneFinished');
    const counted = { count: days, d: formats.number(days), n: formats.number(sales) };
    const when = t(unit === 'week' ? 'beforeWeek' : 'beforeMonth');
    if (before === 0) return t('noneBefore', { ...counted, when });
    if (sales === before) return t('same', { ...counted, when });
    const percent = formats.percent(Math.abs(sales - before) / before);
    return t(sales > before ? 'more' : 'less', {
      ...counted,
      when,
      percent,
      before: formats.number(before),
    });
  };
  return (
    <Text size="lg" fw={600} aria-live="polite">
      {said()}
    </Text>
  );
}

function Charts({
  comparison: { days, hours },
  unit,
  period,
  before,
  dayStartsAt,
}: {
  readonly comparison: Comparison;
  readonly unit: Unit;
  readonly period: Period;
  readonly before: Period;
  /** Minutes after midnight. */
  readonly dayStartsAt: number;
}) {
  const { t } = useTranslation('trends');
  const formats = useStoreFormats();
  const nameOf = usePeriodName();
  const names = { sales: nameOf(unit, period), before: nameOf(unit, before) };
  const dayRows = days.map(({ date, dateBefore, sales, before: salesBefore }, at) => ({
    at,
    label: unit === 'week' && date !== null ? formats.weekday(date) : String(at + 1),
    name: [date, dateBefore].flatMap((each) => (each === null ? [] : [formats.date(each)])).join(' · '),
    sales,
    before: salesBefore,
  }));
  const hourRows = openHours(hours, dayStartsAt).map(({ hour, ...pair }, index) => {
    const label = `${String(hour).padStart(2, '0')}:00`;
    return { at: index, label, name: label, ...pair };
  });
  const labelOf = (at: number): string => hourRows[at]?.label ?? '';
  const hourPlaces = hourRows.map(({ at }) => at);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
      <Suspense fallback={<div style={{ height: 220 }} />}>
        <PairChart title={t('perDay')} heading={t('day')} names={names} rows={dayRows} />
      </Suspense>
      <Suspense fallback={<div style={{ height: 220 }} />}>
        <PairChart
          title={t('perHour')}
          heading={t('hour')}
          names={names}
          rows={hourRows}
          ticks={hourTicks(hourPlaces, labelOf)}
          tick={<SlotStartTick slots={hourRows.length} format={labelOf} />}
        />
      </Suspense>
    </SimpleGrid>
  );
}

/** The hours between the first and the last sale, in the order of the store day. `dayStartsAt` is in minutes after midnight. */
function openHours(hours: Comparison['hours'], dayStartsAt: number) {
  const first = Math.floor(dayStartsAt / 60);
  const inOrder = hours.map((_, index) => {
    const hour = (first + index) % 24;
    return { hour, sales: hours[hour]?.sales ?? 0, before: hours[hour]?.before ?? 0 };
  });
  const isOpen = ({ sales, before }: (typeof inOrder)[number]): boolean => sales + before > 0;
  return inOrder.slice(Math.max(0, inOrder.findIndex(isOpen)), inOrder.findLastIndex(isOpen) + 1);
}

/** A comparison of the sales of each till. Counts only finished days. */
function Tills({
  view,
  period,
  before,
  unit,
}: {
  readonly view: TrendsView;
  readonly period: Period;
  readonly before: Period;
  readonly unit: Unit;
}) {
  const { t } = useTranslation('trends');
  const formats = useStoreFormats();
  const nameOf = usePeriodName();
  const change = (sales: number, salesBefore: number): string => {
    if (salesBefore === 0) return '–';
    const share = (sales - salesBefore) / salesBefore;
    return `${share > 0 ? '+' : share < 0 ? '−' : '±'}${formats.percent(Math.abs(share))}`;
  };
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t('perTill')}
      </Title>
      <Table.ScrollContainer minWidth={340}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('till')}</Table.Th>
              <Table.Th ta="right">{nameOf(unit, period)}</Table.Th>
              <Table.Th ta="right">{nameOf(unit, before)}</Table.Th>
              <Table.Th ta="right">{t('change')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {view.tills.map(({ id, label }) => {
              const { finished } = compare(view, period, id);
              return (
                <Table.Tr key={id}>
                  <Table.Td className={classes.name ?? ''}>
                    <Link to="/trends" search={(search) => ({ ...search, till: id })} className={classes.link}>
                      <ForeignText>{label}</ForeignText>
                    </Link>
                  </Table.Td>
                  <Table.Td ta="right">{formats.number(finished.sales)}</Table.Td>
                  <Table.Td ta="right">{formats.number(finished.before)}</Table.Td>
                  <Table.Td ta="right">{change(finished.sales, finished.before)}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
