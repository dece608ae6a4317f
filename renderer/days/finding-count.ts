// How many records there are behind a verdict, of which only the first are listed. Pure.

import type { DaySummary, DayView, FindingKind, ReasonCode } from '../../server/contract/days.ts';

/** What is held or set aside is not upstream either. */
const REASONS_OF: Record<FindingKind, readonly ReasonCode[]> = {
  'missing upstream': ['missing_upstream', 'not_seen_yet', 'held', 'set_aside'],
  'missing here': ['missing_here'],
  'twice upstream': ['twice_upstream'],
  'other upstream': ['other_upstream'],
};

/** The name of a list: what was sent may not be seen upstream yet, unless some of it was rejected. */
export function findingTitle({ reasons }: Pick<DaySummary, 'reasons'>, kind: FindingKind): FindingKind | 'notSeenYet' {
  const codes = new Set(reasons.map(({ code }) => code));
  const isUnseen = codes.has('not_seen_yet') && !codes.has('held') && !codes.has('set_aside');
  return kind === 'missing upstream' && isUnseen ? 'notSeenYet' : kind;
}

/** How many there are of a kind, of which the first are listed. */
export function countFindings({ day, findings }: Pick<DayView, 'day' | 'findings'>, kind: FindingKind): number {
  const told = day.reasons
    .filter(({ code }) => REASONS_OF[kind].includes(code))
    .reduce((sum, { count = 0 }) => sum + count, 0);
  return Math.max(told, findings.filter((finding) => finding.kind === kind).length);
}
