// Store days for people: the current verdict of each day, and its reasons.

import type { Amount } from '../contract/amounts.ts';
import { DELIVERY_STATES, type DeliveryState } from '../contract/codes.ts';
import {
  type CheckRequest,
  type DayCheck,
  type DayRow,
  type DayRules,
  type DaySummary,
  type DaysView,
  type DayView,
  FINDING_KINDS,
  MAX_LISTED,
  type SignOffRequest,
} from '../contract/days.ts';
import type { GapsView } from '../contract/gaps.ts';
import type { Reason, Verdict } from '../contract/verdicts.ts';
import type { Clock } from '../lib/clock.ts';
import { listStoreDays, storeDayAt, storeDayOf } from '../store-day.ts';
import type { OpenCheck } from '../store/checks/ledger.ts';
import type { SentCounts } from '../store/days/ledger.ts';
import type { DeclaredMoney } from '../store/declared/ledger.ts';
import type { Store } from '../store/store.ts';
import { type RecordBehind, readBehind } from './behind.ts';
import {
  findAdministration,
  findJudgedDate,
  type KnownFacts,
  readDayFacts,
  readFacts,
  resendMissing,
} from './facts.ts';
import { listGaps } from './gap.ts';
import { isInForce, judge, restsOnAnswers } from './judge.ts';

export interface Days {
  /** Lists the days between two dates, YYYY-MM-DD, both included. Undefined for an unknown journal. */
  list(journalId: number, from: string, to: string): Promise<DaysView | undefined>;
  /**
   * Lists the sums by day, interface, type and till for the days between two dates; both dates are included. A day without
   * sales has no row. Undefined for an unknown journal.
   */
  listTillSums(journalId: number, from: string, to: string): Promise<readonly TillSum[] | undefined>;
  /** Returns one day, with the first records in each of its lists. Undefined for an unknown journal or date. */
  get(journalId: number, date: string): Promise<DayView | undefined>;
  /** Lists all records behind the numbers of a day. Undefined for an unknown journal or date. */
  listBehind(journalId: number, date: string): Promise<AsyncIterable<RecordBehind> | undefined>;
  /**
   * Lists numbers that are missing among the ids of a day, or between that day and the nearest days with sales. Undefined for
   * an unknown journal or date.
   */
  listGaps(journalId: number, date: string): Promise<GapsView | undefined>;
  /** Requests a check of days that have begun. Undefined for an unknown journal, or if none of the days has begun. */
  check(request: CheckRequest, actor: string): Promise<DayCheck | undefined>;
  /**
   * Sends the records again that the newest verdict found missing. Resolves to their number; undefined if the day has no
   * verdict.
   */
  sendAgain(journalId: number, date: string, actor: string): Promise<number | undefined>;
  /**
   * Signs a finished day that has not changed since the person saw it, or withdraws the signature. An incomplete day needs a
   * note.
   */
  sign(request: SignOffRequest, actor: string): Promise<SignResult>;
}

/** The NEW records of one day, interface, type and till. */
export type TillSum = Omit<DayRow, 'missingUpstream'> & { readonly date: string };

export type SignResult = 'done' | 'unknown' | 'not over' | 'changed' | 'note missing' | 'not signed';

export function openDays({ store, clock }: { readonly store: Store; readonly clock: Clock }): Days {
  function rulesOf(journalId: number): DayRules | undefined {
    return findAdministration(store, journalId)?.dayRules;
  }
  function factsOf(journalId: number, date: string): Promise<KnownFacts | undefined> {
    return readDayFacts(store, journalId, date, clock.now());
  }
  async function checksOf(journalId: number): Promise<DayCheck[]> {
    return (await store.checks.listOpen()).filter((each) => each.journalId === journalId).map(viewCheck);
  }

  return {
    async list(journalId, from, to) {
      const rules = rulesOf(journalId);
      if (rules === undefined) return undefined;
      const now = clock.now();
      const [facts, first, checks] = await Promise.all([
        readFacts(store, journalId, listStoreDays(from, to, rules), now),
        findJudgedDate(store, journalId),
        checksOf(journalId),
      ]);
      return {
        now,
        today: storeDayAt(now, rules).date,
        first: first ?? null,
        days: facts.map(summarize),
        checks,
      };
    },

    async listTillSums(journalId, from, to) {
      const rules = rulesOf(journalId);
      if (rules === undefined) return undefined;
      const sums: TillSum[] = [];
      // One day at a time, so that other queries can run in between.
      for (const day of listStoreDays(from, to, rules)) {
        const { rows } = await store.days.sum({ journalId, day, verdictId: undefined });
        sums.push(...rows.map(({ missingUpstream: _, ...row }) => ({ ...row, date: day.date })));
      }
      return sums;
    },

    async get(journalId, date) {
      const facts = await factsOf(journalId, date);
      if (facts === undefined) return undefined;
      const { day, known, counts } = facts;
      const verdictId = known?.verdict?.id;
      const [sums, entries, findings, declared, outages, sleeps, checks] = await Promise.all([
        store.days.sum({ journalId, day, verdictId }),
        store.verdicts.listEntries(journalId, date),
        verdictId === undefined
          ? []
          : Promise.all(
              FINDING_KINDS.map((kind) => store.verdicts.listFindings({ verdictId, kind, limit: MAX_LISTED })),
            ),
        store.declared.compareDay({ journalId, date, range: day }),
        store.outbox.listOutages(journalId, day),
        store.health.listSleeps(day),
        checksOf(journalId),
      ]);
      return {
        day: summarize(facts),
        records: sums.records,
        ...addSent(counts, counts.earlierSent),
        rows: sums.rows,
        findings: findings.flat(),
        declared,
        history: entries,
        outages,
        sleeps,
        checks: checks.filter((check) => check.from <= date && check.to >= date),
      };
    },

    async listBehind(journalId, date) {
      const facts = await factsOf(journalId, date);
      return facts && readBehind(store, { journalId, date, range: facts.day, verdictId: facts.known?.verdict?.id });
    },

    async listGaps(journalId, date) {
      const rules = rulesOf(journalId);
      const day = rules && storeDayOf(date, rules);
      return day && listGaps(store, journalId, date, rules);
    },

    async check({ journal: journalId, from, to, byIds, resend = false }, actor) {
      const rules = rulesOf(journalId);
      if (rules === undefined) return undefined;
      const askedAt = clock.now();
      const today = storeDayAt(askedAt, rules).date;
      if (from > today) return undefined;
      const wanted = { journalId, from, to: to > today ? today : to, byIds, resend, actor, askedAt };
      return viewCheck(await store.checks.request(wanted));
    },

    async sendAgain(journalId, date, actor) {
      const verdictId = (await factsOf(journalId, date))?.known?.verdict?.id;
      return verdictId === undefined ? undefined : resendMissing(store, journalId, verdictId, actor);
    },

    async sign({ journal: journalId, date, kind, signedFor: seen, name, note }, actor) {
      const facts = await factsOf(journalId, date);
      if (facts === undefined) return 'unknown';
      if (facts.day.to * 1000 > facts.now) return 'not over';
      const { verdict, declared, reasons, signedFor, signOff } = summarize(facts);
      const declaredAmounts = listDeclared(facts.declared.money);
      const { here, earlier } = facts.counts;
      if (kind === 'sign off' && signedFor !== seen) return 'changed';
      if (kind === 'sign off' && verdict !== 'complete' && note === '') return 'note missing';
      if (kind === 'take back' && signOff === null) return 'not signed';
      const signature = { journalId, date, kind, name, note, actor, at: facts.now };
      await store.verdicts.addSignOff({ ...signature, verdict, here, earlier, declared, declaredAmounts, reasons });
      return 'done';
    },
  };
}

/** Summarizes a day as it is now. */
function summarize(facts: KnownFacts): DaySummary {
  const { day, counts, declared, known, newest } = facts;
  const { signOff } = known ?? {};
  const judgement = judge(facts, newest);
  const { here, earlier, amounts } = counts;
  const earlierTaken = counts.earlierSent.deliveries.delivered;
  const there = restsOnAnswers(facts) ? 0 : (newest?.upstream ?? null);
  const isOnlyEarlier = here === 0 && earlier > 0 && there === 0;
  const signed: SignedFor = {
    ...judgement,
    here,
    earlier,
    declared: declared.total,
    declaredAmounts: listDeclared(declared.money),
  };
  const signedFor = describe(signed);
  return {
    ...day,
    ...judgement,
    notes: newest !== undefined && isInForce(newest, facts) ? newest.notes : [],
    basis: isOnlyEarlier ? 'answers' : (newest?.basis ?? null),
    here: here + earlier,
    amounts,
    earlier,
    earlierTaken,
    upstream: there === null ? null : there + earlierTaken,
    checkedAt: newest?.basis == null ? null : newest.at,
    passedAt: known?.passedAt ?? null,
    declared: declared.total,
    declaredAmounts: declared.money.amounts,
    signedFor,
    signOff:
      signOff === undefined
        ? null
        : {
            at: signOff.at,
            actor: signOff.actor,
            name: signOff.name,
            note: signOff.note,
            // Signatures made by old versions of the gateway cover the current interface alone, because those versions did not
            // count the earlier interface.
            isReopened:
              describe(signOff) !== describe({ ...signed, ...(signOff.earlier === null && { earlier: null }) }),
          },
  };
}

/** The facts that a signature covers, as a text. Leaves out times of next checks, because they always change. */
function describe({ verdict, here, earlier, declared, declaredAmounts, reasons }: SignedFor): string {
  return JSON.stringify([
    verdict,
    here,
    earlier,
    declared,
    ...(declaredAmounts.length > 0 ? [declaredAmounts] : []),
    ...reasons.map(({ code, count, amounts }) => (amounts === undefined ? [code, count] : [code, amounts])),
  ]);
}

/** Lists the declared amounts of a day, one per currency. */
function listDeclared({ amounts }: DeclaredMoney): Amount[] {
  return amounts.flatMap(({ currency, declared }) => (declared === null ? [] : [{ currency, value: declared }]));
}

interface SignedFor {
  readonly verdict: Verdict;
  readonly here: number;
  readonly earlier: number | null;
  readonly declared: number | null;
  readonly declaredAmounts: readonly Amount[];
  readonly reasons: readonly Reason[];
}

/** Adds the delivery counts of two interfaces. */
function addSent(one: SentCounts, other: SentCounts): SentCounts {
  const deliveries = DELIVERY_STATES.map((state) => [state, one.deliveries[state] + other.deliveries[state]] as const);
  const answers = [one.lastAnsweredAt, other.lastAnsweredAt].filter((at) => at !== null);
  return {
    deliveries: Object.fromEntries(deliveries) as Record<DeliveryState, number>,
    lastAnsweredAt: answers.length === 0 ? null : Math.max(...answers),
  };
}

function viewCheck({ journalId: _, ...check }: OpenCheck): DayCheck {
  return check;
}
