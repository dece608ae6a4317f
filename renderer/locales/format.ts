// Numbers, times and sizes as people say them, in the user's locale and the store's zone.

import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';

import type { Amount } from '../../server/contract/amounts.ts';
import { addDays } from '../../server/lib/calendar.ts';
import { useNow } from '../lib/use-now.ts';
import { locale } from './words.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Maximum decimal places that this module asks `Intl` for. No amount has more. */
const MAX_DECIMALS = 20;

export interface Formats {
  number(value: number): string;
  /** Shows an exact decimal with all its digits. Adds the currency if there is one: "€12.50". */
  amount(amount: Amount): string;
  /** Shows a share as a percentage: 0.052 as "5.2%". */
  percent(share: number): string;
  /** "13:02", or with the day if it is not today: "yesterday 13:02", "4 Nov 13:02". */
  time(at: number): string;
  /** Like `time`, with seconds: "13:02:51". */
  timeToSecond(at: number): string;
  /** A calendar day, given as YYYY-MM-DD: "Fri 21 Nov". */
  date(day: string): string;
  /** A calendar day in full: "Friday 21 November 2026". */
  fullDate(day: string): string;
  /** "Fri". */
  weekday(day: string): string;
  /** "23 Nov". */
  shortDate(day: string): string;
  /** A month, given as YYYY-MM: "November 2026". */
  month(month: string): string;
  /** "November". */
  monthName(month: string): string;
  /** "41 min". */
  span(ms: number): string;
  /** An instant as date, time and time zone. */
  exact(at: number): string;
  clock(at: number): string;
  bytes(count: number): string;
  /** Disk space: "12 GB". */
  space(bytes: number): string;
  /** The day of an instant: "today", "yesterday", "Thursday 19 November". */
  dayName(at: number): string;
  /** The calendar day of an instant in the store's zone, as YYYY-MM-DD. */
  day(at: number): string;
}

const known = new Map<string, Intl.DateTimeFormat>();
function dateFormat(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${timeZone} ${JSON.stringify(options)}`;
  const format = known.get(name) ?? new Intl.DateTimeFormat(locale, { timeZone, ...options });
  known.set(name, format);
  return format;
}

function dayOf(at: number, timeZone: string): string {
  const name = `iso ${timeZone}`;
  const format = known.get(name) ?? new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  known.set(name, format);
  return format.format(at);
}

/** Formats for a zone. All components share them until the time of `useNow` advances. */
export function useFormats(timeZone: string): Formats {
  const { t } = useTranslation('format');
  return formatsAt(useNow(), timeZone, t);
}

/** The formats for the current time of `useNow`, by zone and locale. */
const made = new Map<string, Formats>();
let madeAt = 0;

function formatsAt(now: number, timeZone: string, t: TFunction<'format'>): Formats {
  if (now !== madeAt) made.clear();
  madeAt = now;
  const name = `${timeZone} ${locale}`;
  const formats = made.get(name) ?? formatsFor(timeZone, t);
  made.set(name, formats);
  return formats;
}

/** Formats the decimal as text, because a JavaScript number would lose digits. */
function amountText({ currency, value }: Amount): string {
  const decimals = Math.min(value.split('.')[1]?.length ?? 0, MAX_DECIMALS);
  return new Intl.NumberFormat(locale, {
    ...(currency !== null && { style: 'currency', currency }),
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value as Intl.StringNumericLiteral);
}

export function formatsFor(timeZone: string, t: TFunction<'format'>, now: () => number = Date.now): Formats {
  const numbers = new Intl.NumberFormat(locale);
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

  const clock = (at: number): string => dateFormat(timeZone, { hour: '2-digit', minute: '2-digit' }).format(at);
  const span = (ms: number): string => {
    if (ms < MINUTE) return t('seconds', { n: Math.max(1, Math.round(ms / 1000)) });
    if (ms < HOUR) return t('minutes', { n: Math.round(ms / MINUTE) });
    if (ms < 2 * DAY) return t('hours', { n: Math.round(ms / HOUR) });
    return t('days', { n: Math.round(ms / DAY) });
  };
  const withDay = (at: number, time: string): string => {
    const day = dayOf(at, timeZone);
    const today = dayOf(now(), timeZone);
    if (day === today) return time;
    if (day === addDays(today, -1)) return t('yesterday', { time });
    const isThisYear = day.slice(0, 4) === today.slice(0, 4);
    const date = dateFormat(timeZone, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) });
    return `${date.format(at)} ${time}`;
  };
  /** Formats a day of the calendar. The day has no zone, so it is read and written in UTC. */
  const dateWith = (day: string, options: Intl.DateTimeFormatOptions): string =>
    dateFormat('UTC', options).format(Date.parse(`${day}T00:00:00Z`));
  return {
    number: (value) => numbers.format(value),
    amount: amountText,
    percent: (share) => percents.format(share),
    clock,
    span,
    time: (at) => withDay(at, clock(at)),
    timeToSecond: (at) =>
      withDay(at, dateFormat(timeZone, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at)),
    date(day) {
      const isThisYear = day.slice(0, 4) === dayOf(now(), timeZone).slice(0, 4);
      const year = isThisYear ? {} : ({ year: 'numeric' } as const);
      return dateWith(day, { weekday: 'short', day: 'numeric', month: 'short', ...year });
    },
    fullDate: (day) => dateWith(day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
    weekday: (day) => dateWith(day, { weekday: 'short' }),
    shortDate: (day) => dateWith(day, { day: 'numeric', month: 'short' }),
    month: (month) => dateWith(`${month}-01`, { month: 'long', year: 'numeric' }),
    monthName: (month) => dateWith(`${month}-01`, { month: 'long' }),
    exact: (at) =>
      dateFormat(timeZone, {
        dateStyle: 'full',
        timeStyle: 'long',
      }).format(at),
    dayName(at) {
      const day = dayOf(at, timeZone);
      const today = dayOf(now(), timeZone);
      if (day === today) return t('today');
      if (day === addDays(today, -1)) return t('theDayBefore');
      const isThisYear = day.slice(0, 4) === today.slice(0, 4);
      const year = isThisYear ? {} : ({ year: 'numeric' } as const);
      return dateFormat(timeZone, { weekday: 'long', day: 'numeric', month: 'long', ...year }).format(at);
    },
    bytes: (count) =>
      count < 1000 ? t('bytes', { n: count }) : t('kilobytes', { n: numbers.format(Math.round(count / 100) / 10) }),
    space(bytes) {
      const n = (unit: number): string => numbers.format(Math.round((bytes / unit) * 10) / 10);
      return bytes < 1e9 ? t('megabytes', { n: n(1e6) }) : t('gigabytes', { n: n(1e9) });
    },
    day: (at) => dayOf(at, timeZone),
  };
}
