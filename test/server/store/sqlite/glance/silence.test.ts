// When a till is reported as silent. The store learns its usual sales from some weeks of a shop with opening hours.

import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';

import type { Sureness } from '../../../../../server/contract/gaps.ts';
import type { Silence } from '../../../../../server/contract/overview.ts';
import { type Habits, learnHabits, type Sold } from '../../../../../server/store/sqlite/glance/habit.ts';
import { judgeSilence } from '../../../../../server/store/sqlite/glance/silence.ts';
import { openSales } from '../../../../support/till/sales.ts';

const ZONE = 'Europe/Amsterdam';
const TILL = 1;

/** Epoch seconds of a wall-clock time, such as 2026-11-19T14:00. */
const at = (wallClock: string, zone = ZONE): number =>
  Temporal.PlainDateTime.from(wallClock).toZonedDateTime(zone).epochMilliseconds / 1000;

const datesOf = (from: string, to: string): string[] => {
  const first = Temporal.PlainDate.from(from);
  const { days } = first.until(to, { largestUnit: 'day' });
  return Array.from({ length: days + 1 }, (_, n) => first.add({ days: n }).toString());
};
const isSunday = (date: string): boolean => Temporal.PlainDate.from(date).dayOfWeek === 7;
const isWeekend = (date: string): boolean => Temporal.PlainDate.from(date).dayOfWeek > 5;

/**
 * Sales of a till on these dates between two hours, the same number in each quarter hour. Hours after 24 belong to the next
 * morning.
 */
function sellOn(dates: readonly string[], { tillId = TILL, opens = 9, closes = 18, records = 2 } = {}): Sold[] {
  return dates.flatMap((date) =>
    Array.from({ length: 4 * (closes - opens) }, (_, n) => {
      const time = Temporal.PlainDate.from(date)
        .toPlainDateTime()
        .add({ minutes: 60 * opens + 15 * n });
      return { tillId, startsAt: at(time.toString()), records };
    }),
  );
}

function learn(sold: readonly Sold[], date: string, dayStartsAt = '00:00', zone = ZONE): Habits {
  const from = at(`${date}T${dayStartsAt}`, zone);
  const before = sold.filter(({ startsAt }) => startsAt < from);
  return learnHabits(before, { from, to: from + 86_400 }, zone);
}

function judge(habits: Habits, lastAt: string | null, now: string, hasStoreCalled = true): Silence | null {
  const till = { id: TILL, lastAt: lastAt === null ? null : at(lastAt) * 1000 };
  return judgeSilence(habits, till, at(now) * 1000, hasStoreCalled);
}

/** The dates of three weeks, without Sundays. The day after them is Thursday, 19 November. */
const OPEN = datesOf('2026-10-29', '2026-11-18').filter((date) => !isSunday(date));
const SHOP = sellOn(OPEN, { records: 4 });

describe('a till of a shop with sixteen sales per hour from nine to six', () => {
  test.each<[string, string, string, Sureness | null]>([
    ['after 40 minutes without a call', '2026-11-19T13:20', '2026-11-19T14:00', 'likely'],
    ['after 30 minutes', '2026-11-19T13:30', '2026-11-19T14:00', 'likely'],
    ['not after 29', '2026-11-19T13:31', '2026-11-19T14:00', null],
    ['almost certainly after 45 minutes', '2026-11-19T13:15', '2026-11-19T14:00', 'almost certain'],
    ['not almost certainly a minute before', '2026-11-19T13:16', '2026-11-19T14:00', 'likely'],
    ['half an hour after opening, if it has not called at all', '2026-11-18T18:05', '2026-11-19T09:30', 'likely'],
    ['not a quarter of an hour after opening', '2026-11-18T17:10', '2026-11-19T09:15', null],
    ['not before it opens', '2026-11-18T12:00', '2026-11-19T08:59', null],
    ['still just before it closes', '2026-11-19T16:00', '2026-11-19T17:59', 'almost certain'],
    ['not when it has closed', '2026-11-19T16:00', '2026-11-19T18:00', null],
    ['not at night', '2026-11-19T12:00', '2026-11-19T23:30', null],
    ['after days without a call', '2026-11-16T12:00', '2026-11-19T14:00', 'almost certain'],
    ['not if the machine’s clock was ahead at its last call', '2026-11-19T15:00', '2026-11-19T14:00', null],
    ['not on a day without learned sales', '2026-11-20T13:00', '2026-11-20T14:00', null],
  ])('is silent %s', (_name, lastAt, now, sureness) => {
    const silence = judge(learn(SHOP, '2026-11-19'), lastAt, now);
    expect(silence).toEqual(sureness === null ? null : { since: at(lastAt) * 1000, sureness });
  });

  test('is not silent on a Sunday, when the shop is closed, whatever its sales on other days', () => {
    const habits = learn(SHOP, '2026-11-15');
    expect(judge(habits, '2026-11-14T17:55', '2026-11-15T14:00')).toBeNull();
  });

  test('has no silence before its first call', () => {
    expect(judge(learn(SHOP, '2026-11-19'), null, '2026-11-19T14:00')).toBeNull();
  });

  test('may be closed for a holiday if no till of the store has called', () => {
    const habits = learn(SHOP, '2026-11-19');
    expect(judge(habits, '2026-11-18T17:55', '2026-11-19T14:00', false)).toMatchObject({ sureness: 'likely' });
  });
});

test('a busy till also has a quarter of an hour before it counts as silent', () => {
  const habits = learn(sellOn(OPEN, { records: 40 }), '2026-11-19');
  expect(judge(habits, '2026-11-19T13:46', '2026-11-19T14:00')).toBeNull();
  expect(judge(habits, '2026-11-19T13:45', '2026-11-19T14:00')).toMatchObject({ sureness: 'almost certain' });
});

test('sales of a single till at an odd hour do not make it silent at that hour later', () => {
  const sold = [...SHOP, { tillId: TILL, startsAt: at('2026-11-12T03:00'), records: 30 }];
  expect(judge(learn(sold, '2026-11-19'), '2026-11-18T17:55', '2026-11-19T04:00')).toBeNull();
});

test('a till is not silent in a break, and missing sales before the break do not count after it', () => {
  const sold = [...sellOn(OPEN, { closes: 12, records: 4 }), ...sellOn(OPEN, { opens: 14, records: 4 })];
  const habits = learn(sold, '2026-11-19');
  expect(judge(habits, '2026-11-19T11:45', '2026-11-19T12:30')).toBeNull();
  expect(judge(habits, '2026-11-19T11:00', '2026-11-19T13:00')).toBeNull();
  expect(judge(habits, '2026-11-19T11:00', '2026-11-19T14:15')).toBeNull();
  expect(judge(habits, '2026-11-19T11:00', '2026-11-19T14:30')).toMatchObject({ sureness: 'likely' });
});

test('the night hours of a bar belong to the evening before', () => {
  const evenings = datesOf('2026-10-24', '2026-11-18').filter((date) => !isSunday(date));
  const sold = sellOn(evenings, { opens: 18, closes: 26, records: 4 });
  const habitsOn = (date: string) => learn(sold, date, '06:00');
  expect(judge(habitsOn('2026-11-14'), '2026-11-15T00:20', '2026-11-15T01:00')).toMatchObject({ sureness: 'likely' });
  expect(judge(habitsOn('2026-11-14'), '2026-11-14T23:00', '2026-11-15T02:00')).toBeNull();
  expect(judge(habitsOn('2026-11-15'), '2026-11-15T01:59', '2026-11-15T20:00')).toBeNull();
  expect(judge(habitsOn('2026-11-16'), '2026-11-15T01:59', '2026-11-16T19:00')).toMatchObject({
    sureness: 'almost certain',
  });
});

describe('after a clock change', () => {
  // The clocks go back on Sunday, 25 October 2026, and forward on Sunday, 28 March 2027.
  test.each(['2026-10-25', '2026-10-26', '2026-11-03', '2027-03-28', '2027-03-29'])(
    'opening hours follow the wall clock: %s',
    (date) => {
      const from = Temporal.PlainDate.from(date).subtract({ days: 28 }).toString();
      const habits = learn(sellOn(datesOf(from, date), { records: 4 }), date);
      const silentAt = (now: string, lastAt: string) => judge(habits, `${date}T${lastAt}`, `${date}T${now}`)?.sureness;
      expect(habits.expected.get(TILL)).toEqual(Array.from({ length: 96 }, (_, n) => (n >= 36 && n < 72 ? 4 : 0)));
      expect(silentAt('08:45', '01:00')).toBeUndefined();
      expect(silentAt('09:25', '01:00')).toBeUndefined();
      expect(silentAt('09:30', '01:00')).toBe('likely');
      expect(silentAt('14:00', '13:20')).toBe('likely');
      expect(silentAt('17:59', '16:59')).toBe('almost certain');
      expect(silentAt('18:00', '16:59')).toBeUndefined();
    },
  );

  test('the repeated hour has no effect', () => {
    const from = at('2026-10-25T00:00', 'UTC'); // 02:00 in Amsterdam
    const sold = datesOf('2026-09-28', '2026-10-24').map((date) => ({
      tillId: TILL,
      startsAt: at(`${date}T02:30`),
      records: 80,
    }));
    const habits = learn(sold, '2026-10-25');
    const lastAt = (from + 40 * 60) * 1000; // 02:40 in Amsterdam, before the clocks go back
    const judgeAfter = (minutes: number) => judgeSilence(habits, { id: TILL, lastAt }, lastAt + minutes * 60_000, true);
    expect(judgeAfter(52)).toBeNull(); // 02:32 in Amsterdam, after the clocks went back
    expect(judgeAfter(64)).toMatchObject({ sureness: 'almost certain' });
  });
});

describe('the usual sales', () => {
  const perQuarter = (habits: Habits, hour: number): number | undefined => habits.expected.get(TILL)?.[4 * hour];

  test('are learned from the last four weeks', () => {
    const sold = [
      ...sellOn(datesOf('2026-09-01', '2026-10-21'), { records: 100 }),
      ...sellOn(datesOf('2026-10-22', '2026-11-18')),
    ];
    expect(perQuarter(learn(sold, '2026-11-19'), 14)).toBe(2);
  });

  test('are learned from the same weekday, once there are three of it', () => {
    const busy = (from: string) =>
      datesOf(from, '2026-11-20').filter((date) => Temporal.PlainDate.from(date).dayOfWeek === 6);
    const shop = (from: string) => {
      const dates = datesOf(from, '2026-11-20');
      return [...sellOn(dates), ...sellOn(busy(from), { records: 4 })];
    };
    // 21 November is a Saturday.
    expect(perQuarter(learn(shop('2026-10-31'), '2026-11-21'), 14)).toBe(6);
    const days = 20; // two of these days are Saturdays
    expect(perQuarter(learn(shop('2026-11-01'), '2026-11-21'), 14)).toBe((2 * days + 2 * 4) / days);
  });

  test('ignore days on which the store was closed, but count days on which only this till sold nothing', () => {
    const closed = ['2026-11-05', '2026-11-16'];
    const sold = sellOn(OPEN.filter((date) => !closed.includes(date)));
    expect(perQuarter(learn(sold, '2026-11-19'), 14)).toBe(2);
    const others = sellOn(['2026-11-05'], { tillId: 2 });
    expect(perQuarter(learn([...sold, ...others], '2026-11-19'), 14)).toBeCloseTo(4 / 3); // sales on two of the last three Thursdays
  });

  test('ignore the time before the till existed', () => {
    const old = sellOn(OPEN, { tillId: 2 });
    const sold = sellOn(OPEN.filter((date) => date >= '2026-11-09'));
    expect(perQuarter(learn([...old, ...sold], '2026-11-19'), 14)).toBe(2);
  });

  test.each([
    ['within the first week', '2026-11-14', datesOf('2026-11-09', '2026-11-13')],
    ['with four days', '2026-11-19', ['2026-11-05', '2026-11-12', '2026-11-17', '2026-11-18']],
    [
      'for a weekday without data',
      '2026-11-14',
      datesOf('2026-10-26', '2026-11-13').filter((date) => !isWeekend(date)),
    ],
    [
      'if the store opens on few of these weekdays',
      '2026-11-22',
      [...datesOf('2026-10-26', '2026-11-20').filter((date) => !isSunday(date)), '2026-11-01'],
    ],
  ])('are unknown %s', (_name, date, dates) => {
    expect(learn(sellOn(dates), date).expected.get(TILL)).toBeUndefined();
  });

  test('are known from the second week on', () => {
    expect(perQuarter(learn(sellOn(datesOf('2026-11-09', '2026-11-15')), '2026-11-16'), 14)).toBe(2);
  });

  test('are zero on weekdays on which the till is not used', () => {
    const others = sellOn(OPEN, { tillId: 2 });
    const isUsed = (date: string): boolean => [5, 6].includes(Temporal.PlainDate.from(date).dayOfWeek);
    const sold = [...others, ...sellOn(OPEN.filter(isUsed))];
    expect(judge(learn(sold, '2026-11-19'), '2026-11-14T17:00', '2026-11-19T14:00')).toBeNull();
    expect(judge(learn(sold, '2026-11-20'), '2026-11-14T17:00', '2026-11-20T14:00')).not.toBeNull();
  });

  test('are forgotten when the till is no longer used', () => {
    const others = sellOn(datesOf('2026-10-01', '2026-12-31'), { tillId: 2 });
    const sold = [...others, ...sellOn(datesOf('2026-10-01', '2026-11-18'))];
    const isSilentOn = (date: string) => judge(learn(sold, date), '2026-11-18T17:55', `${date}T14:00`) !== null;
    expect(['2026-11-19', '2026-11-26', '2026-12-03', '2026-12-10', '2026-12-31'].map(isSilentOn)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

test('a real bakery that stops selling at noon is silent before two; one that continues is rarely silent and never almost certainly', async () => {
  const sales: number[] = [];
  for await (const line of openSales())
    sales.push(Date.parse((JSON.parse(line.toString()) as { timestamp: string }).timestamp));
  const byDate = Map.groupBy(
    sales.toSorted((a, b) => a - b),
    (time) => new Date(time).toISOString().slice(0, 10),
  );
  const sold = sales.map((time): Sold => ({ tillId: TILL, startsAt: Math.floor(time / 900_000) * 900, records: 1 }));

  const found = { days: 0, noticed: 0, likelyByMistake: 0, certainByMistake: 0 };
  for (const [date, times] of byDate) {
    if (date < '2016-11-28') continue;
    const from = at(date, 'UTC');
    const month = sold.filter(({ startsAt }) => startsAt < from && startsAt >= from - 28 * 86_400);
    const habits = learnHabits(month, { from, to: from + 86_400 }, 'UTC');
    const judgeAt = (lastAt: number | undefined, now: number) =>
      judgeSilence(habits, { id: TILL, lastAt: lastAt ?? from * 1000 }, now, true);
    found.days += 1;
    if (judgeAt((from + 12 * 3600) * 1000, (from + 14 * 3600) * 1000 - 1) !== null) found.noticed += 1;
    for (const [n, time] of times.entries()) {
      const mistake = judgeAt(times[n - 1], time - 1)?.sureness;
      if (mistake === 'likely') found.likelyByMistake += 1;
      if (mistake === 'almost certain') found.certainByMistake += 1;
    }
  }
  expect(found.days).toBe(130);
  expect(found.noticed).toBeGreaterThan(found.days * 0.95);
  expect(found.certainByMistake).toBe(0);
  expect(found.likelyByMistake).toBeLessThan(found.days / 5);
});
