// What is true of a store day (design, section 5): the verdict follows from what is here, what the last check found upstream,
// and what was declared. Pure, so that the console, the command line and the check itself all say the same.

import type { Basis, Cause, DeliveryState, Reason, StoreDay, Verdict } from '../contract.ts';
import type { DayCounts } from '../store/day.ts';
import type { DeclaredFacts } from '../store/declared-total.ts';
import type { Comparison } from './compare.ts';

/** A record that was sent may take so long to be seen upstream (specification 8). */
export const SETTLE_MS = 4 * 60 * 60_000;

/** What is known of a day besides what the upstream says. */
export interface DayFacts {
  readonly day: StoreDay;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly counts: DayCounts;
  /** Why the lane does not run, if it does not; null where it has no upstream either. */
  readonly cause: Cause | null;
  readonly hasUpstream: boolean;
  /** The base address of the upstream. */
  readonly url: string | null;
  readonly declared: DeclaredFacts;
}

/** What a check found upstream, or why it found nothing. */
export interface UpstreamResult {
  /** As it was by the rule of its time. */
  readonly day: StoreDay;
  readonly at: number;
  readonly isProvisional: boolean;
  readonly basis: Basis | null;
  /** The upstream that it is about. */
  readonly url: string | null;
  readonly here: number;
  /** Of those here, so many were on their way meanwhile. */
  readonly open: number;
  readonly upstream: number | null;
  /** Those of `UPSTREAM_REASONS`. */
  readonly reasons: readonly Reason[];
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly isProvisional: boolean;
  readonly reasons: readonly Reason[];
}

const DIFFERS = ['missing_upstream', 'held', 'set_aside', 'missing_here', 'twice_upstream', 'other_upstream'] as const;
const UPSTREAM_REASONS: ReadonlySet<string> = new Set([...DIFFERS, 'sent_again', 'upstream_silent']);

/** The reasons of a verdict that a check gave; the others are judged anew each time. */
export function upstreamReasons(reasons: readonly Reason[]): Reason[] {
  return reasons.filter(({ code }) => UPSTREAM_REASONS.has(code));
}

/**
 * When everything that was sent of a day can be seen upstream: four hours after the last of it, and not before its end. An answer
 * of the future came while the clock was ahead, and says nothing.
 */
export function settlesAt({
  day: { to },
  counts: { lastAnsweredAt },
  now,
}: Pick<DayFacts, 'day' | 'counts' | 'now'>): number {
  return Math.max(to * 1000, lastAnsweredAt === null || lastAnsweredAt > now ? 0 : lastAnsweredAt) + SETTLE_MS;
}

/** Whether what a check found still says something: it is about these hours and this upstream, and nothing has come, gone or been sent since. */
export function isInForce(
  result: UpstreamResult,
  { day, counts, now, url }: Pick<DayFacts, 'day' | 'counts' | 'now' | 'url'>,
): boolean {
  const { here, deliveries, lastAnsweredAt } = counts;
  const isOfNow = result.at <= now && result.url === url && result.day.from === day.from && result.day.to === day.to;
  const isAnsweredSince = lastAnsweredAt !== null && lastAnsweredAt > result.at && lastAnsweredAt <= now;
  return isOfNow && result.here === here && result.open === 0 && deliveries.waiting === 0 && !isAnsweredSince;
}

/** Whether the upstream was asked at all, though it may have been silent; a day that had none says nothing of one that was set since. */
function hasAsked({ basis, reasons }: UpstreamResult): boolean {
  return basis !== null || reasons.some(({ code }) => code === 'upstream_silent');
}

/** What follows from a comparison. */
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

/** The verdict about a day, with the newest result of a check where there was one. */
export function judge(facts: DayFacts, newest: UpstreamResult | undefined): Judgement {
  const { day, now, counts, declared, hasUpstream } = facts;
  const isOver = now >= day.to * 1000;
  const result = newest !== undefined && hasAsked(newest) && isInForce(newest, facts) ? newest : undefined;
  const undeclared = [
    ...countedReason('declared_more', declared.more),
    ...countedReason('declared_less', declared.less),
  ];
  const differing = [
    ...(result?.reasons ?? []).filter(({ code }) => (DIFFERS as readonly string[]).includes(code)),
    ...(isOver ? undeclared : []), // what is declared before the end of a day is what will have been sold by then
  ];
  const isProvisional = !isOver || (hasUpstream && (result?.isProvisional ?? true));
  const pending = whyPending(facts, newest, result, isOver);
  if (differing.length > 0) return { verdict: 'differs', isProvisional, reasons: [...differing, ...pending] };
  const silent = (result?.reasons ?? []).filter(({ code }) => code === 'upstream_silent');
  if (silent.length > 0 && isOver) return { verdict: 'cannot tell', isProvisional: false, reasons: silent };
  if (pending.length > 0)
    return { verdict: 'waiting', isProvisional: false, reasons: [...pending, ...(isOver ? [] : undeclared)] };
  // Without an upstream all that is here must have been declared, not only what some till sold.
  if (hasUpstream || declared.total === counts.here) return { verdict: 'complete', isProvisional, reasons: [] };
  return { verdict: 'cannot tell', isProvisional: false, reasons: [{ code: 'no_upstream' }] };
}

function countedReason(code: Reason['code'], count: number): Reason[] {
  return count > 0 ? [{ code, count }] : [];
}

/** What is still to come. */
function whyPending(
  facts: DayFacts,
  newest: UpstreamResult | undefined,
  result: UpstreamResult | undefined,
  isOver: boolean,
): Reason[] {
  const { now, counts, cause, hasUpstream } = facts;
  const reasons: Reason[] = [];
  if (!isOver) reasons.push({ code: 'not_over' });
  const { waiting } = counts.deliveries;
  if (waiting > 0 && hasUpstream)
    reasons.push({ code: 'on_the_way', count: waiting, ...(cause !== null && { cause }) });
  const late = newest === undefined ? 0 : counts.here - newest.here;
  if (late > 0 && isOver && hasUpstream) reasons.push({ code: 'late_records', count: late });
  reasons.push(...(result?.reasons ?? []).filter(({ code }) => code === 'sent_again'));
  if (hasUpstream && isOver && waiting === 0 && result === undefined) {
    const until = settlesAt(facts);
    reasons.push(now < until ? { code: 'settling', until } : { code: 'to_be_checked' });
  }
  return reasons;
}
