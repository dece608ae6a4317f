// What stands in the cells of a file of declared totals. A day and a number can be written in more than one way, and some of
// them mean two things: which of the two holds is decided over the whole file, and where that decides nothing, neither does.

import { dayRange } from '../lib/instant.ts';

/** To which store days times belong. */
export interface DayFinder {
  /** Of an instant in epoch milliseconds. */
  dayAt(epochMs: number): string;
  /** Of a time on the store's clock: a date and seconds after midnight. */
  dayOfClock(date: string, seconds: number): string;
}

/** No cell that means a day or a number is longer; others are not looked at. */
const MAX_CELL_LENGTH = 40;
/** Year first, or year last; then, perhaps, a time with or without its zone. */
const DAY =
  /^(?:(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{1,2})([-/.])(\d{1,2})\6(\d{4}))(?:(?:T|,? )(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Whether a cell is written as a day is, whatever it says. */
export function isLikeDay(cell: string): boolean {
  return cell.length <= MAX_CELL_LENGTH && DAY.test(cell.trim());
}

/** Of the two orders with the year last and strokes between; the others have one. */
type Order = 'day first' | 'month first';

/** Reads the store days of a file's cells; undefined for what is no day, or could be two. */
export function openDayReader(cells: Iterable<string>, finder: DayFinder): (cell: string) => string | undefined {
  const order = findOrder(cells);
  return (cell) => {
    const parts = partsOf(cell);
    if (parts === undefined) return undefined;
    const date = dateOf(parts, order);
    if (date === undefined) return undefined;
    const day = parts.time === undefined ? date : dayOfTime(date, parts.time, finder);
    return day?.length === 10 ? day : undefined; // years beyond 9999 are written otherwise
  };
}

interface Parts {
  readonly year: string;
  /** As they stand there. */
  readonly first: string;
  readonly second: string;
  /** Whether it has strokes and the year last. */
  readonly isOpen: boolean;
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
    ? { year, first, second, isOpen: mark === '/', isYearFirst: false, time }
    : { year: isoYear, first: month, second: day, isOpen: false, isYearFirst: true, time };
}

/** Undefined where nothing in the file decides, or one cell says this and another that. */
function findOrder(cells: Iterable<string>): Order | undefined {
  const orders = new Set<Order>();
  for (const cell of cells) {
    const parts = partsOf(cell);
    if (parts?.isOpen !== true) continue;
    if (Number(parts.first) > 12) orders.add('day first');
    if (Number(parts.second) > 12) orders.add('month first');
  }
  return orders.size === 1 ? [...orders][0] : undefined;
}

/** YYYY-MM-DD; undefined for a day that there is not. */
function dateOf({ year, first, second, isOpen, isYearFirst }: Parts, order: Order | undefined): string | undefined {
  if (isOpen && order === undefined && Number(first) !== Number(second)) return undefined;
  const isMonthFirst = isYearFirst || (isOpen && order === 'month first');
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

/** Seconds ahead of UTC. */
function offsetOf(zone: string): number | undefined {
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

const PLAIN_COUNT = /^\d{1,15}$/;
/** The same mark between all groups of three. */
const GROUPED_COUNT = /^[1-9]\d{0,2}([.,'’ \u00A0\u202F])\d{3}(?:\1\d{3})*$/;

/** Whether a cell is written as a number is, be it a whole one or not. */
export function isLikeNumber(cell: string): boolean {
  return cell.length <= MAX_CELL_LENGTH && /^[+-]?\d[\d.,'’ \u00A0\u202F]*$/.test(cell.trim());
}

/**
 * Reads the whole numbers of a file's cells; undefined for what is none. A point or comma is taken for a mark between
 * thousands only where the file shows that it is one: 12.000 may be twelve, but 12.345 next to it settles it.
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
