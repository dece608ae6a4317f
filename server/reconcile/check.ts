// Checks the days of a journal one after the other. For each day, it compares the records here with the upstream, and appends a
// verdict. It may then send missing records again and compare once more. An interrupted check resumes at the day that it had
// reached.

import type { Dispatcher } from 'undici';

import { causeOf } from '../cause.ts';
import { ACTORS, type Cause } from '../contract/codes.ts';
import type { Reason, ReasonCode } from '../contract/verdicts.ts';
import type { QueryPauses } from '../forward/query-pause.ts';
import { addDays } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import type { OpenCheck } from '../store/checks/ledger.ts';
import type { Store } from '../store/store.ts';
import type { NewFinding, NewVerdict } from '../store/verdicts/ledger.ts';
import { NoUpstreamError, openUpstreamSide } from './ask.ts';
import {
  compareAllIds,
  compareCounts,
  type Comparison,
  type HereSide,
  UnreadableError,
  type UpstreamSide,
} from './compare.ts';
import { findCurrentLane, type KnownFacts, readDayFacts, resendMissing } from './facts.ts';
import { isInForce, judge, notesOf, reasonsOf, settlesAt, type UpstreamResult } from './judge.ts';
import { pause } from './pause.ts';
import { openProgress, type ProgressParts } from './progress.ts';

export interface CheckParts extends Omit<ProgressParts, 'onLongSilence'> {
  readonly dispatcher: Dispatcher;
  /** Returns a random number from 0 to 1, for back-off times. */
  readonly random: () => number;
  readonly queryPauses?: QueryPauses | undefined;
  /** Whether this process also forwards records. If not, records that the check sends again wait until the check has ended. */
  readonly isForwarding: boolean;
  /** Its event `HURRY` ends the wait for an upstream that does not answer. The next query is then sent immediately. */
  readonly hurry?: EventTarget;
  /** Called when a verdict was appended. */
  readonly onVerdict: (verdict: NewVerdict) => void;
}

/** Maximum findings per write. */
const MAX_PER_WRITE = 1000;
/**
 * After missing records were sent again: interval at which the waiting records are counted, and maximum time without progress.
 */
const RESEND_POLL_MS = 100;
const MAX_WITHOUT_PROGRESS_MS = 15_000;

/** Checks every day that has begun. Rejects with the signal's reason when it is aborted, and with errors of the store. */
export async function runCheck(check: OpenCheck, parts: CheckParts): Promise<void> {
  const { store, clock, signal } = parts;
  const { journalId, to } = check;
  let date = check.next;

  const progress = openProgress(check, { ...parts, onLongSilence: (cause) => appendSilent(cause) });
  const upstream = openUpstreamSide({
    ...parts,
    ...progress,
    upstream: () => findCurrentLane(store, journalId)?.upstream ?? undefined,
  });

  /**
   * Appends a verdict with the reason that the upstream does not answer. Appends nothing if the last comparison still holds.
   */
  async function appendSilent(cause: Cause): Promise<void> {
    const facts = await factsOf(store, journalId, date, clock);
    if (facts === undefined || (facts.newest?.basis != null && isInForce(facts.newest, facts))) return;
    await append(facts, parts, noAnswer('upstream_silent', cause));
  }
  /**
   * Appends a verdict with the reason that the answer cannot be read. Otherwise an earlier `complete` would remain the newest
   * verdict.
   */
  async function appendUnreadable(cause: Cause): Promise<void> {
    const facts = await factsOf(store, journalId, date, clock);
    if (facts !== undefined) await append(facts, parts, noAnswer('upstream_unreadable', cause));
  }

  while (date <= to) {
    signal.throwIfAborted();
    const facts = await factsOf(store, journalId, date, clock);
    if (facts === undefined) break; // the day has not begun
    try {
      await checkDay(facts, check, upstream, parts);
    } catch (error) {
      if (error instanceof UnreadableError) await appendUnreadable(error.reason);
      else if (!(error instanceof NoUpstreamError)) throw error;
      else if (findCurrentLane(store, journalId)?.isKeyUnreadable === true) await appendSilent(causeOf('key_sealed'));
      else await append(facts, parts, NOTHING);
    }
    date = addDays(date, 1);
    await progress.goTo(date);
  }
  await store.checks.end(check.id, clock.now());
}

/** The result of a day that was not compared. */
const NOTHING = { basis: null, upstream: null, reasons: [], notes: [] } as const;

function noAnswer(code: ReasonCode, cause: Cause): CheckResult {
  return { ...NOTHING, reasons: [{ code, cause }] };
}

/** Reads the facts of a day; undefined if the day has not begun. */
async function factsOf(store: Store, journalId: number, date: string, clock: Clock): Promise<KnownFacts | undefined> {
  const now = clock.now();
  const facts = await readDayFacts(store, journalId, date, now);
  return facts !== undefined && facts.day.from * 1000 > now ? undefined : facts;
}

async function checkDay(facts: KnownFacts, check: OpenCheck, upstream: UpstreamSide, parts: CheckParts): Promise<void> {
  const { store, clock } = parts;
  const { journalId } = check;
  const { day } = facts;
  if (!facts.hasUpstream) return void (await append(facts, parts, NOTHING));
  if (day.from === day.to) return void (await append(facts, parts, { ...NOTHING, basis: 'counts', upstream: 0 }));
  const here = openHereSide(store, journalId, clock);
  const { othersSend } = facts;
  const byIds = check.byIds || othersSend || needsIds(facts);
  const compare = (): Promise<Comparison> =>
    (byIds ? compareAllIds : compareCounts)(day, { here, upstream, othersSend });

  const found = await compare();
  // Reads the facts again: the comparison may have waited hours for the upstream, and more records may have been sent since.
  const seen = (await factsOf(store, journalId, day.date, clock)) ?? facts;
  // If the clock shows a time before the last answer, the age of that answer is unknown.
  const isBehind = (seen.counts.lastAnsweredAt ?? 0) > seen.now;
  const isEarly = isBehind || seen.now < settlesAt(seen);
  // The check sends missing records again only once. If they are still missing after that, a person must decide.
  const mayHeal = check.resend || (!isEarly && !wasMissing(facts));
  const count = found.missing.filter(({ state }) => state === 'delivered').length;
  if (!mayHeal || count === 0) return void (await appendFound(found, reasonsOf(found)));
  const verdictId = await appendFound(found, [{ code: 'sent_again', count }]);
  await sendAgain(facts, verdictId, parts);
  if (!parts.isForwarding) return;
  const again = await compare();
  const resent: readonly Reason[] = again.missing.some(({ state }) => state === 'delivered')
    ? [{ code: 'sent_again', count }]
    : [];
  await appendFound(again, [...resent, ...reasonsOf(again)]);

  async function appendFound(comparison: Comparison, reasons: readonly Reason[]): Promise<number> {
    const after = await factsOf(store, journalId, day.date, clock);
    if (after === undefined) throw new Error(`the day ${day.date} no longer exists`);
    // Records that waited before or after the comparison may or may not be in the upstream's count.
    const waiting = Math.max(facts.counts.deliveries.waiting, after.counts.deliveries.waiting);
    const open = Math.max(comparison.open, waiting);
    // During the comparison, a person may have set another upstream, or changed the hours of the day. The verdict is about the
    // upstream and hours that were compared.
    const compared = { ...after, day, url: facts.url };
    const result = { ...comparison, reasons, notes: notesOf(comparison), open };
    return append(compared, parts, result, findingsOf(comparison));
  }
}

/** Whether the missing records were already sent again once, and are still missing or not visible yet. */
function wasMissing({ known }: KnownFacts): boolean {
  const codes = new Set(known?.verdict?.reasons.map(({ code }) => code));
  return codes.has('missing_upstream') || (codes.has('sent_again') && codes.has('not_seen_yet'));
}

/** Whether to compare ids. If ids differed before, equal counts do not prove that the difference is gone. */
function needsIds({ byIds, url, counts: { deliveries } }: KnownFacts): boolean {
  // Held and set-aside records are not upstream. Equal counts could hide this if the upstream has as many foreign records.
  if (deliveries.held > 0 || deliveries['set aside'] > 0) return true;
  return byIds !== undefined && byIds.url === url && byIds.reasons.length > 0;
}

/** The result of a check. `here` and `open` are absent if nothing was compared. */
type CheckResult = Pick<UpstreamResult, 'basis' | 'upstream' | 'reasons' | 'notes'> &
  Partial<Pick<UpstreamResult, 'here' | 'open'>>;

/** Judges a result and appends the verdict. Resolves to the verdict's id. */
async function append(
  facts: KnownFacts,
  { store, clock, onVerdict }: CheckParts,
  { basis, upstream, reasons, notes, here = facts.counts.here, open = 0 }: CheckResult,
  findings: readonly NewFinding[] = [],
): Promise<number> {
  const { day, journalId, url, counts } = facts;
  const now = clock.now();
  const isEarly = now < settlesAt({ ...facts, now });
  const result = { day, at: now, basis, url, here, open, upstream, reasons, notes };
  const judgement = judge({ ...facts, now }, { ...result, isProvisional: isEarly });
  // A comparison is provisional if not all records of the day could be visible upstream yet.
  const isProvisional = judgement.isProvisional || (basis !== null && isEarly);
  const earlier = { earlier: counts.earlier, earlierTaken: counts.earlierSent.deliveries.delivered };
  const verdict = { ...result, ...earlier, journalId, declared: facts.declared.total, ...judgement, isProvisional };
  const id = await store.verdicts.add(verdict);
  // Writes in parts, so that tills do not wait long for the disk.
  for (let at = 0; at < findings.length; at += MAX_PER_WRITE)
    await store.verdicts.addFindings(id, findings.slice(at, at + MAX_PER_WRITE));
  onVerdict(verdict);
  return id;
}

function findingsOf({ missing, foreign, twice, other }: Comparison): NewFinding[] {
  return [
    ...missing.map(({ recordId, externalId, type, soldAt }) => ({
      kind: 'missing upstream' as const,
      recordId,
      externalId,
      type,
      soldAt,
    })),
    ...foreign.map((record) => ({ kind: 'missing here' as const, recordId: null, ...record })),
    ...twice.map((record) => ({ kind: 'twice upstream' as const, recordId: null, ...record })),
    ...other.map((record) => ({ kind: 'other upstream' as const, ...record })),
  ];
}

/**
 * Sends the records again that a verdict found missing. If this process forwards, waits until no record of the day waits, or
 * until their number has not fallen for `MAX_WITHOUT_PROGRESS_MS`.
 */
async function sendAgain(facts: KnownFacts, verdictId: number, parts: CheckParts): Promise<void> {
  const { store, clock, isForwarding } = parts;
  const { journalId, day } = facts;
  await resendMissing(store, journalId, verdictId, ACTORS.gateway);
  let [least, since] = [Infinity, clock.monotonic()];
  while (isForwarding && clock.monotonic() - since < MAX_WITHOUT_PROGRESS_MS) {
    const [counts] = await store.days.count({ journalId, days: [day] });
    const waiting = counts?.deliveries.waiting ?? 0;
    if (waiting === 0) return;
    if (waiting < least) [least, since] = [waiting, clock.monotonic()];
    await pause(RESEND_POLL_MS, parts);
  }
}

function openHereSide(store: Store, journalId: number, clock: Clock): HereSide {
  return {
    count: async (range) => (await store.records.queryRange({ journalId, range, type: undefined, limit: 0 })).count,
    list: (range) => store.days.listRecords({ journalId, ...range }),
    sumAnswers: (range) => store.days.sumAnswers({ journalId, ...range }),
    findPlace: (range, place) => store.days.findPlace({ journalId, ...range, place }),
    findOriginals: (ids) => store.days.findOriginals(journalId, ids),
    now: clock.now,
  };
}
