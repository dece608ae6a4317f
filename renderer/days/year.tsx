// A year at a glance: twelve small months, each a link to its month. Words say how many days have each state.

import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import type { DaySummary } from '../../server/contract/days.ts';
import { weekStartOf } from '../lib/week-start.ts';
import { locale } from '../locales/words.ts';
import { countStates, DAY_STATES, type DayState, dayStateOf } from '../model/day-state.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { monthOf, monthsOf, weeksOf } from './calendar.ts';

import classes from './days.module.css';

/** The sign of each state, because colour alone must never show a state. */
const SIGNS: Record<DayState, string> = { complete: '✓', waiting: '…', differs: '≠', 'cannot tell': '?', closed: '·' };

export function Year({ year, days }: { readonly year: number; readonly days: ReadonlySet<DaySummary> }) {
  const { t } = useTranslation('tally');
  const formats = useStoreFormats();
  const byMonth = Map.groupBy(days, ({ date }) => monthOf(date));
  const byDate = new Map([...days].map((day) => [day.date, dayStateOf(day)]));
  return (
    <div className={classes.year}>
      {monthsOf(year).map((month) => {
        const ofMonth = byMonth.get(month) ?? [];
        const counts = countStates(ofMonth);
        const sum = DAY_STATES.filter((state) => counts[state] > 0)
          .map((state) =>
            t(state, { count: counts[state], n: formats.number(counts[state]) }).replaceAll(' ', '\u00A0'),
          )
          .join(', ');
        const small = (
          <>
            <Text component="span" fw={600}>
              {formats.monthName(month)}
            </Text>
            <span className={classes.cells} aria-hidden>
              {weeksOf(month, weekStartOf(locale))
                .flat()
                .map((date, index) => {
                  const state = date === null ? undefined : byDate.get(date);
                  return (
                    <span key={date ?? `none ${index}`} data-state={state}>
                      {state === undefined ? '' : SIGNS[state]}
                    </span>
                  );
                })}
            </span>
            <Text component="span" size="xs" c="dimmed">
              {sum}
            </Text>
          </>
        );
        return ofMonth.length === 0 ? (
          <div key={month} className={classes.small} data-empty>
            {small}
          </div>
        ) : (
          <Link key={month} to="/days" search={{ month }} className={`plain-link ${classes.small}`}>
            {small}
          </Link>
        );
      })}
    </div>
  );
}
