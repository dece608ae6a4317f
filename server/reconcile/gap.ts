// Gaps: numbers missing among the ids of a day, or between that day and the nearest days with sales. They are a hint for
// people; no verdict depends on them.

import type { DayRules } from '../contract/days.ts';
import type { GapsView, GapView, SequenceView } from '../contract/gaps.ts';
import { addDays } from '../lib/calendar.ts';
import { listStoreDays } from '../store-day.ts';
import type { Store } from '../store/store.ts';
import { idOf, learnSequences, rangesOf, type Sequence, surenessOf } from './sequence.ts';

/** Maximum closed days that are skipped to find the nearest day with sales. */
export const MAX_CLOSED_DAYS = 14;
const MAX_GAPS = 100;

/** Lists the gaps in the ids of a store day, and between that day and the nearest days with sales. */
export async function listGaps(
  { days }: Pick<Store, 'days'>,
  journalId: number,
  date: string,
  rules: DayRules,
): Promise<GapsView> {
  const around = listStoreDays(addDays(date, -MAX_CLOSED_DAYS), addDays(date, MAX_CLOSED_DAYS), rules);
  const counts = await days.count({ journalId, days: around });
  const open = around.filter((_, i) => (counts[i]?.here ?? 0) > 0);
  const before = open.findLast((day) => day.date < date);
  const after = open.find((day) => day.date > date);
  const own = open.find((day) => day.date === date);
  // Without sales on the day, a gap is only possible between two days with sales. Reading ids is expensive, so it is not done
  // for every day before the first sale.
  if (own === undefined && (before === undefined || after === undefined)) return { sequences: [], isPartial: false };
  const wanted = [before, own, after].filter((day) => day !== undefined);
  const read = await Promise.all(wanted.map((day) => days.listSoldIds(journalId, day)));

  const dateOf = new Map<string, string>();
  const idsOf = new Map<string, string[]>();
  for (const [i, { tills }] of read.entries())
    for (const { label, ids } of tills) {
      for (const id of ids) dateOf.set(id, wanted[i]?.date ?? '');
      idsOf.set(label, [...(idsOf.get(label) ?? []), ...ids]);
    }
  const sequences = learnSequences([...idsOf].map(([label, ids]) => ({ label, ids })));
  const skipped = sequences.flatMap((sequence) => sequence.skipped.map((number) => idOf(sequence, number)));
  const elsewhere = await days.findOriginals(journalId, skipped);
  const here = new Set(elsewhere.map(({ externalId }) => externalId));
  return {
    sequences: sequences.flatMap(
      (sequence) =>
        viewSequence(sequence, { date, dateOf: (id) => dateOf.get(id), isHere: (id) => here.has(id) }) ?? [],
    ),
    isPartial: read.some(({ isPartial }) => isPartial),
  };
}

export interface Known {
  /** The store day whose gaps are listed. */
  readonly date: string;
  /** The day on which an id was sold; undefined if it was sold on none of the days that were read. */
  readonly dateOf: (id: string) => string | undefined;
  /** Whether the gateway has a record with this id, on any day. */
  readonly isHere: (id: string) => boolean;
}

/**
 * Describes the ids of a sequence on the day, and its missing numbers on the day or between it and the nearest days. Undefined
 * if there are no ids and no missing numbers.
 */
export function viewSequence(sequence: Sequence, { date, dateOf, isHere }: Known): SequenceView | undefined {
  const nameOf = (number: number): string => idOf(sequence, number);
  const own: number[] = [];
  for (let number = sequence.first; number <= sequence.last; number++)
    if (dateOf(nameOf(number)) === date) own.push(number);
  const missing = sequence.skipped.filter((number) => !isHere(nameOf(number)));
  const gaps = rangesOf(missing).flatMap((range) => {
    const between = daysAround(sequence, range, dateOf);
    return between.from <= date && date <= between.to ? [{ ...range, between }] : [];
  });
  if (own.length === 0 && gaps.length === 0) return undefined;
  const span = sequence.last - sequence.first + 1;
  return {
    prefix: sequence.prefix,
    tills: sequence.tills,
    first: nameOf(own[0] ?? sequence.first),
    last: nameOf(own.at(-1) ?? sequence.last),
    here: own.length,
    skipped: gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0),
    gaps: gaps.slice(0, MAX_GAPS).map(({ from, to, between }): GapView => ({
      from: nameOf(from),
      to: nameOf(to),
      between: between.from === between.to ? null : [between.from, between.to],
    })),
    sureness: surenessOf((span - missing.length) / span),
  };
}

/** The store days of the last number before a gap and the first number after it, the earlier day first. */
function daysAround(
  sequence: Sequence,
  range: { readonly from: number; readonly to: number },
  dateOf: Known['dateOf'],
): { readonly from: string; readonly to: string } {
  const find = (from: number, step: 1 | -1): string => {
    for (let number = from; number >= sequence.first && number <= sequence.last; number += step) {
      const found = dateOf(idOf(sequence, number));
      if (found !== undefined) return found;
    }
    throw new Error('a sequence neither begins nor ends with a number that is here');
  };
  const [one, other] = [find(range.from - 1, -1), find(range.to + 1, 1)];
  return one <= other ? { from: one, to: other } : { from: other, to: one };
}
