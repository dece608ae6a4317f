// The sentences about a store day. Pure.

import type { TFunction } from 'i18next';

import type { DayCheck, DaySummary } from '../../server/contract/days.ts';
import type { Note, Reason } from '../../server/contract/verdicts.ts';
import type { Formats } from '../locales/format.ts';
import { dayStateOf, reasonValues } from '../model/day-state.ts';
import { countDays } from './calendar.ts';

type Numbers = Pick<Formats, 'number'>;

function counted(count: number, formats: Numbers) {
  return { count, n: formats.number(count) };
}

/** The sentence about a complete day. */
export function completeSentence(day: DaySummary, t: TFunction<'day'>, formats: Numbers): string {
  if (dayStateOf(day) === 'closed') return t('closed');
  const { basis, here, earlier, earlierTaken, declared } = day;
  if (basis === null) return t(declared === null ? 'allHere' : 'asDeclared', counted(here, formats));
  if (basis === 'answers') return t('byAnswers', counted(here, formats));
  const byIds = basis === 'ids';
  if (earlier === 0) return t(byIds ? 'byIds' : 'byCounts', counted(here, formats));
  return t(byIds ? 'byIdsAndAnswers' : 'byCountsAndAnswers', {
    n: formats.number(here),
    counted: formats.number(here - earlier),
    taken: formats.number(earlierTaken),
  });
}

export function noteSentence({ code, count }: Note, t: TFunction<'day'>, formats: Numbers): string {
  return t(code, counted(count, formats));
}

export function reasonSentence(
  reason: Reason,
  t: TFunction<'reason'>,
  formats: Pick<Formats, 'number' | 'amount'>,
): string {
  return t(reason.code, reasonValues(reason, formats));
}

/** The time of the next automatic check, from the reasons of the verdict; undefined if none is due. */
export function nextCheckAt({ reasons }: Pick<DaySummary, 'reasons'>): number | undefined {
  const times = reasons.flatMap(({ until }) => until ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The sentence about the progress of a check. */
export function checkSentence(
  { from, to, next, byIds }: DayCheck,
  t: TFunction<'days'>,
  formats: Pick<Formats, 'number' | 'date'>,
): string {
  if (from === to) return t(byIds ? 'comparing' : 'checking', { day: formats.date(from) });
  const at = formats.number(countDays({ from, to: next < to ? next : to }));
  return t(byIds ? 'comparingOf' : 'checkingOf', { at, of: formats.number(countDays({ from, to })) });
}
