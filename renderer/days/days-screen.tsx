// Days: a month or a year of store days with their verdicts. The address holds the period and the highlighted state.

import { Group, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Upload } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { type DaySummary, type DaysView, listJudged } from '../../server/contract/days.ts';
import type { JournalView } from '../../server/contract/setup.ts';
import { daysQuery } from '../api/queries.ts';
import { CsvExport } from '../components/csv-export.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { Money } from '../components/money.tsx';
import { NoStoreYet } from '../components/no-store-yet.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { LOOK_OF_DAY } from '../components/verdict-mark.tsx';
import { countStates, DAY_STATES } from '../model/day-state.ts';
import type { DaysSearch } from '../model/search-parameters.ts';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { todayOf } from '../model/today.ts';
import { addMonths, type Dates, daysOfMonth, monthOf, endingBy, yearOf } from './calendar.ts';
import { CheckButtons, ChecksUnderway } from './checks.tsx';
import { sumDays } from './month-lines.ts';
import { MonthSheet } from './month-sheet.tsx';
import { Month } from './month.tsx';
import { PrintButton } from './print-button.tsx';
import { Year } from './year.tsx';

import classes from './days.module.css';

export function DaysScreen() {
  const journal = useSelectedJournal();
  return journal === undefined ? <NoStoreYet /> : <Calendar key={journal.id} journal={journal} />;
}

/** The shown period: a year or a month, never one in the future. */
function useShown(journal: JournalView): {
  readonly year: number | null;
  readonly month: string;
  readonly dates: Dates;
} {
  const { month = '9999-12', year } = useSearch({ from: '/days' });
  const today = todayOf(journal);
  if (year !== undefined) {
    const shown = Math.min(year, yearOf(today));
    const dates = { from: `${shown}-01-01`, to: `${shown}-12-31` };
    return { year: shown, month: `${shown}-01`, dates: endingBy(dates, today) ?? dates };
  }
  const shown = month < monthOf(today) ? month : monthOf(today);
  const dates = daysOfMonth(shown);
  return { year: null, month: shown, dates: endingBy(dates, today) ?? dates };
}

function Calendar({ journal }: { readonly journal: JournalView }) {
  const { t } = useTranslation('days');
  const { t: csv } = useTranslation('export');
  const { show } = useSearch({ from: '/days' });
  const { year, month, dates } = useShown(journal);
  const { data: view } = useSuspenseQuery(daysQuery(journal.id, dates.from, dates.to));
  const judged = listJudged(view);
  const shown = new Set(judged);
  const parameters = { journal: journal.id, ...dates };
  const judgedDates = { from: judged[0]?.date ?? dates.from, to: judged.at(-1)?.date ?? dates.to };

  return (
    <Stack gap="lg">
      <Stack gap={6}>
        <Walk year={year} month={month} view={view}>
          <CsvExport
            file={{ path: 'days/tills/export', parameters, name: csv('tills'), hint: csv('tillsHint') }}
            others={[{ path: 'days/export', parameters, name: csv('days'), hint: csv('daysHint') }]}
            ml="auto"
          />
        </Walk>
        {view.first === null ? (
          <Text size="lg">{t('noSales')}</Text>
        ) : (
          <>
            <Tally days={judged} at={year === null ? { month } : { year }} />
            <Sums days={judged} />
          </>
        )}
      </Stack>
      <Group gap="xs" className={classes.acts ?? ''}>
        {judged.length > 0 && (
          <CheckButtons journalId={journal.id} dates={judgedDates} word={t(year === null ? 'check' : 'checkYear')} />
        )}
        <LinkButton to="/days/import" variant="default" leftSection={<Upload size={16} aria-hidden />}>
          {t('import')}
        </LinkButton>
        {year === null && judged.length > 0 && <PrintButton>{t('print')}</PrintButton>}
      </Group>
      <ChecksUnderway checks={view.checks} />
      {year === null && judged.length > 0 && <MonthSheet month={month} days={judged} journal={journal} />}
      {year === null ? (
        <Month month={month} days={shown} today={view.today} show={show} />
      ) : (
        <Year year={year} days={shown} />
      )}
    </Stack>
  );
}

/** Links to the previous and the next period. The export stands at the end of the line. */
function Walk({
  year,
  month,
  view,
  children,
}: {
  readonly year: number | null;
  readonly month: string;
  readonly view: Pick<DaysView, 'today' | 'first'>;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation('days');
  const formats = useStoreFormats();
  const thisMonth = monthOf(view.today);
  const firstMonth = monthOf(view.first ?? view.today);
  const step = (by: number): { search: DaysSearch; when: string } | undefined => {
    if (year !== null) {
      const other = year + by;
      const isThere = other >= yearOf(firstMonth) && other <= yearOf(thisMonth);
      return isThere ? { search: { year: other }, when: String(other) } : undefined;
    }
    const other = addMonths(month, by);
    const isThere = other >= firstMonth && other <= thisMonth;
    return isThere ? { search: { month: other }, when: formats.month(other) } : undefined;
  };
  const arrow = (by: number, Icon: typeof ChevronLeft) => {
    const to = step(by);
    if (to === undefined)
      return (
        <span className={classes.arrow}>
          <Icon size={20} aria-hidden opacity={0.3} />
        </span>
      );
    const said = t('to', { when: to.when });
    return (
      <Link to="/days" search={to.search} className={classes.arrow} aria-label={said} title={said}>
        <Icon size={20} aria-hidden />
      </Link>
    );
  };
  return (
    <Group gap={4}>
      {arrow(-1, ChevronLeft)}
      <Title order={2} size={24} fw={600}>
        {year === null ? formats.month(month) : year}
      </Title>
      {arrow(1, ChevronRight)}
      {year === null ? (
        <LinkButton to="/days" search={{ year: yearOf(month) }} variant="subtle" size="compact-md" ml="xs">
          {t('wholeYear', { year: yearOf(month) })}
        </LinkButton>
      ) : (
        <LinkButton to="/days" search={{}} variant="subtle" size="compact-md" ml="xs">
          {t('thisMonth')}
        </LinkButton>
      )}
      {year === null && month !== thisMonth && (
        <LinkButton to="/days" search={{}} variant="subtle" size="compact-md">
          {t('thisMonth')}
        </LinkButton>
      )}
      {children}
    </Group>
  );
}

/** The sales of the period, and their money. */
function Sums({ days }: { readonly days: readonly DaySummary[] }) {
  const { t } = useTranslation('days');
  const formats = useStoreFormats();
  const { here, amounts } = sumDays(days);
  return (
    <Group gap="0 12px">
      <span>{t('sales', { count: here, n: formats.number(here) })}</span>
      <Money amounts={amounts} fw={600} />
    </Group>
  );
}

/** The number of days in each state. A click on a state highlights its days. */
function Tally({
  days,
  at,
}: {
  readonly days: Parameters<typeof countStates>[0];
  readonly at: Pick<DaysSearch, 'month' | 'year'>;
}) {
  const { t } = useTranslation('tally');
  const { t: words } = useTranslation('days');
  const { show } = useSearch({ from: '/days' });
  const formats = useStoreFormats();
  const counts = countStates(days);
  return (
    <Group gap={4} component="p" m={0} aria-live="polite">
      {DAY_STATES.filter((state) => state !== 'closed' || counts.closed > 0).map((state) => {
        const isShown = state === show;
        return (
          <Link
            key={state}
            to="/days"
            search={isShown ? at : { ...at, show: state }}
            replace
            className={`plain-link ${classes.tally}`}
            aria-current={isShown || undefined}
            title={words(isShown ? 'showAll' : 'showThem')}
          >
            <StateMark {...LOOK_OF_DAY[state]} size="md" isPlain={counts[state] === 0}>
              {t(state, { count: counts[state], n: formats.number(counts[state]) })}
            </StateMark>
          </Link>
        );
      })}
    </Group>
  );
}
