// How a store day stands, as it is shown, and whether somebody must look at it. Pure.

import type { TFunction } from 'i18next';

import type { DaySummary, ReasonCode, Verdict } from '../../server/contract/days.ts';
import { VERDICTS } from '../../server/contract/days.ts';
import type { Formats } from '../locales/format.ts';

/** Its verdict; a day that is complete because nothing was sold is closed. */
export type DayState = Verdict | 'closed';
export const DAY_STATES = [...VERDICTS, 'closed'] as const satisfies readonly DayState[];

export function dayStateOf({ verdict, here, upstream }: DaySummary): DayState {
  return verdict === 'complete' && here + (upstream ?? 0) === 0 ? 'closed' : verdict;
}

export function countStates(days: readonly DaySummary[]): Record<DayState, number> {
  const counts = { complete: 0, waiting: 0, differs: 0, 'cannot tell': 0, closed: 0 };
  for (const day of days) counts[dayStateOf(day)]++;
  return counts;
}

/** Whether a signature is on it that still holds. */
export function isSigned({ signOff }: Pick<DaySummary, 'signOff'>): boolean {
  return signOff !== null && !signOff.isReopened;
}

/** Whether it differs for good, and nobody has put their name to that. */
export function needsAttention(day: DaySummary): boolean {
  return day.verdict === 'differs' && !day.isProvisional && !isSigned(day);
}

/** A reason without its interface: what it means, and in few words, is the same for both. */
export function reasonKind(
  code: ReasonCode,
): Exclude<ReasonCode, 'earlier_on_the_way' | 'earlier_held' | 'earlier_set_aside'> {
  switch (code) {
    case 'earlier_on_the_way':
      return 'on_the_way';
    case 'earlier_held':
      return 'held';
    case 'earlier_set_aside':
      return 'set_aside';
    default:
      return code;
  }
}

/** "2 missing upstream": the gravest reason in two or three words; undefined for a day without one. */
export function shortReason(
  { reasons }: Pick<DaySummary, 'reasons'>,
  t: TFunction<'reasonShort'>,
  formats: Pick<Formats, 'number'>,
): string | undefined {
  const [gravest] = reasons;
  return gravest && t(reasonKind(gravest.code), { count: gravest.count ?? 0, n: formats.number(gravest.count ?? 0) });
}
