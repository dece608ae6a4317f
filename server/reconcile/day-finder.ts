// Finds the store day of a time. It is made for a very large number of times, so it caches what it calculates for each day.

import { Temporal } from 'temporal-polyfill';

import type { DayRules, StoreDay } from '../contract/days.ts';
import { ruleOf, storeDayAt } from '../store-day.ts';
import type { DayFinder } from './declared-cell.ts';

const DAY_MS = 86_400_000;
/** Clock changes and starts of days fall on whole quarter hours. */
const QUARTER_S = 900;

export function openDayFinder(rules: DayRules): DayFinder {
  const storeDays = new Map<number, StoreDay[]>();
  function dayAt(epochMs: number): string {
    const utcDay = Math.floor(epochMs / DAY_MS);
    const seconds = Math.floor(epochMs / 1000);
    const known = storeDays.get(utcDay) ?? [];
    storeDays.set(utcDay, known);
    let day = known.find(({ from, to }) => from <= seconds && seconds < to);
    if (day === undefined) known.push((day = storeDayAt(epochMs, rules)));
    return day.date;
  }

  const instantOf = remember(
    (clock: string) =>
      Temporal.PlainDateTime.from(clock).toZonedDateTime(ruleOf(clock.slice(0, 10), rules).timeZone).epochMilliseconds,
  );
  /** Returns the instant of midnight, and whether the day has 24 hours. */
  const dateOf = remember((date: string) => {
    const midnight = instantOf(`${date}T00:00:00`);
    const next = Temporal.PlainDate.from(date)
      .add({ days: 1 })
      .toZonedDateTime(ruleOf(date, rules).timeZone).epochMilliseconds;
    return { midnight, isEven: next - midnight === DAY_MS };
  });
  return {
    dayAt,
    dayOfClock(date, seconds) {
      const { midnight, isEven } = dateOf(date);
      if (isEven) return dayAt(midnight + seconds * 1000);
      const clock = Temporal.PlainTime.from({ hour: 0 }).add({ seconds: seconds - (seconds % QUARTER_S) });
      return dayAt(instantOf(`${date}T${clock.toString()}`) + (seconds % QUARTER_S) * 1000);
    },
  };
}

function remember<T>(find: (text: string) => T): (text: string) => T {
  const found = new Map<string, T>();
  return (text) => {
    const known = found.get(text);
    if (known !== undefined) return known;
    const value = find(text);
    found.set(text, value);
    return value;
  };
}
