// The verdict on a store day, from the gateway's records, the check of the upstream, and the declared total.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { causeOf } from '../../../server/cause.ts';
import type { Amount } from '../../../server/contract/amounts.ts';
import type { DeliveryState } from '../../../server/contract/codes.ts';
import { type Reason, REASON_CODES } from '../../../server/contract/verdicts.ts';
import type { Comparison } from '../../../server/reconcile/compare.ts';
import {
  type UpstreamResult,
  type DayFacts,
  isInForce,
  judge,
  type Judgement,
  reasonsOf,
  settlesAt,
  upstreamReasons,
} from '../../../server/reconcile/judge.ts';
import type { DayCounts } from '../../../server/store/days/ledger.ts';
import { NO_MONEY } from '../../../server/store/declared/day-sum.ts';
import type { DeclaredMoney } from '../../../server/store/declared/ledger.ts';

const HOUR = 3_600_000;
/** A sent record becomes visible upstream at most this long after its answer. */
const SETTLE_MS = 4 * HOUR;
const DAY = { date: '2026-11-19', from: 1_795_042_800, to: 1_795_129_200 };
const END = DAY.to * 1000;
/** The time of the last answer to a record: two hours before the end of the day. */
const LAST_SENT = END - 2 * HOUR;
const SETTLED = END + SETTLE_MS;
const CAUSE = causeOf('unreachable', 'ECONNREFUSED');

interface More extends Partial<Omit<DayFacts, 'counts' | 'declared'>> {
  readonly counts?: Partial<Omit<DayCounts, 'deliveries' | 'earlierSent'>>;
  /** Overrides the deliveries of the earlier interface. By default all are delivered. */
  readonly earlier?: Partial<DayCounts['deliveries']>;
  readonly deliveries?: Partial<DayCounts['deliveries']>;
  readonly declared?: Partial<DayFacts['declared']>;
}

const UPSTREAM = 'https://upstream.test';

/** The facts of a day with ten delivered records, seen one day later. `more` overrides them. */
function factsOf({ counts, deliveries, earlier, declared, ...more }: More = {}): DayFacts {
  return {
    day: DAY,
    now: END + 24 * HOUR,
    cause: null,
    hasUpstream: true,
    url: UPSTREAM,
    earlierLane: { hasUpstream: true, cause: null },
    othersSend: false,
    ...more,
    counts: {
      here: 10,
      earlier: 0,
      damaged: 0,
      amounts: [],
      lastAnsweredAt: LAST_SENT,
      ...counts,
      deliveries: { waiting: 0, delivered: 10, held: 0, 'set aside': 0, ...deliveries },
      earlierSent: {
        deliveries: { waiting: 0, delivered: counts?.earlier ?? 0, held: 0, 'set aside': 0, ...earlier },
        lastAnsweredAt: null,
      },
    },
    declared: { total: null, more: 0, less: 0, money: NO_MONEY, ...declared },
  };
}

/** A check without findings, made when all records were visible upstream. */
function foundOf(more: Partial<UpstreamResult> = {}): UpstreamResult {
  return {
    day: DAY,
    at: SETTLED + HOUR,
    isProvisional: false,
    basis: 'counts',
    url: UPSTREAM,
    here: 10,
    open: 0,
    upstream: 10,
    reasons: [],
    notes: [],
    ...more,
  };
}
const SILENT = foundOf({ basis: null, upstream: null, reasons: [{ code: 'upstream_silent', cause: CAUSE }] });
const UNREADABLE = foundOf({
  basis: null,
  upstream: null,
  reasons: [{ code: 'upstream_unreadable', cause: causeOf('question_refused', 400) }],
});
/** The result of a check that queried nothing, because there is no upstream. */
const UNASKED = foundOf({ basis: null, upstream: null });

const complete: Judgement = { verdict: 'complete', isProvisional: false, reasons: [] };
const differs = (...reasons: Reason[]): Judgement => ({ verdict: 'differs', isProvisional: false, reasons });
const waiting = (...reasons: Reason[]): Judgement => ({ verdict: 'waiting', isProvisional: false, reasons });
const cannotTell = (...reasons: Reason[]): Judgement => ({ verdict: 'cannot tell', isProvisional: false, reasons });
const provisional = (judgement: Judgement): Judgement => ({ ...judgement, isProvisional: true });

const TO_BE_CHECKED: Reason = { code: 'to_be_checked' };
const NOT_OVER: Reason = { code: 'not_over' };
const MISSING: Reason = { code: 'missing_upstream', count: 2 };
const DAMAGED: Reason = { code: 'damaged_here', count: 1 };
const HELD: Reason = { code: 'held', count: 1 };

type Case = [name: string, facts: More, newest: UpstreamResult | undefined, judgement: Judgement];

describe('the verdict is', () => {
  test.each<Case>([
    ['complete when a check found no difference', {}, foundOf(), complete],
    [
      "'cannot tell' while a sale is damaged on the disk, whatever a check found",
      { counts: { damaged: 1 } },
      foundOf({ basis: 'ids' }),
      cannotTell(DAMAGED),
    ],
    [
      "'cannot tell' while one sale is damaged and others are on their way",
      { counts: { damaged: 1 }, deliveries: { waiting: 2 } },
      undefined,
      cannotTell(DAMAGED, { code: 'on_the_way', count: 2 }),
    ],
    [
      'waiting, also for the damaged sale, while the day is not over',
      { counts: { damaged: 1 }, now: END - HOUR },
      undefined,
      waiting(NOT_OVER, DAMAGED),
    ],
    [
      'differs, also with the damaged sale, if a check found a difference',
      { counts: { damaged: 1 } },
      foundOf({ reasons: [MISSING] }),
      differs(MISSING, DAMAGED),
    ],
    [
      "'cannot tell' without an upstream, even if the declared total agrees",
      { counts: { damaged: 1 }, hasUpstream: false, declared: { total: 10 } },
      undefined,
      cannotTell(DAMAGED),
    ],
    ['complete when a check compared every id', {}, foundOf({ basis: 'ids' }), complete],
    ['complete for a day without sales', { counts: { here: 0 } }, foundOf({ here: 0 }), complete],
    [
      'complete when the upstream accepted all sales of the earlier interface',
      { counts: { earlier: 5 } },
      foundOf(),
      complete,
    ],
    [
      'complete by answers if only the earlier interface is in use',
      { hasUpstream: false, url: null, counts: { here: 0, earlier: 5 }, deliveries: { delivered: 0 } },
      undefined,
      complete,
    ],
    [
      'waiting, with the reason, while sales of the earlier interface are on their way',
      {
        counts: { earlier: 5 },
        earlier: { delivered: 2, waiting: 3 },
        earlierLane: { hasUpstream: true, cause: CAUSE },
      },
      foundOf(),
      waiting({ code: 'earlier_on_the_way', count: 3, cause: CAUSE }),
    ],
    [
      'waiting for a sale of the earlier interface that no lane has',
      { counts: { earlier: 5 }, earlier: { delivered: 4 } },
      foundOf(),
      waiting({ code: 'earlier_on_the_way', count: 1 }),
    ],
    [
      'waiting by answers if only the earlier interface is in use',
      {
        hasUpstream: false,
        url: null,
        counts: { here: 0, earlier: 5 },
        deliveries: { delivered: 0 },
        earlier: { delivered: 0, waiting: 5 },
      },
      undefined,
      waiting({ code: 'earlier_on_the_way', count: 5 }),
    ],
    [
      'differs if sales of the earlier interface are held or set aside',
      { counts: { earlier: 5 }, earlier: { delivered: 2, held: 2, 'set aside': 1 } },
      foundOf(),
      differs({ code: 'earlier_held', count: 2 }, { code: 'earlier_set_aside', count: 1 }),
    ],
    [
      "'cannot tell' while sales of the earlier interface have no upstream",
      {
        counts: { earlier: 5 },
        earlier: { delivered: 0, waiting: 5 },
        earlierLane: { hasUpstream: false, cause: null },
      },
      foundOf(),
      cannotTell({ code: 'earlier_no_upstream', count: 5 }),
    ],
    [
      "'cannot tell' then, even if all sales were declared",
      {
        hasUpstream: false,
        counts: { earlier: 5 },
        earlier: { delivered: 0, waiting: 5 },
        earlierLane: { hasUpstream: false, cause: null },
        declared: { total: 15 },
      },
      undefined,
      cannotTell({ code: 'earlier_no_upstream', count: 5 }, { code: 'no_upstream' }),
    ],
    [
      "'cannot tell' while the current interface has no upstream, although the earlier one has",
      { hasUpstream: false, counts: { earlier: 5 } },
      undefined,
      cannotTell({ code: 'no_upstream' }),
    ],
    [
      'differs if there is a difference and also an unreadable answer',
      { counts: { earlier: 5 }, earlier: { delivered: 3, held: 2 } },
      UNREADABLE,
      differs({ code: 'earlier_held', count: 2 }, ...UNREADABLE.reasons),
    ],
    ["'cannot tell' after an unreadable answer", {}, UNREADABLE, cannotTell(...UNREADABLE.reasons)],
    [
      "'cannot tell' after an unreadable answer also while the day lasts",
      { now: END - 1 },
      { ...UNREADABLE, at: END - 2 },
      provisional(cannotTell(...UNREADABLE.reasons, NOT_OVER)),
    ],
    ['complete with notes', {}, foundOf({ basis: 'ids', notes: [{ code: 'listed_twice', count: 2 }] }), complete],
    [
      'complete with sales of others, if others send too',
      { othersSend: true },
      foundOf({ basis: 'ids', notes: [{ code: 'others_upstream', count: 2 }] }),
      complete,
    ],
    [
      'provisionally complete when it was checked too early',
      {},
      foundOf({ isProvisional: true }),
      provisional(complete),
    ],
    ['complete if the declared total agrees, too', { declared: { total: 10 } }, foundOf(), complete],

    ['waiting until the day is over', { now: END - 1 }, undefined, waiting(NOT_OVER)],
    ['waiting until the day is over, even after a check', { now: END - 1 }, foundOf(), waiting(NOT_OVER)],
    [
      'waiting until the day is over, without an upstream',
      { now: END - 1, hasUpstream: false },
      undefined,
      waiting(NOT_OVER),
    ],
    [
      'waiting, from the end of the day until all records are visible',
      { now: END },
      undefined,
      waiting({ code: 'settling', until: SETTLED }),
    ],
    [
      'waiting until records that were sent late are visible',
      { now: SETTLED, counts: { lastAnsweredAt: END + HOUR } },
      undefined,
      waiting({ code: 'settling', until: SETTLED + HOUR }),
    ],
    ['waiting for a check, once all records are visible', { now: SETTLED }, undefined, waiting(TO_BE_CHECKED)],
    [
      'waiting for a check if nothing was sold',
      { counts: { here: 0, lastAnsweredAt: null } },
      undefined,
      waiting(TO_BE_CHECKED),
    ],
    [
      'waiting while records are on the way',
      { deliveries: { waiting: 3 } },
      foundOf(),
      waiting({ code: 'on_the_way', count: 3 }),
    ],
    [
      'waiting, with the reason why records are not delivered',
      { deliveries: { waiting: 3 }, cause: CAUSE },
      undefined,
      waiting({ code: 'on_the_way', count: 3, cause: CAUSE }),
    ],
    [
      'waiting for the day and its records at the same time',
      { now: END - 1, deliveries: { waiting: 3 } },
      undefined,
      waiting(NOT_OVER, { code: 'on_the_way', count: 3 }),
    ],
    [
      'waiting if records came after the check',
      { counts: { here: 12 } },
      foundOf(),
      waiting({ code: 'late_records', count: 2 }, TO_BE_CHECKED),
    ],
    [
      'waiting if late records are on their way',
      { counts: { here: 12 }, deliveries: { waiting: 2 } },
      foundOf(),
      waiting({ code: 'on_the_way', count: 2 }, { code: 'late_records', count: 2 }),
    ],
    [
      'waiting if late records were sent',
      { now: SETTLED + 3 * HOUR, counts: { here: 12, lastAnsweredAt: SETTLED + 2 * HOUR } },
      foundOf(),
      waiting({ code: 'late_records', count: 2 }, { code: 'settling', until: SETTLED + 2 * HOUR + SETTLE_MS }),
    ],
    [
      'not waiting for late records while the day lasts',
      { now: END - 1, counts: { here: 12 } },
      foundOf(),
      waiting(NOT_OVER),
    ],
    [
      'waiting if missing records are being resent',
      {},
      foundOf({ reasons: [{ code: 'sent_again', count: 2 }] }),
      waiting({ code: 'sent_again', count: 2 }),
    ],

    ['differs if a record is missing', {}, foundOf({ reasons: [MISSING] }), differs(MISSING)],
    [
      'differs with all reasons at once, in the order of the check',
      {},
      foundOf({
        basis: 'ids',
        reasons: [
          MISSING,
          { code: 'held', count: 1 },
          { code: 'set_aside', count: 1 },
          { code: 'missing_here', count: 1 },
          { code: 'twice_upstream', count: 1 },
          { code: 'other_upstream', count: 1 },
        ],
      }),
      differs(
        MISSING,
        { code: 'held', count: 1 },
        { code: 'set_aside', count: 1 },
        { code: 'missing_here', count: 1 },
        { code: 'twice_upstream', count: 1 },
        { code: 'other_upstream', count: 1 },
      ),
    ],
    [
      'waiting, provisionally, if missing records may not be visible yet',
      { now: SETTLED - 1 },
      foundOf({ at: SETTLED - 2, reasons: [MISSING], isProvisional: true }),
      provisional(waiting({ code: 'not_seen_yet', count: 2, until: SETTLED })),
    ],
    [
      'waiting for a check if missing records could have become visible since',
      {},
      foundOf({ reasons: [{ code: 'not_seen_yet', count: 2, until: SETTLED }], isProvisional: true }),
      provisional(waiting({ code: 'not_seen_yet', count: 2 }, TO_BE_CHECKED)),
    ],
    [
      'differs, provisionally, if it was checked too early',
      {},
      foundOf({ reasons: [HELD], isProvisional: true }),
      provisional(differs(HELD)),
    ],
    [
      'differs, provisionally, while the day lasts',
      { now: END - 1 },
      foundOf({ at: END - 2, reasons: [HELD, MISSING], isProvisional: true }),
      provisional(differs(HELD, NOT_OVER, { code: 'not_seen_yet', count: 2, until: SETTLED })),
    ],
    [
      'differs if more was declared',
      { declared: { total: 12, more: 2 } },
      foundOf(),
      differs({ code: 'declared_more', count: 2 }),
    ],
    [
      'differs if less was declared',
      { declared: { total: 9, less: 1 } },
      foundOf(),
      differs({ code: 'declared_less', count: 1 }),
    ],
    [
      'differs if other ids were declared, with an equal count',
      { declared: { total: 10, more: 2, less: 2 } },
      foundOf({ reasons: [MISSING] }),
      differs(MISSING, { code: 'declared_more', count: 2 }, { code: 'declared_less', count: 2 }),
    ],
    [
      'differs from the declared total, provisionally until four hours after the day',
      { now: SETTLED - 1, declared: { total: 12, more: 2 } },
      undefined,
      provisional(differs({ code: 'declared_more', count: 2 }, { code: 'settling', until: SETTLED })),
    ],
    [
      'differs from the declared total, finally, before any check',
      { declared: { total: 12, more: 2 } },
      undefined,
      differs({ code: 'declared_more', count: 2 }, TO_BE_CHECKED),
    ],
    [
      'differs from the declared total, finally, while records cannot be sent',
      { declared: { total: 12, more: 2 }, deliveries: { waiting: 3 }, cause: CAUSE },
      undefined,
      differs({ code: 'declared_more', count: 2 }, { code: 'on_the_way', count: 3, cause: CAUSE }),
    ],
    [
      'differs from the declared total, finally, while late records wait for a check',
      { declared: { total: 12, more: 2 }, deliveries: { waiting: 3 } },
      foundOf(),
      differs({ code: 'declared_more', count: 2 }, { code: 'on_the_way', count: 3 }),
    ],
    [
      'differs from the declared total, while the upstream is silent',
      { declared: { total: 12, more: 2 } },
      SILENT,
      differs({ code: 'declared_more', count: 2 }, ...SILENT.reasons),
    ],
    [
      'differs from the declared total, without an upstream',
      { declared: { total: 12, more: 2 }, hasUpstream: false },
      undefined,
      differs({ code: 'declared_more', count: 2 }),
    ],

    ["'cannot tell' while the upstream is silent", {}, SILENT, cannotTell(...SILENT.reasons)],
    ['waiting, not silent, while the day lasts', { now: END - 1 }, SILENT, waiting(NOT_OVER)],
    [
      'waiting, not silent, if records came since',
      { counts: { here: 11 } },
      SILENT,
      waiting({ code: 'late_records', count: 1 }, TO_BE_CHECKED),
    ],
    ["'cannot tell' without an upstream", { hasUpstream: false }, undefined, cannotTell({ code: 'no_upstream' })],
    [
      "'cannot tell' without an upstream, after a check",
      { hasUpstream: false },
      UNASKED,
      cannotTell({ code: 'no_upstream' }),
    ],
    [
      "'cannot tell' without an upstream, even if records wait for one",
      { hasUpstream: false, deliveries: { waiting: 10 }, cause: causeOf('no_upstream') },
      undefined,
      cannotTell({ code: 'no_upstream' }),
    ],
    [
      'complete without an upstream if the declared total agrees',
      { hasUpstream: false, declared: { total: 10 } },
      undefined,
      complete,
    ],
    [
      'complete without an upstream after late records, if the declared total agrees',
      { hasUpstream: false, declared: { total: 11 }, counts: { here: 11 } },
      UNASKED,
      complete,
    ],
    ['waiting for a check if an upstream was set since', {}, UNASKED, waiting(TO_BE_CHECKED)],
    [
      'waiting for a check then, even if the declared total agrees',
      { declared: { total: 10 } },
      UNASKED,
      waiting(TO_BE_CHECKED),
    ],
  ])('%s', (_name, facts, newest, judgement) => {
    expect(judge(factsOf(facts), newest)).toEqual(judgement);
  });
});

describe('a check is outdated', () => {
  test.each<Case>([
    [
      'if records came since',
      { counts: { here: 11 } },
      foundOf(),
      waiting({ code: 'late_records', count: 1 }, TO_BE_CHECKED),
    ],
    [
      'if others send too now, and it counted their records as a difference',
      { othersSend: true },
      foundOf({ basis: 'ids', reasons: [{ code: 'missing_here', count: 2 }] }),
      waiting(TO_BE_CHECKED),
    ],
    [
      'if others no longer send, and it counted their records as a note',
      {},
      foundOf({ basis: 'ids', notes: [{ code: 'others_upstream', count: 2 }] }),
      waiting(TO_BE_CHECKED),
    ],
    ['if the upstream was replaced', { url: 'https://other.test' }, foundOf(), waiting(TO_BE_CHECKED)],
    ['if there is one record less than it compared', { counts: { here: 9 } }, foundOf(), waiting(TO_BE_CHECKED)],
    [
      'if a record waits again',
      { deliveries: { waiting: 1, delivered: 9 } },
      foundOf({ reasons: [MISSING] }),
      waiting({ code: 'on_the_way', count: 1 }),
    ],
    [
      'if a record was sent since',
      { counts: { lastAnsweredAt: SETTLED + HOUR + 1 } },
      foundOf({ reasons: [MISSING] }),
      waiting(TO_BE_CHECKED),
    ],
  ])('%s', (_name, facts, newest, judgement) => {
    const known = factsOf(facts);
    expect(newest && isInForce(newest, known)).toBe(false);
    expect(judge(known, newest)).toEqual(judgement);
  });

  test('but not if the last record was sent just before it', () => {
    expect(isInForce(foundOf(), factsOf({ counts: { lastAnsweredAt: SETTLED + HOUR } }))).toBe(true);
    expect(isInForce(foundOf(), factsOf({ counts: { lastAnsweredAt: null } }))).toBe(true);
  });
});

test.each([
  ['nothing was sent', null, END + SETTLE_MS],
  ['all records were sent before its end', END - 1, END + SETTLE_MS],
  ['a record was sent after its end', END + 1, END + 1 + SETTLE_MS],
])('all records of a day are visible four hours after its end or its last record: %s', (_name, lastAnsweredAt, at) => {
  expect(settlesAt(factsOf({ counts: { lastAnsweredAt } }))).toBe(at);
});

describe('the reasons of a comparison', () => {
  const there = { externalId: 'T-1', type: 'sale', soldAt: DAY.from };
  const missing = (...states: (DeliveryState | null)[]): Comparison['missing'] =>
    states.map((state, i) => ({
      ...there,
      recordId: i + 1,
      state,
      answeredAt: null,
      upstreamStatus: null,
      attempts: null,
    }));
  const same: Comparison = {
    basis: 'counts',
    here: 0,
    open: 0,
    upstream: 0,
    missing: [],
    foreign: [],
    others: 0,
    twice: [],
    listedTwice: 0,
    countedTwice: 0,
    other: [],
  };

  test.each<[name: string, comparison: Partial<Comparison>, reasons: Reason[]]>([
    ['nothing differs', { here: 10, upstream: 9 }, []],
    [
      'missing records, by their delivery state',
      { missing: missing('delivered', 'held', null, 'set aside', 'held', 'waiting') },
      [
        { code: 'missing_upstream', count: 3 },
        { code: 'held', count: 2 },
        { code: 'set_aside', count: 1 },
      ],
    ],
    ['only held records', { missing: missing('held') }, [{ code: 'held', count: 1 }]],
    [
      'findings upstream',
      { foreign: [there, there], twice: [there], other: [{ ...there, recordId: 1 }] },
      [
        { code: 'missing_here', count: 2 },
        { code: 'twice_upstream', count: 1 },
        { code: 'other_upstream', count: 1 },
      ],
    ],
  ])('%s', (_name, comparison, reasons) => {
    expect(reasonsOf({ ...same, ...comparison })).toEqual(reasons);
  });

  test('are stored with a verdict; all others are recalculated', () => {
    const kept = upstreamReasons(REASON_CODES.map((code) => ({ code }))).map(({ code }) => code);
    expect(kept).toEqual([
      'not_seen_yet',
      'sent_again',
      'missing_upstream',
      'held',
      'set_aside',
      'missing_here',
      'twice_upstream',
      'other_upstream',
      'upstream_silent',
      'upstream_unreadable',
    ]);
  });
});

describe('for any facts about a day,', () => {
  const count = fc.nat(3);
  const reason = fc.record({ code: fc.constantFrom(...REASON_CODES), count: fc.integer({ min: 1, max: 3 }) });
  const instant = fc.integer({ min: -2, max: 30 }).map((hours) => END + hours * HOUR);
  const facts = fc
    .record({
      now: instant,
      here: count,
      waiting: fc.oneof(fc.constant(0), count),
      lastAnsweredAt: fc.option(instant),
      hasUpstream: fc.boolean(),
      total: fc.option(count),
      more: fc.oneof(fc.constant(0), count),
      less: fc.oneof(fc.constant(0), count),
      earlier: count,
      earlierDelivered: count,
      hasEarlierUpstream: fc.boolean(),
    })
    .map(({ now, here, waiting: onTheWay, lastAnsweredAt, hasUpstream, total, more, less, ...of }) =>
      factsOf({
        now,
        hasUpstream,
        counts: { here, lastAnsweredAt, earlier: of.earlier },
        earlier: { delivered: Math.min(of.earlier, of.earlierDelivered) },
        earlierLane: { hasUpstream: of.hasEarlierUpstream, cause: null },
        deliveries: { waiting: onTheWay },
        declared: total === null ? {} : { total, more, less },
      }),
    );
  const result = fc
    .record({
      day: fc.constant(DAY),
      url: fc.constant(UPSTREAM),
      at: instant,
      open: fc.constantFrom(0, 0, 0, 1),
      isProvisional: fc.boolean(),
      basis: fc.constantFrom('counts', 'ids', null),
      here: count,
      upstream: count,
      reasons: fc.oneof(fc.constant([]), fc.array(reason, { maxLength: 3 })).map(upstreamReasons),
    })
    .map((found): UpstreamResult => ({ ...found, notes: [], ...(found.basis === null && { upstream: null }) }));

  test('the verdict is complete only without a reason against it, and final only with a check in force that is final', () => {
    fc.assert(
      fc.property(facts, fc.option(result, { nil: undefined }), (known, newest) => {
        const { verdict, isProvisional, reasons } = judge(known, newest);
        expect(reasons.length === 0).toBe(verdict === 'complete');
        if (verdict !== 'complete') return;
        const { day, now, counts, hasUpstream, declared } = known;
        expect([declared.more, declared.less, now >= day.to * 1000]).toEqual([0, 0, true]);
        expect(counts.earlierSent.deliveries.delivered).toBe(counts.earlier);
        if (!hasUpstream) {
          const restsOnAnswers = counts.here === 0 && known.earlierLane.hasUpstream;
          if (!restsOnAnswers) expect(declared.total).toBe(counts.here + counts.earlier);
          return;
        }
        expect(newest).toMatchObject({ basis: expect.any(String), here: counts.here, isProvisional, reasons: [] });
        expect(counts.deliveries.waiting).toBe(0);
        const { lastAnsweredAt } = counts;
        if (lastAnsweredAt !== null && lastAnsweredAt <= now)
          expect(lastAnsweredAt).toBeLessThanOrEqual(newest?.at ?? 0);
      }),
      { numRuns: 2000 },
    );
  });

  test('no reason is repeated, or given without records', () => {
    fc.assert(
      fc.property(facts, fc.option(result, { nil: undefined }), (known, newest) => {
        const { reasons } = judge(known, newest && { ...newest, reasons: newest.reasons.slice(0, 1) });
        expect(new Set(reasons.map(({ code }) => code)).size).toBe(reasons.length);
        for (const { count: records = 1 } of reasons) expect(records).toBeGreaterThan(0);
      }),
    );
  });
});

describe('declared amounts', () => {
  const more: Amount[] = [{ currency: 'EUR', value: '2.50' }];
  const MORE: Reason = { code: 'amount_more', amounts: more };
  const money = (some: Partial<DeclaredMoney>) => ({ declared: { total: 10, money: { ...NO_MONEY, ...some } } });

  test.each<Case>([
    ['differ although all counts are equal', money({ more }), foundOf(), differs(MORE)],
    [
      'differ in both directions',
      money({ more, less: more }),
      foundOf(),
      differs(MORE, { code: 'amount_less', amounts: more }),
    ],
    ['differ without an upstream too', { ...money({ more }), hasUpstream: false }, undefined, differs(MORE)],
    [
      'that cannot be read make the verdict unknown, not complete',
      money({ gap: { kind: 'unreadable', records: 3 } }),
      foundOf(),
      cannotTell({ code: 'amount_unreadable', count: 3 }),
    ],
    [
      'that cannot be read do so without an upstream, even if the number of sales agrees',
      { ...money({ gap: { kind: 'no rule', records: 2 } }), hasUpstream: false },
      undefined,
      cannotTell({ code: 'amount_no_rule', count: 2 }, { code: 'no_upstream' }),
    ],
    [
      'without a rule make the verdict unknown',
      money({ gap: { kind: 'no rule', records: 2 } }),
      foundOf(),
      cannotTell({ code: 'amount_no_rule', count: 2 }),
    ],
    [
      'of which only one side has a currency make the verdict unknown',
      money({ gap: { kind: 'no currency' } }),
      foundOf(),
      cannotTell({ code: 'amount_no_currency' }),
    ],
    [
      'that are being read make the verdict wait',
      money({ gap: { kind: 'filling' } }),
      foundOf(),
      waiting({ code: 'amount_filling' }),
    ],
    [
      'differ in one currency while another is unknown',
      money({ more, gap: { kind: 'unreadable', records: 3 } }),
      foundOf(),
      differs(MORE, { code: 'amount_unreadable', count: 3 }),
    ],
    [
      'are no difference before the day is over',
      { ...money({ more, gap: { kind: 'unreadable', records: 3 } }), now: END - HOUR },
      undefined,
      waiting(NOT_OVER, MORE),
    ],
    ['that agree leave the day complete', money({}), foundOf(), complete],
  ])('%s', (_name, facts, newest, judgement) => {
    expect(judge(factsOf(facts), newest)).toEqual(judgement);
  });
});
