// Judges a store day. The verdict follows from the records here, the last check of the upstream, and the declared total. Pure
// functions, so the console, the command line and the check all give the same verdict.

import type { Cause, DeliveryState } from '../contract/codes.ts';
import type { StoreDay } from '../contract/days.ts';
import type { CheckBasis, Note, Reason, Verdict } from '../contract/verdicts.ts';
import { assertNever } from '../errors.ts';
import type { DayCounts } from '../store/days/ledger.ts';
import type { DeclaredFacts } from '../store/declared/ledger.ts';
import type { Comparison } from './compare.ts';

/** Maximum time until a sent record is visible upstream (docs/interface.md#limits). */
export const SETTLE_MS = 4 * 60 * 60_000;

/** The facts about a day, without the result of a check. */
export interface DayFacts {
  readonly day: StoreDay;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly counts: DayCounts;
  /** The problem of the lane; a running lane can also have one. Null without a problem or without an upstream. */
  readonly cause: Cause | null;
  readonly hasUpstream: boolean;
  /** The base address of the upstream; null without an upstream. */
  readonly url: string | null;
  /** `cause` and `hasUpstream` for the lane of the earlier interface. */
  readonly earlierLane: Pick<DayFacts, 'cause' | 'hasUpstream'>;
  /**
   * Whether other systems send to the same account of the upstream. If so, records that only the upstream has do not count as a
   * difference.
   */
  readonly othersSend: boolean;
  readonly declared: DeclaredFacts;
}

/** The result of a check. If nothing was compared, `basis` is null, and `reasons` may say why. */
export interface UpstreamResult {
  /** The start and end of the day, by the day rule at the time of the check. */
  readonly day: StoreDay;
  readonly at: number;
  readonly isProvisional: boolean;
  readonly basis: CheckBasis | null;
  /** The base address of the upstream that was checked; null if none was set. */
  readonly url: string | null;
  readonly here: number;
  /** Number of records here that were in flight during the check. */
  readonly open: number;
  readonly upstream: number | null;
  /** Contains only codes of `UPSTREAM_REASONS`. */
  readonly reasons: readonly Reason[];
  readonly notes: readonly Note[];
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly isProvisional: boolean;
  readonly reasons: readonly Reason[];
}

const DIFFERS = ['missing_upstream', 'held', 'set_aside', 'missing_here', 'twice_upstream', 'other_upstream'] as const;
const NO_ANSWER: ReadonlySet<string> = new Set(['upstream_silent', 'upstream_unreadable']);
const UPSTREAM_REASONS: ReadonlySet<string> = new Set([...DIFFERS, ...NO_ANSWER, 'sent_again', 'not_seen_yet']);

/** The reasons that came from a check. All other reasons are recalculated each time. */
export function upstreamReasons(reasons: readonly Reason[]): Reason[] {
  return reasons.filter(({ code }) => UPSTREAM_REASONS.has(code));
}

/**
 * When all sent records of a day are visible upstream, in epoch milliseconds. This is four hours after the day's end or after
 * the last answer about them, whichever is later. Ignores an answer in the future, which came while the clock was ahead.
 */
export function settlesAt({
  day: { to },
  counts: { lastAnsweredAt },
  now,
}: Pick<DayFacts, 'day' | 'counts' | 'now'>): number {
  return Math.max(to * 1000, lastAnsweredAt === null || lastAnsweredAt > now ? 0 : lastAnsweredAt) + SETTLE_MS;
}

/**
 * Whether the result of a check still holds. The day's hours, the upstream, the setting for other systems and the number of
 * records must be unchanged. No record may wait, and no record may have got an answer since the check.
 */
export function isInForce(
  result: UpstreamResult,
  { day, counts, now, url, othersSend }: Pick<DayFacts, 'day' | 'counts' | 'now' | 'url' | 'othersSend'>,
): boolean {
  const othersWere: readonly { readonly code: string }[] = othersSend ? result.reasons : result.notes;
  if (othersWere.some(({ code }) => code === (othersSend ? 'missing_here' : 'others_upstream'))) return false;
  const { here, deliveries, lastAnsweredAt } = counts;
  if (result.basis === 'counts') {
    // Equal counts prove nothing if other systems send too, or if a record here is known to be absent upstream.
    const isKept = deliveries.held > 0 || deliveries['set aside'] > 0;
    if (othersSend || (isKept && result.reasons.length === 0)) return false;
  }
  const isOfNow = result.at <= now && result.url === url && result.day.from === day.from && result.day.to === day.to;
  const isAnsweredSince = lastAnsweredAt !== null && lastAnsweredAt > result.at && lastAnsweredAt <= now;
  return isOfNow && result.here === here && result.open === 0 && deliveries.waiting === 0 && !isAnsweredSince;
}

/**
 * Chooses the check that decides: usually the newest. If the newest only found equal counts, an older comparison of ids decides
 * while it still holds.
 */
export function strongestResult(
  newest: UpstreamResult | undefined,
  byIds: UpstreamResult | undefined,
  facts: Pick<DayFacts, 'day' | 'counts' | 'now' | 'url' | 'othersSend'>,
): UpstreamResult | undefined {
  const isWeaker = newest?.basis === 'counts' && newest.reasons.length === 0 && isInForce(newest, facts);
  if (!isWeaker || byIds === undefined || !isInForce(byIds, facts)) return newest;
  return byIds.reasons.length === 0 ? { ...newest, basis: 'ids', notes: byIds.notes } : byIds;
}

/**
 * Whether the check queried an upstream, even without an answer. If not, its result says nothing about an upstream that was set
 * later.
 */
function hasAsked({ basis, reasons }: UpstreamResult): boolean {
  return basis !== null || reasons.some(({ code }) => NO_ANSWER.has(code));
}

/** The reasons that follow from a comparison. */
export function reasonsOf({ missing, foreign, twice, other }: Comparison): Reason[] {
  const countOf = (...states: (DeliveryState | null)[]): number =>
    missing.filter(({ state }) => states.includes(state)).length;
  const reasons: Reason[] = [
    { code: 'missing_upstream', count: countOf('delivered', 'waiting', null) },
    { code: 'held', count: countOf('held') },
    { code: 'set_aside', count: countOf('set aside') },
    { code: 'missing_here', count: foreign.length },
    { code: 'twice_upstream', count: twice.length },
    { code: 'other_upstream', count: other.length },
  ];
  return reasons.filter(({ count = 0 }) => count > 0);
}

/** Findings of a comparison that people should know, but that do not change the verdict. */
export function notesOf({ listedTwice, countedTwice, others }: Comparison): Note[] {
  const notes: Note[] = [
    { code: 'listed_twice', count: listedTwice },
    { code: 'counted_twice', count: countedTwice },
    { code: 'others_upstream', count: others },
  ];
  return notes.filter(({ count }) => count > 0);
}

/** Counts the records of the earlier interface that the upstream has neither accepted nor rejected. */
function countEarlierUnsent({ earlier, earlierSent: { deliveries } }: DayCounts): number {
  return Math.max(0, earlier - deliveries.delivered - deliveries.held - deliveries['set aside']);
}

/**
 * Whether the verdict rests only on the upstream's answers to records. This is so if the current interface has neither an
 * upstream nor records, and the earlier interface has an upstream.
 */
export function restsOnAnswers({
  counts,
  hasUpstream,
  earlierLane,
}: Pick<DayFacts, 'counts' | 'hasUpstream' | 'earlierLane'>): boolean {
  return !hasUpstream && counts.here === 0 && earlierLane.hasUpstream;
}

/** The verdict about a day; `newest` is the last result of a check, if any. */
export function judge(facts: DayFacts, newest: UpstreamResult | undefined): Judgement {
  const { day, now, counts, hasUpstream } = facts;
  const isOver = now >= day.to * 1000;
  const result = newest !== undefined && hasAsked(newest) && isInForce(newest, facts) ? newest : undefined;
  const undeclared = listUndeclared(facts);
  const differing = [
    ...listDifferences(facts, result),
    ...(isOver ? undeclared : []), // not before the day is over, because a declared total is for the whole day
  ];
  // A difference from the declared total is final four hours after the day, whatever the upstream answers: late sales have then
  // arrived here.
  const isProven = undeclared.length > 0 && now >= day.to * 1000 + SETTLE_MS;
  const isProvisional = !isOver || (hasUpstream && !isProven && (result?.isProvisional ?? true));
  const pending = whyPending(facts, newest, result, isOver);
  const noAnswer = (result?.reasons ?? []).filter(
    ({ code }) => code === 'upstream_unreadable' || (code === 'upstream_silent' && isOver),
  );
  const damaged = countedReason('damaged_here', counts.damaged);
  const gap = listAmountGaps(facts);
  const open = [...damaged, ...noAnswer, ...pending, ...gap];
  if (differing.length > 0) return { verdict: 'differs', isProvisional, reasons: [...differing, ...open] };
  if (noAnswer.length > 0) return { verdict: 'cannot tell', isProvisional: !isOver, reasons: open };
  // A damaged record cannot be compared, because its content is unknown.
  if (isOver && damaged.length > 0) return { verdict: 'cannot tell', isProvisional: false, reasons: open };
  const unsent = countEarlierUnsent(counts);
  const lacksUpstream = !facts.earlierLane.hasUpstream && unsent > 0;
  const lacking: readonly Reason[] = hasUpstream || counts.here === 0 ? [] : [{ code: 'no_upstream' }];
  if (lacksUpstream && isOver)
    return {
      verdict: 'cannot tell',
      isProvisional: false,
      reasons: [{ code: 'earlier_no_upstream', count: unsent }, ...lacking, ...pending],
    };
  if (pending.length > 0) {
    const isUnseen = pending.some(({ code }) => code === 'not_seen_yet');
    const reasons = [...pending, ...damaged, ...gap, ...(isOver ? [] : undeclared)];
    return { verdict: 'waiting', isProvisional: isUnseen, reasons };
  }
  // If amounts cannot be compared, the day is not complete: nobody knows whether they are equal.
  if (gap.length > 0) {
    const isFilling = gap.some(({ code }) => code === 'amount_filling');
    return { verdict: isFilling ? 'waiting' : 'cannot tell', isProvisional: false, reasons: [...gap, ...lacking] };
  }
  // Without an upstream, a day is complete only if the declared total equals all records here.
  const isDeclared = facts.declared.total === counts.here + counts.earlier;
  if (hasUpstream || restsOnAnswers(facts) || isDeclared) return { verdict: 'complete', isProvisional, reasons: [] };
  return { verdict: 'cannot tell', isProvisional: false, reasons: [{ code: 'no_upstream' }] };
}

function listUndeclared({ declared }: DayFacts): Reason[] {
  const { more, less } = declared.money;
  return [
    ...countedReason('declared_more', declared.more),
    ...countedReason('declared_less', declared.less),
    ...(more.length > 0 ? [{ code: 'amount_more', amounts: more } as const] : []),
    ...(less.length > 0 ? [{ code: 'amount_less', amounts: less } as const] : []),
  ];
}

/** Lists why the declared amounts cannot be compared. Empty before the day is over, when they need not be equal yet. */
function listAmountGaps({ declared: { money }, day, now }: DayFacts): Reason[] {
  if (money.gap === null || now < day.to * 1000) return [];
  switch (money.gap.kind) {
    case 'filling':
      return [{ code: 'amount_filling' }];
    case 'no rule':
      return [{ code: 'amount_no_rule', count: money.gap.records }];
    case 'no currency':
      return [{ code: 'amount_no_currency' }];
    case 'unreadable':
      return [{ code: 'amount_unreadable', count: money.gap.records }];
    default:
      return assertNever(money.gap);
  }
}

/** The differences that a check found, and the records of the earlier interface that the upstream rejected. */
function listDifferences({ counts }: DayFacts, result: UpstreamResult | undefined): Reason[] {
  const { held, 'set aside': setAside } = counts.earlierSent.deliveries;
  const found = (result?.reasons ?? []).filter(
    ({ code }) =>
      // after a provisional check, missing records may be upstream but not visible yet
      (DIFFERS as readonly string[]).includes(code) && !(code === 'missing_upstream' && result?.isProvisional === true),
  );
  return [...found, ...countedReason('earlier_held', held), ...countedReason('earlier_set_aside', setAside)];
}

function countedReason(code: Reason['code'], count: number): Reason[] {
  return count > 0 ? [{ code, count }] : [];
}

/** The reasons why no final verdict is possible yet. */
function whyPending(
  facts: DayFacts,
  newest: UpstreamResult | undefined,
  result: UpstreamResult | undefined,
  isOver: boolean,
): Reason[] {
  const { now, counts, cause, hasUpstream, earlierLane } = facts;
  const reasons: Reason[] = [];
  if (!isOver) reasons.push({ code: 'not_over' });
  const { waiting } = counts.deliveries;
  if (waiting > 0 && hasUpstream)
    reasons.push({ code: 'on_the_way', count: waiting, ...(cause !== null && { cause }) });
  const unsent = countEarlierUnsent(counts);
  if (unsent > 0 && earlierLane.hasUpstream) {
    const why = earlierLane.cause;
    reasons.push({ code: 'earlier_on_the_way', count: unsent, ...(why !== null && { cause: why }) });
  }
  const late = newest === undefined ? 0 : counts.here - newest.here;
  if (late > 0 && isOver && hasUpstream) reasons.push({ code: 'late_records', count: late });
  reasons.push(...(result?.reasons ?? []).filter(({ code }) => code === 'sent_again'));
  const until = settlesAt(facts);
  const unseen = countUnseen(result);
  if (unseen > 0) reasons.push({ code: 'not_seen_yet', count: unseen, ...(now < until && { until }) });
  const isToCome = result === undefined && waiting === 0;
  if (hasUpstream && isOver && isToCome && now < until) reasons.push({ code: 'settling', until });
  else if (hasUpstream && isOver && (isToCome || unseen > 0) && now >= until) reasons.push({ code: 'to_be_checked' });
  return reasons;
}

/** Number of sent records that a check did not find upstream, because the check was too early. */
function countUnseen(result: UpstreamResult | undefined): number {
  return (result?.reasons ?? [])
    .filter(({ code }) => code === 'not_seen_yet' || (code === 'missing_upstream' && result?.isProvisional === true))
    .reduce((sum, { count = 0 }) => sum + count, 0);
}
