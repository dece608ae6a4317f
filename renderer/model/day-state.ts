// The state of a store day as the screens show it, and whether it needs attention. Pure.

import type { TFunction } from 'i18next';

import type { DaySummary } from '../../server/contract/days.ts';
import type { Reason, ReasonCode, Verdict } from '../../server/contract/verdicts.ts';
import { VERDICTS } from '../../server/contract/verdicts.ts';
import type { Formats } from '../locales/format.ts';

/** The verdict, or `closed` for a complete day without sales. */
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

/** Whether the day has a valid signature. */
export function isSigned({ signOff }: Pick<DaySummary, 'signOff'>): boolean {
  return signOff !== null && !signOff.isReopened;
}

/** True if the difference of the day is final and nobody has signed the day off. */
export function needsAttention(day: DaySummary): boolean {
  return day.verdict === 'differs' && !day.isProvisional && !isSigned(day);
}

/** The text key of a reason, without the prefix `earlier_`: the reasons of both interfaces share their texts. */
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

/** The values for the placeholders in a reason's text. */
export function reasonValues({ count = 0, amounts = [] }: Reason, formats: Pick<Formats, 'number' | 'amount'>) {
  return { count, n: formats.number(count), amounts: amounts.map(formats.amount).join(', ') };
}

/** The most serious reason in two or three words, as in "2 missing upstream". Undefined if there is none. */
export function shortReason(
  { reasons }: Pick<DaySummary, 'reasons'>,
  t: TFunction<'reasonShort'>,
  formats: Pick<Formats, 'number' | 'amount'>,
): string | undefined {
  const [gravest] = reasons;
  return gravest && t(reasonKind(gravest.code), reasonValues(gravest, formats));
}
