// Reads days and numbers in the cells of a file of declared totals. A form such as 04/11/2026 is ambiguous. Another cell of the
// file, such as 25/11/2026, shows how to read it. Without such a cell, an ambiguous cell is unreadable.

import type { DateOrder } from '../contract/declared-totals.ts';
import { dayRange } from '../lib/instant.ts';

/** Finds the store day of a time. */
export interface DayFinder {
  /** The store day of an instant in epoch milliseconds. */
  dayAt(epochMs: number): string;
  /** The store day of a local time: a date and seconds after midnight. */
  dayOfClock(date: string, seconds: number): string;
}

/** Maximum characters of a day or a number. */
const MAX_CELL_LENGTH = 40;
/** A date that begins or ends with the year. A time may follow, with or without a time zone. */
const DAY =
  /^(?:(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{1,2})([-/.])(\d{1,2})\6(\d{4}))(?:(?:T|,? )(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Whether a cell has the form of a day, even of a day that does not exist. */
export function isLikeDay(cell: string): boolean {
  return cell.length <= MAX_CELL_LENGTH && DAY.test(cell.trim());
}

/**
 * Returns a function that reads the store day in a cell. It returns undefined for an invalid or ambiguous day. A date such as
 * 04/11/2026 needs an order of day and month: a person chooses it (`chosen`), or other cells of the file show it.
 */
export function openDayReader(
  cells: Iterable<string>,
  finder: DayFinder,
  chosen?: DateOrder,
): (cell: string) => string | undefined {
  const order = chosen ?? findOrder(cells);
  return (cell) => {
    const parts = partsOf(cell);
    if (parts === undefined) return undefined;
    const date = dateOf(parts, parts.isAmbiguous ? order : chosen);
    if (date === undefined) return undefined;
    const day = parts.time === undefined ? date : dayOfTime(date, parts.time, finder);
    return day?.length === 10 ? day : undefined; // years after 9999 have more digits
  };
}

interface Parts {
  readonly year: string;
  /** `first` and `second` are the day and the month, in the order in which the cell has them. */
  readonly first: string;
  readonly second: string;
  /** Whether the date has slashes and ends with the year. */
  readonly isAmbiguous: boolean;
  readonly isYearFirst: boolean;
  readonly time: Time | undefined;
}

interface Time {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly zone: string | undefined;
}

function partsOf(cell: string): Parts | undefined {
  if (cell.length > MAX_CELL_LENGTH) return undefined;
  const match = DAY.exec(cell.trim());
  if (match === null) return undefined;
  const [, isoYear, , month = '', day = '', first = '', mark, second = '', year = '', hour, minute, seconds, zone] =
    match;
  const time =
    hour === undefined ? undefined : { hour: Number(hour), minute: Number(minute), second: Number(seconds ?? 0), zone };
  return isoYear === undefined
    ? { year, first, second, isAmbiguous: mark === '/', isYearFirst: false, time }
    : { year: isoYear, first: month, second: day, isAmbiguous: false, isYearFirst: true, time };
}

/** The order of dates in a file. Undefined if no cell shows it, or cells contradict each other. */
function findOrder(cells: Iterable<string>): DateOrder | undefined {
  const orders = new Set<DateOrder>();
  for (const cell of cells) {
    const parts = partsOf(cell);
    if (parts?.isAmbiguous !== true) continue;
    if (Number(parts.first) > 12) orders.add('day first');
    if (Number(parts.second) > 12) orders.add('month first');
  }
  return orders.size === 1 ? [...orders][0] : undefined;
}

/**
 * Returns YYYY-MM-DD; undefined for an ambiguous day, or for a day that does not exist. A date with points or hyphens has the
 * day first, unless `order` says otherwise.
 */
function dateOf(
  { year, first, second, isAmbiguous, isYearFirst }: Parts,
  order: DateOrder | undefined,
): string | undefined {
  if (isAmbiguous && order === undefined && Number(first) !== Number(second)) return undefined;
  const isMonthFirst = isYearFirst || order === 'month first';
  const [month, day] = isMonthFirst ? [first, second] : [second, first];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return Number(year) >= 1900 && dayRange(date) !== undefined ? date : undefined;
}

function dayOfTime(date: string, { hour, minute, second, zone }: Time, finder: DayFinder): string | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const seconds = hour * 3600 + minute * 60 + second;
  if (zone === undefined) return finder.dayOfClock(date, seconds);
  const offset = zone === 'Z' ? 0 : offsetOf(zone);
  return offset === undefined ? undefined : finder.dayAt(Date.parse(`${date}T00:00:00Z`) + (seconds - offset) * 1000);
}

/** How many seconds a time zone is ahead of UTC, negative if it is behind. Undefined for an invalid zone. */
function offsetOf(zone: string): number | undefined {
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

const PLAIN_COUNT = /^\d{1,15}$/;
/** A number with the same separator between all groups of three digits. */
const GROUPED_COUNT = /^[1-9]\d{0,2}([.,'’ \u00A0\u202F])\d{3}(?:\1\d{3})*$/;

/** Whether a cell has the form of a number. The number may have decimals. */
export function isLikeNumber(cell: string): boolean {
  return cell.length <= MAX_CELL_LENGTH && /^[+-]?\d[\d.,'’ \u00A0\u202F]*$/.test(cell.trim());
}

/**
 * Returns a reader of whole numbers, which returns undefined for anything else. A point or comma counts as a separator of
 * thousands only if the file proves it: 12.000 may be twelve, but with 12.345 in the file it is twelve thousand.
 */
export function openCountReader(cells: Iterable<string>): (cell: string) => number | undefined {
  const marks = new Set<string>();
  let isShown = false;
  for (const cell of cells) {
    const grouped = groupedOf(cell);
    if (grouped === undefined || !'.,'.includes(grouped.mark)) continue;
    marks.add(grouped.mark);
    isShown ||= grouped.groups.length > 2 || grouped.groups[1] !== '000';
  }
  const isTrusted = (mark: string): boolean => !'.,'.includes(mark) || (isShown && marks.size === 1);

  return (cell) => {
    const text = cell.length > MAX_CELL_LENGTH ? '' : cell.trim();
    if (PLAIN_COUNT.test(text)) return Number(text);
    const grouped = groupedOf(cell);
    if (grouped === undefined || !isTrusted(grouped.mark)) return undefined;
    const digits = grouped.groups.join('');
    return PLAIN_COUNT.test(digits) ? Number(digits) : undefined;
  };
}

function groupedOf(cell: string): { readonly mark: string; readonly groups: readonly string[] } | undefined {
  if (cell.length > MAX_CELL_LENGTH) return undefined;
  const text = cell.trim();
  const mark = GROUPED_COUNT.exec(text)?.[1];
  return mark === undefined ? undefined : { mark, groups: text.split(mark) };
}
