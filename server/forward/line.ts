// What a lane knows of its line, from the answers alone: whether records may go, how many at once, when to find out again,
// and what is to become of a record that drew an answer (design, section 5, "Forwarding"). It does nothing itself, and is told
// the time, which is monotonic throughout.

import type { Cause, LaneState } from '../contract/codes.ts';
import { assertNever } from '../errors.ts';
import type { Meaning } from './answer.ts';
import { type BackOff, backOffMs } from './back-off.ts';
import { MAX_PATIENCE_MS } from './patience.ts';

/** Records underway at one time, at the most. */
export const MAX_IN_FLIGHT = 16;
/** Of those, at the most a fourth are records that failed alone before: they must not take the place of others. */
const RETRY_SHARE = 1 / 4;
/**
 * So many records in a row without a proper answer, and the line is down; or is suspected, when it was up a moment ago.
 * That takes twice as many each time it proves wrong, until as many in a row pass as can be underway.
 */
const EVIDENCE = { usually: 3, whileUp: 8, most: 1024 };
const UP_FOR_MS = 10_000;
/** How often a new record may bring a probe forward while the line is down. */
const EXTRA_PROBE_EVERY_MS = 30_000;

const LINE_DOWN: BackOff = { firstMs: 1000, mostMs: 300_000 };
const REFUSED: BackOff = { firstMs: 60_000, mostMs: 300_000 };
const STEPPED_BACK: BackOff = { firstMs: 1000, mostMs: 300_000 };
const SLOWED_DOWN: BackOff = { firstMs: 1000, mostMs: 60_000 };
/** Added for a record that draws 429 again and again while others pass: each time the whole lane waits for it. */
const SLOWED_ALONE: BackOff = { firstMs: 10_000, mostMs: 300_000 };
/** What an upstream asks for is obeyed between this and `MAX_PATIENCE_MS`. */
const MIN_SLOW_MS = 1000;

/** A record that was sent. */
export interface Attempt {
  readonly recordId: number;
  readonly sentAt: number;
  /** Sent to find out about the line. */
  readonly isProbe: boolean;
  /** There is no other record to find out with. */
  readonly isOnlyOne: boolean;
}

/** What is to become of a record. */
export type Fate =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'held' }
  /** It goes again in its turn. */
  | { readonly kind: 'put back' }
  /** It goes again at its own time; where it is blamed, for that, the attempt counts. */
  | { readonly kind: 'step back'; readonly dueAt: number; readonly blamedFor: Cause | null };

/** Why only probes are sent. */
interface Halt {
  /** Suspected: records in a row had no proper answer, and another shows at once whether it is they or the line. */
  readonly state: 'suspected' | 'line down' | 'refused';
  readonly cause: Cause;
  /** Probes that failed. */
  readonly probes: number;
  /** When the next may go. */
  readonly nextAt: number;
}

export interface Line {
  /** Takes in the answer to a record and says what is to become of it. */
  judge(attempt: Attempt, meaning: Meaning, now: number): Fate;
  /** State and newest cause; no cause while nothing is the matter. */
  describe(now: number): { readonly state: LaneState; readonly cause: Cause | null };
  /** Why only probes are sent, if so. */
  halt(): Halt | undefined;
  /** Nothing is sent before this time, except what `takeTrial` allows. */
  quietUntil(): number;
  /** Whether a person asked to try now: one record may go before `quietUntil`. Says so once. */
  takeTrial(): boolean;
  /** How many records may be underway. */
  window(): number;
  /** How many of these may be records that stepped back; where only one may go, they and the others take turns. */
  mostRetries(hasOthers: boolean): number;
  /** Where in the store, from 0 to 1, the next probe is to be found; undefined for one of those at hand. */
  takeProbePlace(): number | undefined;
  /** Whether records fail and none has passed since. */
  isInTrouble(): boolean;
  /** How often a record has failed, lately. */
  failuresOf(recordId: number): number;
  /** There are new records: while the line is down one may find out at once, if none did so lately. */
  noteNewRecords(now: number): void;
  /** Somebody wants to know now. */
  tryNow(now: number): void;
  /** It is another line: nothing is known of it yet, but that the one before was down goes on until it answers. */
  reset(): void;
}

/** A record that got no proper answer. */
interface Failure {
  /** How often, since the line was last found up again. */
  readonly count: number;
  /** The last time. */
  readonly sentAt: number;
  /** How often the line had been found up again by then. */
  readonly recovery: number;
  /** Once others passed and it did not. */
  readonly wasAtFault: boolean;
  /** How often it drew 429 while others passed. */
  readonly slowed: number;
}
/** Of so many it is known; of more the oldest is forgotten. */
const MAX_FAILURES = 100_000;

/** The upstream wants to be left alone. */
interface Slow {
  readonly until: number;
  /** When it said so last. */
  readonly askedAt: number;
  readonly times: number;
  readonly cause: Cause;
}

const PUT_BACK: Fate = { kind: 'put back' };

/** `random` is from 0 to 1. */
export function openLine(random: () => number): Line {
  let halt: Halt | undefined;
  let slow: Slow | undefined;
  let isTrialWanted = false;
  /** Grows with each record that passes, shrinks when the line seems to have had too much. */
  let window = 1;
  let shrunkAt = -Infinity;
  const failures = new Map<number, Failure>();
  let recoveries = 0;
  /** Records in a row without a proper answer, and what was the matter with the last. */
  const evidence = new Set<number>();
  let evidenceCause: Cause | null = null;
  let evidenceAt = -Infinity;
  let evidenceWhileUp = EVIDENCE.whileUp;
  let passesInARow = 0;
  let lastPassAt = -Infinity;
  /** When the newest record that passed was sent. */
  let lastPassSentAt = -Infinity;
  let lastExtraProbeAt = -Infinity;
  let isNewestWanted = false;
  /** Whether a record that stepped back goes before the others when only one may go. */
  let isRetryNext = false;

  /** The upstream has answered about a record, so the line is up. */
  function notePass({ recordId, sentAt }: Attempt, now: number): void {
    lastPassAt = now;
    lastPassSentAt = Math.max(lastPassSentAt, sentAt);
    if (evidence.size > 0) evidence.clear(); // which is dear, even of nothing
    failures.delete(recordId);
    // Not by what was underway when it was asked for. What left since is a trial.
    if (slow !== undefined && sentAt > slow.askedAt) slow = undefined;
    if (slow === undefined) isTrialWanted = false;
    isRetryNext = false; // the next time it is asked for, the same record goes first, then another
    window = Math.min(MAX_IN_FLIGHT, window + 1);
    passesInARow += 1;
    if (passesInARow >= MAX_IN_FLIGHT) evidenceWhileUp = EVIDENCE.whileUp;
    else if (halt !== undefined) evidenceWhileUp = Math.min(EVIDENCE.most, 2 * evidenceWhileUp);
    endHalt();
  }

  /** That a record failed while the line was down was no attempt; if it fails on, it is known that others have passed. */
  function endHalt(): void {
    if (halt === undefined) return;
    if (halt.state !== 'suspected') recoveries += 1;
    halt = undefined;
  }

  function countOf(recordId: number): number {
    const failure = failures.get(recordId);
    return failure?.recovery === recoveries ? failure.count : 0;
  }

  /** Whether others have passed since this record was last sent without a proper answer, or while it was underway. */
  function isAtFault({ recordId, sentAt }: Attempt): boolean {
    return lastPassSentAt > (failures.get(recordId)?.sentAt ?? sentAt);
  }

  function noteFailure({ recordId, sentAt }: Attempt, count: number, isItsFault: boolean): void {
    const before = failures.get(recordId);
    const wasAtFault = isItsFault || before?.wasAtFault === true;
    failures.delete(recordId); // so that it is the newest
    failures.set(recordId, { count, sentAt, recovery: recoveries, wasAtFault, slowed: before?.slowed ?? 0 });
    const [oldest] = failures.keys();
    if (failures.size > MAX_FAILURES && oldest !== undefined) failures.delete(oldest);
  }

  function stop(state: 'line down' | 'refused', cause: Cause, attempt: Attempt, now: number): void {
    if (attempt.isProbe) noteFailure(attempt, countOf(attempt.recordId) + 1, false);
    const isSame = halt?.state === state;
    // What was underway when it began changes no back-off. Its cause is newer all the same.
    if (isSame && halt !== undefined && !attempt.isProbe) return void (halt = { ...halt, cause });
    const probes = isSame ? (halt?.probes ?? 0) + 1 : 0;
    const backOff = state === 'refused' ? REFUSED : LINE_DOWN;
    halt = { state, cause, probes, nextAt: now + backOffMs(backOff, probes, random()) };
    window = 1;
    // It was not these records.
    for (const recordId of evidence) failures.delete(recordId);
    evidence.clear();
  }

  /** No proper answer: it is the line, unless others pass meanwhile. */
  function suspect(attempt: Attempt, cause: Cause, now: number): Fate {
    if (halt !== undefined && halt.state !== 'suspected') {
      if (!attempt.isProbe) {
        if (halt.state === 'line down') halt = { ...halt, cause };
        return PUT_BACK;
      }
      stop('line down', cause, attempt, now);
      return { kind: 'step back', dueAt: -Infinity, blamedFor: null }; // out of the way of the next probe
    }
    const isItsFault = isAtFault(attempt);
    const count = countOf(attempt.recordId) + 1;
    noteFailure(attempt, count, isItsFault);
    // One that was at fault before says nothing about the line.
    const isEvidence = failures.get(attempt.recordId)?.wasAtFault === false;
    if (isEvidence) {
      evidence.add(attempt.recordId);
      evidenceCause = cause;
      evidenceAt = now;
      passesInARow = 0;
      shrink(attempt, now);
    }
    const isUp = now - lastPassAt < UP_FOR_MS;
    const isEnough = evidence.size >= (isUp ? evidenceWhileUp : EVIDENCE.usually);
    if (halt === undefined && isUp && isEnough) halt = { state: 'suspected', cause, probes: 0, nextAt: now };
    else if ((isEnough && attempt.isProbe) || (isEnough && !isUp) || (attempt.isOnlyOne && isEvidence)) {
      stop('line down', cause, attempt, now);
    }
    return {
      kind: 'step back',
      dueAt: now + backOffMs(STEPPED_BACK, count - 1, random()),
      blamedFor: isItsFault ? cause : null,
    };
  }

  /** Once for all that was underway at the same time. */
  function shrink({ sentAt }: Attempt, now: number): void {
    if (sentAt < shrunkAt) return;
    shrunkAt = now;
    window = Math.max(1, Math.floor(window / 2));
  }

  /** The whole lane obeys, whatever others draw meanwhile: the upstream’s limit is on all of our calls. */
  function slowDown(
    attempt: Attempt,
    { cause, retryAfterMs }: Extract<Meaning, { kind: 'not now' }>,
    now: number,
  ): Fate {
    const { recordId } = attempt;
    noteFailure(attempt, attempt.isProbe ? 0 : countOf(recordId), isAtFault(attempt));
    // What was underway at the same time is told the same.
    const times = slow === undefined ? 1 : now < slow.until ? slow.times : slow.times + 1;
    const wanted = retryAfterMs ?? backOffMs(SLOWED_DOWN, times - 1, random());
    const asked = now + Math.min(Math.max(wanted, MIN_SLOW_MS), MAX_PATIENCE_MS);
    const until = Math.max(asked, slow?.until ?? 0);
    endHalt(); // it answers
    isRetryNext = !isRetryNext;
    slow = { cause, times, until, askedAt: now };
    shrink(attempt, now);
    // When the time has come another goes first, so that it is seen whether that one passes.
    return { kind: 'step back', dueAt: until + slowedAloneMs(recordId), blamedFor: null };
  }

  /** How much longer than the lane a record waits that drew 429 more than once while others passed. */
  function slowedAloneMs(recordId: number): number {
    const failure = failures.get(recordId);
    if (failure?.wasAtFault !== true) return 0;
    const slowed = failure.slowed + 1;
    failures.set(recordId, { ...failure, slowed });
    return slowed === 1 ? 0 : backOffMs(SLOWED_ALONE, slowed - 2, random());
  }

  return {
    judge(attempt, meaning, now) {
      switch (meaning.kind) {
        case 'delivered':
          notePass(attempt, now);
          return { kind: 'delivered' };
        case 'record refused':
          notePass(attempt, now);
          return { kind: 'held' };
        case 'we are refused':
          stop('refused', meaning.cause, attempt, now);
          return PUT_BACK;
        case 'line down':
          stop('line down', meaning.cause, attempt, now);
          return PUT_BACK;
        case 'not now':
          return slowDown(attempt, meaning, now);
        case 'unclear':
          return suspect(attempt, meaning.cause, now);
        default:
          return assertNever(meaning);
      }
    },
    describe(now) {
      if (halt !== undefined && halt.state !== 'suspected') return { state: halt.state, cause: halt.cause };
      const isSlow = slow !== undefined && (now < slow.until || evidence.size === 0 || slow.askedAt > evidenceAt);
      if (slow !== undefined && isSlow) return { state: 'running', cause: slow.cause };
      return { state: 'running', cause: evidence.size > 0 ? evidenceCause : null };
    },
    halt: () => halt,
    quietUntil: () => slow?.until ?? -Infinity,
    takeTrial() {
      const isWanted = isTrialWanted;
      isTrialWanted = false;
      return isWanted;
    },
    window: () => window,
    mostRetries(hasOthers) {
      if (window === 1) return isRetryNext || !hasOthers ? 1 : 0;
      return Math.max(1, Math.floor(window * RETRY_SHARE));
    },
    takeProbePlace() {
      // The newest, one at hand, any of all that wait, one at hand: a row that the upstream can't cope with, wherever it is
      // and however long, does not hide the others.
      const isNewest = isNewestWanted || halt?.state === 'suspected';
      isNewestWanted = false;
      const turn = (halt?.probes ?? 0) % 4;
      if (isNewest || turn === 0) return 1;
      return turn === 2 ? random() : undefined;
    },
    isInTrouble: () => evidence.size > 0,
    failuresOf: countOf,
    noteNewRecords(now) {
      if (halt?.state !== 'line down' || now - lastExtraProbeAt < EXTRA_PROBE_EVERY_MS) return;
      lastExtraProbeAt = now;
      isNewestWanted = true;
      halt = { ...halt, nextAt: now };
    },
    tryNow(now) {
      isTrialWanted = slow !== undefined && now < slow.until;
      if (halt !== undefined) halt = { ...halt, nextAt: -Infinity };
    },
    reset() {
      failures.clear();
      evidence.clear();
      slow = undefined;
      evidenceWhileUp = EVIDENCE.whileUp;
      passesInARow = 0;
      lastPassAt = -Infinity;
      lastPassSentAt = -Infinity;
      window = 1;
    },
  };
}
