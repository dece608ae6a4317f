// A month as a calendar. The arrow keys move from day to day, also into adjacent months; Enter opens a day.

import { Text, VisuallyHidden } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { PenLine } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { DaySummary } from '../../server/contract/days.ts';
import { addDays } from '../../server/lib/calendar.ts';
import { Money } from '../components/money.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { LOOK_OF_DAY } from '../components/verdict-mark.tsx';
import { weekStartOf } from '../lib/week-start.ts';
import { locale } from '../locales/words.ts';
import { type DayState, shortReason, dayStateOf } from '../model/day-state.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { monthOf, weeksOf } from './calendar.ts';
import { differsInMoney, moneyDifference } from './money-words.ts';

import classes from './days.module.css';

/** The number of days by which an arrow key moves the focus. */
const STEPS: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

export function Month({
  month,
  days,
  today,
  show,
}: {
  readonly month: string;
  /** The days with a verdict. */
  readonly days: ReadonlySet<DaySummary>;
  readonly today: string;
  /** The highlighted state. */
  readonly show: DayState | undefined;
}) {
  const { t } = useTranslation('days');
  const formats = useStoreFormats();
  const weeks = weeksOf(month, weekStartOf(locale));
  const byDate = new Map([...days].map((day) => [day.date, day]));
  const { grid, reached, onKeyDown } = useArrows(month, today);
  // Tab reaches only one day. From this day, the arrow keys move to the other days.
  const entrance = [reached, today, [...byDate.keys()].at(-1)].find((date) => date !== undefined && byDate.has(date));
  return (
    <>
      <div
        ref={grid}
        role="grid"
        tabIndex={-1} // Tab reaches only the links in the calendar
        className={classes.month}
        aria-label={t('calendar', { when: formats.month(month) })}
        aria-describedby="calendar-keys"
        onKeyDown={onKeyDown}
      >
        <div role="row" className={classes.week}>
          {(weeks[1] ?? []).map((date) => (
            <span key={date} role="columnheader" className={classes.weekday}>
              {date !== null && formats.weekday(date)}
            </span>
          ))}
        </div>
        {weeks.map((week) => (
          <div key={week.find((date) => date !== null)} role="row" className={classes.week}>
            {week.map((date, column) => {
              const day = date === null ? undefined : byDate.get(date);
              return (
                <div key={date ?? column} role="gridcell" className={classes.cell}>
                  {day !== undefined && (
                    <Day
                      day={day}
                      isToday={day.date === today}
                      isShown={dayStateOf(day) === show}
                      isEntrance={day.date === entrance}
                    />
                  )}
                  {day === undefined && date !== null && (
                    <span className={`${classes.day} ${classes.empty}`}>{Number(date.slice(8))}</span>
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <VisuallyHidden id="calendar-keys">{t('arrows')}</VisuallyHidden>
    </>
  );
}

function Day({
  day,
  isToday,
  isShown,
  isEntrance,
}: {
  readonly day: DaySummary;
  readonly isToday: boolean;
  readonly isShown: boolean;
  readonly isEntrance: boolean;
}) {
  const { t } = useTranslation('days');
  const { t: verdicts } = useTranslation('verdict');
  const { t: reasons } = useTranslation('reasonShort');
  const { t: words } = useTranslation('day');
  const formats = useStoreFormats();
  const state = dayStateOf(day);
  const sales = day.here;
  const why = shortReason(day, reasons, formats);
  const signature = day.signOff === null ? undefined : t(day.signOff.isReopened ? 'reopened' : 'signed');
  const more = [
    state === 'closed' ? undefined : t('sales', { count: sales, n: formats.number(sales) }),
    isToday ? t('today') : undefined,
    day.isProvisional ? t('provisional') : undefined,
    why,
    signature,
  ].filter((each) => each !== undefined);
  return (
    <Link
      to="/days/$date"
      params={{ date: day.date }}
      className={`plain-link ${classes.day}`}
      tabIndex={isEntrance ? 0 : -1}
      data-date={day.date}
      data-state={state}
      data-today={isToday || undefined}
      data-shown={isShown || undefined}
      title={[day.isProvisional ? t('provisional') : undefined, why].filter((each) => each !== undefined).join(', ')}
    >
      {/* Not an aria-label: users of voice control say the text that they see, so that text must stay part of the name. */}
      <VisuallyHidden component="span">{formats.fullDate(day.date)}: </VisuallyHidden>
      <span className={classes.top}>
        <span className={classes.number} aria-hidden>
          {Number(day.date.slice(8))}
        </span>
        <span className={classes.marks}>
          {signature !== undefined && <Signed isReopened={day.signOff?.isReopened === true} />}
        </span>
      </span>
      <StateMark {...LOOK_OF_DAY[state]} isPlain={state === 'complete' || state === 'closed'}>
        <span className={classes.word}>{verdicts(state)}</span>
      </StateMark>
      {state !== 'closed' && <span aria-hidden>{formats.number(sales)}</span>}
      {state !== 'closed' && day.amounts !== null && (
        <span className={classes.amounts}>
          <Money amounts={day.amounts} />
          {day.declaredAmounts.filter(differsInMoney).map((amount) => (
            <Text key={amount.currency} span size="xs" fw={600} c="var(--cf-differs)">
              {moneyDifference(amount, words, formats)}
            </Text>
          ))}
        </span>
      )}
      <VisuallyHidden component="span">{more.join(', ')}</VisuallyHidden>
    </Link>
  );
}

function Signed({ isReopened }: { readonly isReopened: boolean }) {
  return isReopened ? (
    <>
      <PenLine size={14} aria-hidden color="var(--cf-differs)" />
      <span aria-hidden style={{ color: 'var(--cf-differs)', fontWeight: 700 }}>
        !
      </span>
    </>
  ) : (
    <PenLine size={14} aria-hidden />
  );
}

/** Keeps the focus on the active day when the month changes. */
function useArrows(month: string, today: string) {
  const navigate = useNavigate();
  const grid = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState<string>();
  const focus = (date: string): void => grid.current?.querySelector<HTMLElement>(`[data-date="${date}"]`)?.focus();
  const isAway = useRef(false);
  useEffect(() => {
    if (!isAway.current || reached === undefined || monthOf(reached) !== month) return;
    isAway.current = false;
    focus(reached);
  }, [month, reached]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    const here = event.target instanceof HTMLElement ? event.target.dataset['date'] : undefined;
    if (step === undefined || here === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault(); // otherwise the page would scroll
    const date = addDays(here, step);
    if (date > today) return;
    setReached(date);
    if (monthOf(date) === month) return focus(date);
    isAway.current = true;
    void navigate({ to: '/days', search: { month: monthOf(date) }, replace: true });
  };
  return { grid, reached, onKeyDown };
}
