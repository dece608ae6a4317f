// Which store days are checked automatically, and when. The test gives the time and the facts about the days.

import { describe, expect, test } from 'vitest';

import { addDays } from '../../../server/lib/calendar.ts';
import type { KnownFacts } from '../../../server/reconcile/facts.ts';
import type { UpstreamResult } from '../../../server/reconcile/judge.ts';
import { type DueCheck, LOOK_MS, type Schedule, schedule } from '../../../server/reconcile/schedule.ts';
import { always, listStoreDays, storeDayAt, storeDayOf } from '../../../server/store-day.ts';
import { NO_MONEY } from '../../../server/store/declared/day-sum.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RULES = always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 240 });
const at = (instant: string): number => Date.parse(instant);
/** The end of a store day: 04:00 of the next date in the shop's time zone. */
const endOf = (date: string): number => (storeDayOf(date, RULES)?.to ?? NaN) * 1000;
/** One minute after all records that were sent during the day are visible upstream. */
const settledAt = (date: string): number => endOf(date) + 4 * HOUR + MINUTE;

/** The result of the newest check of a day. */
type Found = Omit<UpstreamResult, 'day'>;

interface Known {
  readonly here?: number;
  readonly waiting?: number;
  readonly lastAnsweredAt?: number | null;
  readonly hasUpstream?: boolean;
  readonly newest?: Found | undefined;
  readonly passedAt?: number;
}

const checked = (checkedAt: number, more: Partial<Found> = {}): Found => ({
  at: checkedAt,
  isProvisional: false,
  basis: 'counts',
  url: null,
  here: 10,
  open: 0,
  upstream: 10,
  reasons: [],
  notes: [],
  ...more,
});
/** A day that needs no further check: it was checked when all its records were visible, and every id was compared later. */
const done = (date: string): Known => ({
  newest: checked(settledAt(date), { basis: 'ids' }),
  passedAt: settledAt(date) + 40 * 24 * HOUR,
});

/**
 * Asks which days are due at an instant. The test gives the facts about some days. All other days up to today need no check.
 */
function askAt(now: number, days: Readonly<Record<string, Known>>): Schedule {
  const today = storeDayAt(now, RULES).date;
  const [from = today] = Object.keys(days).toSorted();
  const facts = listStoreDays(from, today, RULES).map((day): KnownFacts => {
    const unless = day.date === today ? {} : done(day.date);
    const { here = 10, waiting = 0, newest, passedAt, hasUpstream = true, lastAnsweredAt } = days[day.date] ?? unless;
    return {
      journalId: 1,
      day,
      now,
      cause: null,
      hasUpstream,
      url: null,
      declared: { total: null, more: 0, less: 0, money: NO_MONEY },
      counts: {
        here,
        earlier: 0,
        damaged: 0,
        amounts: [],
        lastAnsweredAt: lastAnsweredAt === undefined ? (day.from + 8 * 3600) * 1000 : lastAnsweredAt,
        deliveries: { waiting, delivered: here - waiting, held: 0, 'set aside': 0 },
        earlierSent: { deliveries: { waiting: 0, delivered: 0, held: 0, 'set aside': 0 }, lastAnsweredAt: null },
      },
      earlierLane: { hasUpstream: false, cause: null },
      othersSend: false,
      known: { verdict: undefined, pass: undefined, passedAt, signOff: undefined },
      newest: newest && { ...newest, day },
      byIds: undefined,
    };
  });
  return schedule(facts, today, now);
}

const due = (from: string, to = from, more: Partial<DueCheck> = {}): Schedule => ({
  kind: 'due',
  check: { from, to, byIds: false, ...more },
});
const later = (when: number): Schedule => ({ kind: 'later', at: when });
/** The answer "nothing is due before the next poll". */
const nothing = (now: number): Schedule => later(now + LOOK_MS);

/** A Thursday. */
const DAY = '2026-11-19';
const NOON = at('2026-11-20T12:00:00+01:00');
const unknown: Known = { newest: undefined };
const provisional: Known = { newest: checked(endOf(DAY) + HOUR, { isProvisional: true }) };

describe('a day is checked automatically', () => {
  test.each<[name: string, days: Readonly<Record<string, Known>>, expected: Schedule]>([
    ['if it was never checked', { [DAY]: unknown }, due(DAY)],
    ['even if nothing was sold', { [DAY]: { here: 0, lastAnsweredAt: null } }, due(DAY)],
    [
      'together with the following days',
      { '2026-11-17': unknown, '2026-11-18': unknown, '2026-11-19': unknown },
      due('2026-11-17', '2026-11-19'),
    ],
    [
      'together with the following days without a gap, oldest first',
      { '2026-11-14': unknown, '2026-11-15': unknown, '2026-11-17': unknown, '2026-11-18': unknown },
      due('2026-11-14', '2026-11-15'),
    ],
    [
      'without following days that still wait',
      { '2026-11-17': unknown, '2026-11-18': { waiting: 1 }, '2026-11-19': unknown },
      due('2026-11-17'),
    ],
    ['never while its records wait', { [DAY]: { waiting: 1 } }, nothing(NOON)],
    ['never without an upstream', { [DAY]: { hasUpstream: false } }, nothing(NOON)],
    ['not after a check without differences', { [DAY]: { newest: checked(settledAt(DAY)) } }, nothing(NOON)],
    ['again if that check was provisional', { [DAY]: provisional }, due(DAY)],
    [
      'again if the upstream gave no answer',
      { [DAY]: { newest: checked(settledAt(DAY), { basis: null, upstream: null }) } },
      due(DAY),
    ],
    ['again after a late record', { [DAY]: { here: 11, newest: checked(settledAt(DAY)) } }, due(DAY)],
    [
      'again if a record was sent since',
      { [DAY]: { newest: checked(settledAt(DAY) - 2 * HOUR), lastAnsweredAt: settledAt(DAY) - 90 * MINUTE } },
      due(DAY),
    ],
    [
      'not again if it differs, which people look at',
      {
        [DAY]: { newest: checked(settledAt(DAY), { upstream: 9, reasons: [{ code: 'missing_upstream', count: 1 }] }) },
      },
      nothing(NOON),
    ],
    [
      'not again while late records wait',
      { [DAY]: { here: 11, waiting: 1, newest: checked(settledAt(DAY)) } },
      nothing(NOON),
    ],
    ['if it is 62 days old', { '2026-09-19': unknown }, due('2026-09-19')],
    ['not if it was never checked for longer', { '2026-09-18': unknown }, nothing(NOON)],
    [
      'even if it is long past, after a late record',
      { '2026-03-02': { here: 11, newest: checked(settledAt('2026-03-02')) } },
      due('2026-03-02'),
    ],
    ['not before its end', {}, nothing(NOON)],
  ])('%s', (_name, days, expected) => {
    expect(askAt(NOON, days)).toEqual(expected);
  });
});

describe('a check waits until all records are visible upstream', () => {
  test.each<[name: string, known: Known, dueAt: number]>([
    ['until four hours and a minute after its end', unknown, settledAt(DAY)],
    ['after the last sent record, if that was later', { lastAnsweredAt: endOf(DAY) + HOUR }, settledAt(DAY) + HOUR],
    ['the same time if nothing was sent', { here: 0, lastAnsweredAt: null }, settledAt(DAY)],
    ['also after a provisional check', provisional, settledAt(DAY)],
    [
      'also for an hour after the previous check',
      { newest: checked(settledAt(DAY) - 10 * MINUTE, { isProvisional: true }) },
      settledAt(DAY) + 50 * MINUTE,
    ],
    [
      'also for an hour after the upstream was silent',
      { newest: checked(settledAt(DAY) + HOUR, { basis: null, upstream: null }) },
      settledAt(DAY) + 2 * HOUR,
    ],
    [
      'also for that time after a late record',
      { here: 11, newest: checked(settledAt(DAY) + HOUR), lastAnsweredAt: settledAt(DAY) + 2 * HOUR },
      settledAt(DAY) + 6 * HOUR + MINUTE,
    ],
  ])('%s', (_name, known, dueAt) => {
    expect(askAt(dueAt - 1, { [DAY]: known })).toEqual(later(dueAt));
    expect(askAt(dueAt, { [DAY]: known })).toEqual(due(DAY));
    const before = dueAt - 2 * LOOK_MS;
    expect(askAt(before, { [DAY]: known })).toEqual(nothing(before));
  });

  test('also at a clock change', () => {
    const date = '2026-10-24'; // this store day has 25 hours: it ends at 04:00 on the 25th
    expect(endOf(date)).toBe(at('2026-10-25T03:00:00Z'));
    expect(askAt(at('2026-10-25T07:01:00Z'), { [date]: unknown })).toEqual(due(date));
    expect(askAt(at('2026-10-25T07:00:59Z'), { [date]: unknown })).toEqual(later(at('2026-10-25T07:01:00Z')));
  });

  test('the next poll is when the first of several days becomes due', () => {
    const soon = { newest: checked(NOON - HOUR + 5 * MINUTE, { isProvisional: true }) };
    const sooner = { newest: checked(NOON - HOUR + 3 * MINUTE, { isProvisional: true }) };
    expect(askAt(NOON, { '2026-11-17': soon, '2026-11-18': sooner })).toEqual(later(NOON + 3 * MINUTE));
  });
});

describe('every id is compared', () => {
  /** Days in a range of which only the counts were checked. */
  const byCounts = (from: string, to: string, passedAt?: number): Record<string, Known> =>
    Object.fromEntries(
      listStoreDays(from, to, RULES).map(({ date }) => [
        date,
        { newest: checked(settledAt(date)), ...(passedAt !== undefined && { passedAt }) },
      ]),
    );
  const WEEK = { from: '2026-11-09', to: '2026-11-15' };
  const weekIsOver = settledAt(WEEK.to);
  const OCTOBER = { from: '2026-10-01', to: '2026-10-31' };
  const byIds = { byIds: true };

  test.each<[name: string, now: number, days: Readonly<Record<string, Known>>, expected: Schedule]>([
    [
      'of a week once all its records are visible',
      weekIsOver,
      byCounts(WEEK.from, WEEK.to),
      due(WEEK.from, WEEK.to, byIds),
    ],
    ['not before', weekIsOver - 1, byCounts(WEEK.from, WEEK.to), { kind: 'later', at: weekIsOver }],
    ['also later in the next week', NOON, byCounts(WEEK.from, WEEK.to), due(WEEK.from, WEEK.to, byIds)],
    ['not of the present week', NOON, byCounts('2026-11-16', DAY), nothing(NOON)],
    [
      'of a week even if one of its days must be checked first',
      NOON,
      {
        ...byCounts(WEEK.from, WEEK.to),
        '2026-11-11': { newest: checked(settledAt('2026-11-11')), here: 11, waiting: 1 },
      },
      due(WEEK.from, WEEK.to, byIds),
    ],
    [
      'of a week even if a day of it could not be checked',
      NOON,
      {
        ...byCounts(WEEK.from, WEEK.to),
        '2026-11-11': { newest: checked(NOON - MINUTE, { basis: null, upstream: null }) },
      },
      due(WEEK.from, WEEK.to, byIds),
    ],
    ['not twice', NOON, byCounts(WEEK.from, WEEK.to, weekIsOver + HOUR), nothing(NOON)],
    [
      'of the remaining days only, and those between them',
      NOON,
      { ...byCounts(WEEK.from, WEEK.to), [WEEK.from]: done(WEEK.from), '2026-11-12': done('2026-11-12') },
      due('2026-11-10', WEEK.to, byIds),
    ],
    [
      'again of a day that was passed during the week',
      NOON,
      byCounts(WEEK.from, WEEK.to, endOf(WEEK.to) - 1),
      due(WEEK.from, WEEK.to, byIds),
    ],
    [
      'of the existing part of a week for a new shop',
      NOON,
      byCounts('2026-11-14', WEEK.to),
      due('2026-11-14', WEEK.to, byIds),
    ],
    [
      'of a month once all its records are visible',
      settledAt(OCTOBER.to),
      byCounts(OCTOBER.from, OCTOBER.to),
      due(OCTOBER.from, OCTOBER.to, byIds),
    ],
    [
      'of a month even if each of its weeks was passed',
      settledAt(OCTOBER.to),
      byCounts(OCTOBER.from, OCTOBER.to, at('2026-10-27T12:00:00Z')),
      due(OCTOBER.from, OCTOBER.to, byIds),
    ],
    ['not of a month that was passed', NOON, byCounts(OCTOBER.from, OCTOBER.to, settledAt(OCTOBER.to)), nothing(NOON)],
    ['not of a month before the last one', NOON, byCounts('2026-09-01', '2026-09-30'), nothing(NOON)],
    [
      'of a month before its last week',
      at('2026-11-03T12:00:00Z'),
      byCounts(OCTOBER.from, '2026-11-02'),
      due(OCTOBER.from, OCTOBER.to, byIds),
    ],
    [
      'of the rest of that week afterwards',
      at('2026-11-03T12:00:00Z'),
      { ...byCounts(OCTOBER.from, OCTOBER.to, at('2026-11-02T09:00:00Z')), ...byCounts('2026-11-01', '2026-11-02') },
      due('2026-11-01', '2026-11-01', byIds),
    ],
    [
      'after the days that must be checked by counts',
      NOON,
      { ...byCounts(WEEK.from, WEEK.to), [DAY]: unknown },
      due(DAY),
    ],
    [
      'of a week in which a day differs',
      NOON,
      {
        ...byCounts(WEEK.from, WEEK.to),
        '2026-11-11': {
          newest: checked(settledAt('2026-11-11'), { reasons: [{ code: 'missing_here', count: 1 }], upstream: 11 }),
        },
      },
      due(WEEK.from, WEEK.to, byIds),
    ],
    [
      'of the last month of the year',
      at('2027-01-01T12:00:00Z'),
      byCounts('2026-12-01', '2026-12-31'),
      due('2026-12-01', '2026-12-31', byIds),
    ],
    [
      'of no days without an upstream',
      NOON,
      Object.fromEntries(
        Object.entries(byCounts(WEEK.from, WEEK.to)).map(([date, known]) => [date, { ...known, hasUpstream: false }]),
      ),
      nothing(NOON),
    ],
  ])('%s', (_name, now, days, expected) => {
    expect(askAt(now, days)).toEqual(expected);
  });
});

test('no day is due for a shop without a sale', () => {
  expect(schedule([], addDays(DAY, 1), NOON)).toEqual(nothing(NOON));
});

test('days that become due are checked until no day is due', () => {
  const days: Record<string, Known> = {};
  for (const { date } of listStoreDays('2026-10-01', DAY, RULES)) days[date] = unknown;
  const asked: DueCheck[] = [];
  for (let found = askAt(NOON, days); found.kind === 'due' && asked.length < 10; found = askAt(NOON, days)) {
    asked.push(found.check);
    const { from, to, byIds } = found.check;
    for (const { date } of listStoreDays(from, to, RULES))
      days[date] = { newest: checked(NOON, { basis: byIds ? 'ids' : 'counts' }), ...(byIds && { passedAt: NOON }) };
  }
  expect(asked).toEqual([
    { from: '2026-10-01', to: DAY, byIds: false },
    { from: '2026-10-01', to: '2026-10-31', byIds: true },
    { from: '2026-11-09', to: '2026-11-15', byIds: true },
  ]);
});
