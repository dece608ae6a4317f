// Plans the automatic checks. Each day is checked when all its records are visible upstream, and again when its records have
// changed. After each week and each month, the ids of all its days are compared. Pure functions.

import { addDays } from '../lib/calendar.ts';
import { datesOf, weekOf } from '../store-day.ts';
import type { KnownFacts } from './facts.ts';
import { isInForce, SETTLE_MS, settlesAt } from './judge.ts';

export interface DueCheck {
  /** YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  readonly byIds: boolean;
}

export type Schedule =
  | { readonly kind: 'due'; readonly check: DueCheck }
  /** No check is due now; `at` is when to look again, in epoch milliseconds. */
  | { readonly kind: 'later'; readonly at: number };

/**
 * Maximum age, in days, of a day that was never checked. Automatic checks leave out older days, but people can still check
 * them.
 */
const MAX_UNCHECKED_DAYS = 62;
/** Maximum time until days are examined for due checks again. */
export const LOOK_MS = 15 * 60_000;
/** Extra wait before a check, because an upstream may show records later than promised. */
const MARGIN_MS = 60_000;
/** Minimum time between two automatic checks of a day. */
const MIN_BETWEEN_CHECKS_MS = 60 * 60_000;

/** Decides which days to check now. `days` are all days with a verdict until today, sorted. */
export function schedule(days: readonly KnownFacts[], today: string, now: number): Schedule {
  const over = days.filter(({ day, hasUpstream }) => hasUpstream && day.to * 1000 <= now);
  const unknownFrom = addDays(today, -MAX_UNCHECKED_DAYS);
  const wanted = over.filter((facts) => isWanted(facts, unknownFrom));
  const [first, ...more] = wanted.filter((facts) => dueAt(facts) <= now);
  if (first !== undefined) {
    let to = first.day.date;
    for (const { day } of more) {
      if (day.date !== addDays(to, 1)) break;
      to = day.date;
    }
    return { kind: 'due', check: { from: first.day.date, to, byIds: false } };
  }
  const pass = [monthBefore(today), weekOf(addDays(today, -7))]
    .map((period) => findPass(over, period, now))
    .find((found) => found !== undefined);
  if (pass !== undefined) return { kind: 'due', check: pass };
  return { kind: 'later', at: wanted.reduce((at, facts) => Math.min(at, dueAt(facts)), now + LOOK_MS) };
}

/** Whether a finished day must be compared. */
function isWanted(facts: KnownFacts, unknownFrom: string): boolean {
  const { day, newest } = facts;
  if (newest === undefined) return day.date >= unknownFrom;
  return newest.basis === null || newest.isProvisional || !isInForce(newest, facts);
}

/** When to check a day; never (Infinity) while one of its records waits. */
function dueAt(facts: KnownFacts): number {
  const { counts, newest, now } = facts;
  if (counts.deliveries.waiting > 0) return Infinity;
  const settled = settlesAt(facts) + MARGIN_MS;
  // If a check is dated in the future, the clock was ahead during that check, so the date says nothing.
  return newest === undefined || newest.at > now ? settled : Math.max(settled, newest.at + MIN_BETWEEN_CHECKS_MS);
}

/**
 * Plans the comparison of ids for an ended week or month. It covers days whose ids were not compared since the period ended,
 * and whose records are visible upstream by now. Undefined if there is nothing to compare.
 */
function findPass(over: readonly KnownFacts[], { from, to }: Dates, now: number): DueCheck | undefined {
  const days = over.filter(({ day }) => day.date >= from && day.date <= to);
  const end = (days.at(-1)?.day.to ?? 0) * 1000 + SETTLE_MS;
  const left = days.filter(
    (facts) =>
      (facts.known?.passedAt ?? 0) < end &&
      facts.newest?.basis != null &&
      isInForce(facts.newest, facts) &&
      settlesAt(facts) + MARGIN_MS <= now,
  );
  const [first, last] = [left[0], left.at(-1)];
  if (now < end + MARGIN_MS || first === undefined || last === undefined) return undefined;
  return { from: first.day.date, to: last.day.date, byIds: true };
}

interface Dates {
  readonly from: string;
  readonly to: string;
}

function monthBefore(today: string): Dates {
  const dates = datesOf(addDays(`${today.slice(0, 7)}-01`, -1).slice(0, 7));
  if (dates === undefined) throw new Error(`${today} is in no month`);
  return dates;
}
