// The verdict about a store day, from the records here, the check of the upstream, and the declared total.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { causeOf } from '../../../server/cause.ts';
import type { DeliveryState } from '../../../server/contract/codes.ts';
import { type Reason, REASON_CODES } from '../../../server/contract/days.ts';
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

const HOUR = 3_600_000;
/** How long a record that was sent may take to be seen upstream. */
const SETTLE_MS = 4 * HOUR;
const DAY = { date: '2026-11-19', from: 1_795_042_800, to: 1_795_129_200 };
const END = DAY.to * 1000;
/** The last record was answered two hours before the end of the day. */
const LAST_SENT = END - 2 * HOUR;
const SETTLED = END + SETTLE_MS;
const CAUSE = causeOf('unreachable', 'ECONNREFUSED');

interface More extends Partial<Omit<DayFacts, 'counts' | 'declared'>> {
  readonly counts?: Partial<Omit<DayCounts, 'deliveries' | 'earlierSent'>>;
  /** Of the earlier interface, all of it delivered unless this says otherwise. */
  readonly earlier?: Partial<DayCounts['deliveries']>;
  readonly deliveries?: Partial<DayCounts['deliveries']>;
  readonly declared?: Partial<DayFacts['declared']>;
}

/** Ten records that were delivered, a day after; `more` is what is different. */
const UPSTREAM = 'https://upstream.test';

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
      lastAnsweredAt: LAST_SENT,
      ...counts,
      deliveries: { waiting: 0, delivered: 10, held: 0, 'set aside': 0, ...deliveries },
      earlierSent: {
        deliveries: { waiting: 0, delivered: counts?.earlier ?? 0, held: 0, 'set aside': 0, ...earlier },
        lastAnsweredAt: null,
      },
    },
    declared: { total: null, more: 0, less: 0, ...declared },
  };
}

/** A check that found nothing to tell, after all could be seen. */
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
/** What a check says of a day that had no upstream. */
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
    ['complete when a check found nothing to tell', {}, foundOf(), complete],
    [
      'cannot tell while a sale is damaged on the disk, whatever a check found',
      { counts: { damaged: 1 } },
      foundOf({ basis: 'ids' }),
      cannotTell(DAMAGED),
    ],
    [
      'cannot tell while one is damaged and others are on their way',
      { counts: { damaged: 1 }, deliveries: { waiting: 2 } },
      undefined,
      cannotTell(DAMAGED, { code: 'on_the_way', count: 2 }),
    ],
    [
      'waiting with that reason while the day is not over',
      { counts: { damaged: 1 }, now: END - HOUR },
      undefined,
      waiting(NOT_OVER, DAMAGED),
    ],
    [
      'differs with that reason where something differs',
      { counts: { damaged: 1 } },
      foundOf({ reasons: [MISSING] }),
      differs(MISSING, DAMAGED),
    ],
    [
      'cannot tell without an upstream, though as many were declared',
      { counts: { damaged: 1 }, hasUpstream: false, declared: { total: 10 } },
      undefined,
      cannotTell(DAMAGED),
    ],
    ['complete when it compared every id', {}, foundOf({ basis: 'ids' }), complete],
    ['complete for a day on which nothing was sold', { counts: { here: 0 } }, foundOf({ here: 0 }), complete],
    ['complete when the upstream took all of the earlier interface', { counts: { earlier: 5 } }, foundOf(), complete],
    [
      'complete by answers, where only the earlier interface is in use',
      { hasUpstream: false, url: null, counts: { here: 0, earlier: 5 }, deliveries: { delivered: 0 } },
      undefined,
      complete,
    ],
    [
      'waiting while some of the earlier interface are on the way, and why',
      {
        counts: { earlier: 5 },
        earlier: { delivered: 2, waiting: 3 },
        earlierLane: { hasUpstream: true, cause: CAUSE },
      },
      foundOf(),
      waiting({ code: 'earlier_on_the_way', count: 3, cause: CAUSE }),
    ],
    [
      'waiting for one of the earlier interface that no lane has',
      { counts: { earlier: 5 }, earlier: { delivered: 4 } },
      foundOf(),
      waiting({ code: 'earlier_on_the_way', count: 1 }),
    ],
    [
      'waiting by answers, where only the earlier interface is in use',
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
      'differs when some of the earlier interface are held or set aside',
      { counts: { earlier: 5 }, earlier: { delivered: 2, held: 2, 'set aside': 1 } },
      foundOf(),
      differs({ code: 'earlier_held', count: 2 }, { code: 'earlier_set_aside', count: 1 }),
    ],
    [
      'not to be told while some of the earlier interface have no upstream',
      {
        counts: { earlier: 5 },
        earlier: { delivered: 0, waiting: 5 },
        earlierLane: { hasUpstream: false, cause: null },
      },
      foundOf(),
      cannotTell({ code: 'earlier_no_upstream', count: 5 }),
    ],
    [
      'not to be told then, although all of it was declared',
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
      'not to be told while the current interface has no upstream, though the earlier one does',
      { hasUpstream: false, counts: { earlier: 5 } },
      undefined,
      cannotTell({ code: 'no_upstream' }),
    ],
    [
      'differs, and the answer could not be read, when both are so',
      { counts: { earlier: 5 }, earlier: { delivered: 3, held: 2 } },
      UNREADABLE,
      differs({ code: 'earlier_held', count: 2 }, ...UNREADABLE.reasons),
    ],
    ['not to be told when the answer could not be read', {}, UNREADABLE, cannotTell(...UNREADABLE.reasons)],
    [
      'not to be told then, while the day lasts, too',
      { now: END - 1 },
      { ...UNREADABLE, at: END - 2 },
      provisional(cannotTell(...UNREADABLE.reasons, NOT_OVER)),
    ],
    ['complete with notes', {}, foundOf({ basis: 'ids', notes: [{ code: 'listed_twice', count: 2 }] }), complete],
    [
      'complete with sales of others, where others send too',
      { othersSend: true },
      foundOf({ basis: 'ids', notes: [{ code: 'others_upstream', count: 2 }] }),
      complete,
    ],
    ['complete for now when it was checked too early', {}, foundOf({ isProvisional: true }), provisional(complete)],
    ['complete when what was declared is here, too', { declared: { total: 10 } }, foundOf(), complete],

    ['waiting until it is over', { now: END - 1 }, undefined, waiting(NOT_OVER)],
    ['waiting until it is over, although it was checked', { now: END - 1 }, foundOf(), waiting(NOT_OVER)],
    [
      'waiting until it is over, without an upstream',
      { now: END - 1, hasUpstream: false },
      undefined,
      waiting(NOT_OVER),
    ],
    [
      'waiting, from the moment it is over, until all can be seen',
      { now: END },
      undefined,
      waiting({ code: 'settling', until: SETTLED }),
    ],
    [
      'waiting until what was sent late can be seen',
      { now: SETTLED, counts: { lastAnsweredAt: END + HOUR } },
      undefined,
      waiting({ code: 'settling', until: SETTLED + HOUR }),
    ],
    ['waiting, once all can be seen, to be checked', { now: SETTLED }, undefined, waiting(TO_BE_CHECKED)],
    [
      'waiting to be checked where nothing was sold',
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
      'waiting, and why they do not get there',
      { deliveries: { waiting: 3 }, cause: CAUSE },
      undefined,
      waiting({ code: 'on_the_way', count: 3, cause: CAUSE }),
    ],
    [
      'waiting for the day and its records at once',
      { now: END - 1, deliveries: { waiting: 3 } },
      undefined,
      waiting(NOT_OVER, { code: 'on_the_way', count: 3 }),
    ],
    [
      'waiting when records came after the check',
      { counts: { here: 12 } },
      foundOf(),
      waiting({ code: 'late_records', count: 2 }, TO_BE_CHECKED),
    ],
    [
      'waiting when they came and are on the way',
      { counts: { here: 12 }, deliveries: { waiting: 2 } },
      foundOf(),
      waiting({ code: 'on_the_way', count: 2 }, { code: 'late_records', count: 2 }),
    ],
    [
      'waiting when they came and were sent',
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
      'waiting when what was missing is sent again',
      {},
      foundOf({ reasons: [{ code: 'sent_again', count: 2 }] }),
      waiting({ code: 'sent_again', count: 2 }),
    ],

    ['differs when something is missing', {}, foundOf({ reasons: [MISSING] }), differs(MISSING)],
    [
      'differs in every way at once, in the order of the check',
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
      'waiting for now when what is missing may not be seen yet',
      { now: SETTLED - 1 },
      foundOf({ at: SETTLED - 2, reasons: [MISSING], isProvisional: true }),
      provisional(waiting({ code: 'not_seen_yet', count: 2, until: SETTLED })),
    ],
    [
      'waiting to be checked when it could be seen since',
      {},
      foundOf({ reasons: [{ code: 'not_seen_yet', count: 2, until: SETTLED }], isProvisional: true }),
      provisional(waiting({ code: 'not_seen_yet', count: 2 }, TO_BE_CHECKED)),
    ],
    [
      'differs for now when it was checked too early',
      {},
      foundOf({ reasons: [HELD], isProvisional: true }),
      provisional(differs(HELD)),
    ],
    [
      'differs for now while the day lasts',
      { now: END - 1 },
      foundOf({ at: END - 2, reasons: [HELD, MISSING], isProvisional: true }),
      provisional(differs(HELD, NOT_OVER, { code: 'not_seen_yet', count: 2, until: SETTLED })),
    ],
    [
      'differs when more was declared',
      { declared: { total: 12, more: 2 } },
      foundOf(),
      differs({ code: 'declared_more', count: 2 }),
    ],
    [
      'differs when less was declared',
      { declared: { total: 9, less: 1 } },
      foundOf(),
      differs({ code: 'declared_less', count: 1 }),
    ],
    [
      'differs when other ids were declared, as many as are here',
      { declared: { total: 10, more: 2, less: 2 } },
      foundOf({ reasons: [MISSING] }),
      differs(MISSING, { code: 'declared_more', count: 2 }, { code: 'declared_less', count: 2 }),
    ],
    [
      'differs from what was declared before anything is checked, for now',
      { declared: { total: 12, more: 2 } },
      undefined,
      provisional(differs({ code: 'declared_more', count: 2 }, TO_BE_CHECKED)),
    ],
    [
      'differs from what was declared, which weighs more than records on the way',
      { declared: { total: 12, more: 2 }, deliveries: { waiting: 3 } },
      foundOf(),
      provisional(differs({ code: 'declared_more', count: 2 }, { code: 'on_the_way', count: 3 })),
    ],
    [
      'differs from what was declared, while the upstream is silent',
      { declared: { total: 12, more: 2 } },
      SILENT,
      differs({ code: 'declared_more', count: 2 }, ...SILENT.reasons),
    ],
    [
      'differs from what was declared, without an upstream',
      { declared: { total: 12, more: 2 }, hasUpstream: false },
      undefined,
      differs({ code: 'declared_more', count: 2 }),
    ],

    ['not to be told while the upstream is silent', {}, SILENT, cannotTell(...SILENT.reasons)],
    ['waiting, not silent, while the day lasts', { now: END - 1 }, SILENT, waiting(NOT_OVER)],
    [
      'waiting, not silent, when something came since',
      { counts: { here: 11 } },
      SILENT,
      waiting({ code: 'late_records', count: 1 }, TO_BE_CHECKED),
    ],
    ['not to be told without an upstream', { hasUpstream: false }, undefined, cannotTell({ code: 'no_upstream' })],
    [
      'not to be told without an upstream, by a check',
      { hasUpstream: false },
      UNASKED,
      cannotTell({ code: 'no_upstream' }),
    ],
    [
      'not to be told without an upstream, whatever waits for one',
      { hasUpstream: false, deliveries: { waiting: 10 }, cause: causeOf('no_upstream') },
      undefined,
      cannotTell({ code: 'no_upstream' }),
    ],
    [
      'complete without an upstream where so much was declared',
      { hasUpstream: false, declared: { total: 10 } },
      undefined,
      complete,
    ],
    [
      'complete without an upstream though something came since, when it was declared',
      { hasUpstream: false, declared: { total: 11 }, counts: { here: 11 } },
      UNASKED,
      complete,
    ],
    ['waiting to be checked where an upstream was set since', {}, UNASKED, waiting(TO_BE_CHECKED)],
    ['no less so where all that was declared is here', { declared: { total: 10 } }, UNASKED, waiting(TO_BE_CHECKED)],
  ])('%s', (_name, facts, newest, judgement) => {
    expect(judge(factsOf(facts), newest)).toEqual(judgement);
  });
});

describe('a check no longer holds', () => {
  test.each<Case>([
    [
      'when something came',
      { counts: { here: 11 } },
      foundOf(),
      waiting({ code: 'late_records', count: 1 }, TO_BE_CHECKED),
    ],
    [
      'when others send too, and it took theirs for a difference',
      { othersSend: true },
      foundOf({ basis: 'ids', reasons: [{ code: 'missing_here', count: 2 }] }),
      waiting(TO_BE_CHECKED),
    ],
    [
      'when others send no more, and it took theirs for a note',
      {},
      foundOf({ basis: 'ids', notes: [{ code: 'others_upstream', count: 2 }] }),
      waiting(TO_BE_CHECKED),
    ],
    ['when the upstream is another one', { url: 'https://other.test' }, foundOf(), waiting(TO_BE_CHECKED)],
    ['when it is one less than was compared', { counts: { here: 9 } }, foundOf(), waiting(TO_BE_CHECKED)],
    [
      'when one waits again',
      { deliveries: { waiting: 1, delivered: 9 } },
      foundOf({ reasons: [MISSING] }),
      waiting({ code: 'on_the_way', count: 1 }),
    ],
    [
      'when something was sent since',
      { counts: { lastAnsweredAt: SETTLED + HOUR + 1 } },
      foundOf({ reasons: [MISSING] }),
      waiting(TO_BE_CHECKED),
    ],
  ])('%s', (_name, facts, newest, judgement) => {
    const known = factsOf(facts);
    expect(newest && isInForce(newest, known)).toBe(false);
    expect(judge(known, newest)).toEqual(judgement);
  });

  test('not when the last record was sent just before', () => {
    expect(isInForce(foundOf(), factsOf({ counts: { lastAnsweredAt: SETTLED + HOUR } }))).toBe(true);
    expect(isInForce(foundOf(), factsOf({ counts: { lastAnsweredAt: null } }))).toBe(true);
  });
});

test.each([
  ['nothing was sent', null, END + SETTLE_MS],
  ['all was sent before its end', END - 1, END + SETTLE_MS],
  ['something was sent after it', END + 1, END + 1 + SETTLE_MS],
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
      'missing ones, by what became of them',
      { missing: missing('delivered', 'held', null, 'set aside', 'held', 'waiting') },
      [
        { code: 'missing_upstream', count: 3 },
        { code: 'held', count: 2 },
        { code: 'set_aside', count: 1 },
      ],
    ],
    ['only held ones', { missing: missing('held') }, [{ code: 'held', count: 1 }]],
    [
      'what is upstream',
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

  test('are stored with a verdict; the others are recalculated', () => {
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

  test('it is complete only if there is no reason against it, and final only if a check that is in force is', () => {
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
