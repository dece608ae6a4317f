// What is to be checked by itself, and when: each day once everything of it can be seen upstream, and again when something of it
// came or went; every id of a week and of a month when they are over.

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
  /** When to look again; epoch milliseconds. */
  | { readonly kind: 'later'; readonly at: number };

/** Days that were never checked are left to people when they are older than that: so many, counted back from today. */
const UNKNOWN_DAYS = 62;
/** Looked at again at the latest. */
export const LOOK_MS = 15 * 60_000;
/** An upstream may be slower than it says. */
const MARGIN_MS = 60_000;
/** No day is asked for again by itself before. */
const AGAIN_MS = 60 * 60_000;

/** Decides from what is known of all days up to today, in the order of time, without those that nothing was sold before. */
export function schedule(days: readonly KnownFacts[], today: string, now: number): Schedule {
  const over = days.filter(({ day, hasUpstream }) => hasUpstream && day.to * 1000 <= now);
  const unknownFrom = addDays(today, -UNKNOWN_DAYS);
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

/** Whether a day that is over must be compared. */
function isWanted(facts: KnownFacts, unknownFrom: string): boolean {
  const { day, newest } = facts;
  if (newest === undefined) return day.date >= unknownFrom;
  return newest.basis === null || newest.isProvisional || !isInForce(newest, facts);
}

/** Never while something is still on its way. */
function dueAt(facts: KnownFacts): number {
  const { counts, newest, now } = facts;
  if (counts.deliveries.waiting > 0) return Infinity;
  const settled = settlesAt(facts) + MARGIN_MS;
  // What was found out in the future was so while the clock was ahead.
  return newest === undefined || newest.at > now ? settled : Math.max(settled, newest.at + AGAIN_MS);
}

/** A pass over those days of a period that were not passed since it was over, once everything of them can be seen upstream. */
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
