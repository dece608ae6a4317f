// The full number of records behind a verdict. The lists in the gateway's answer may hold only the first records. Pure.

import type { DaySummary, DayView, FindingKind } from '../../server/contract/days.ts';
import type { ReasonCode } from '../../server/contract/verdicts.ts';

/** For each kind of finding, the reasons whose counts are added up. Held and set-aside records count as missing upstream. */
const REASONS_OF: Record<FindingKind, readonly ReasonCode[]> = {
  'missing upstream': ['missing_upstream', 'not_seen_yet', 'held', 'set_aside'],
  'missing here': ['missing_here'],
  'twice upstream': ['twice_upstream'],
  'other upstream': ['other_upstream'],
};

/**
 * The text key of a list's title. If all its records were sent but are not visible upstream yet, the title says so. Held and
 * set-aside records are certainly missing, so a list with them keeps the usual title.
 */
export function findingTitle({ reasons }: Pick<DaySummary, 'reasons'>, kind: FindingKind): FindingKind | 'notSeenYet' {
  const codes = new Set(reasons.map(({ code }) => code));
  const isUnseen = codes.has('not_seen_yet') && !codes.has('held') && !codes.has('set_aside');
  return kind === 'missing upstream' && isUnseen ? 'notSeenYet' : kind;
}

/** The full number of findings of a kind. The list in the answer may hold only the first ones. */
export function countFindings({ day, findings }: Pick<DayView, 'day' | 'findings'>, kind: FindingKind): number {
  const told = day.reasons
    .filter(({ code }) => REASONS_OF[kind].includes(code))
    .reduce((sum, { count = 0 }) => sum + count, 0);
  return Math.max(told, findings.filter((finding) => finding.kind === kind).length);
}
