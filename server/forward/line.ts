// The line of one lane. From the answers alone, it decides whether records may be sent, how many may be in flight, when to
// probe, and what happens to each record. `line-state.ts` has the table of states and transitions. This module counts failures,
// turns them into events, and adapts the maximum number of records in flight (the window). `pause.ts` keeps the pause. No
// effects; the caller passes the time, which is monotonic.

import type { Cause, LaneState } from '../contract/codes.ts';
import { assertNever } from '../errors.ts';
import type { Meaning } from './answer.ts';
import { type BackOff, backOffMs } from './back-off.ts';
import { type Halt, type LineEvent, type LineState, nextLineState, transitionOf } from './line-state.ts';
import { openPause } from './pause.ts';
import { openRecordFailures } from './record-failure.ts';

/** Maximum records in flight. */
export const MAX_IN_FLIGHT = 16;
/** Maximum share of retries among the records in flight. The rest of the places is for records that were not tried yet. */
const RETRY_SHARE = 1 / 4;
/**
 * Number of consecutive failures after which the line may be at fault: `usually`, or `whileUp` if another record passed lately.
 * After `whileUp` failures, the line is only suspected. Each wrong suspicion doubles `whileUp`, up to `most`. When
 * `MAX_IN_FLIGHT` consecutive records have passed, `whileUp` is reset.
 */
const EVIDENCE = { usually: 3, whileUp: 8, most: 1024 };
const UP_FOR_MS = 10_000;
/** Minimum time between two extra probes. If new records arrive while the line is down, an extra probe is sent. */
const EXTRA_PROBE_EVERY_MS = 30_000;

const STEPPED_BACK: BackOff = { firstMs: 1000, maxMs: 300_000 };

/** An attempt to send a record. */
export interface Attempt {
  readonly recordId: number;
  readonly sentAt: number;
  /** Whether the record was sent to test the line. */
  readonly isProbe: boolean;
  /** True if no other waiting record could test the line. */
  readonly isOnlyOne: boolean;
}

/** What the lane does with a record after its answer. */
export type Fate =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'held' }
  /** The record goes back to its place in the queue, and is sent again. */
  | { readonly kind: 'put back' }
  /**
   * The record is sent again at `dueAt`. If `blamedFor` has a cause, the record itself is at fault, and the attempt is counted.
   */
  | { readonly kind: 'step back'; readonly dueAt: number; readonly blamedFor: Cause | null };

export interface Line {
  /** Processes the answer to a record. Returns what happens to the record. */
  judge(attempt: Attempt, meaning: Meaning, now: number): Fate;
  /** State and newest cause; the cause is null while nothing is wrong. */
  describe(now: number): { readonly state: LaneState; readonly cause: Cause | null };
  /** The state in which only probes are sent. Undefined while the line is up. */
  halt(): Halt | undefined;
  /** Nothing is sent before this time, except a trial (`takeTrial`). */
  quietUntil(): number;
  /** True if one record may be sent before `quietUntil`, because a person asked to try now. True only once per request. */
  takeTrial(): boolean;
  /** Maximum number of records in flight at this moment. */
  window(): number;
  /**
   * Maximum number of retries in flight. If only one record may be in flight, retries and other records take turns. `hasOthers`
   * says whether other records wait.
   */
  maxRetries(hasOthers: boolean): number;
  /**
   * The place of the next probe among the waiting records in the store, from 0 (oldest) to 1 (newest). If undefined, the probe
   * is chosen from memory.
   */
  takeProbePlace(): number | undefined;
  /** Whether records have failed and no record has passed after them. */
  isInTrouble(): boolean;
  /** Number of times that a record has failed since the line last recovered. */
  failuresOf(recordId: number): number;
  /** Call it when new records have arrived. While the line is down, an extra probe may then be sent immediately. */
  noteNewRecords(now: number): void;
  /** Call it when a person asks to try now: one record may be sent immediately. */
  tryNow(now: number): void;
  /**
   * Call it when the lane gets another upstream. Forgets everything except the state; the state stays until the new upstream
   * answers.
   */
  reset(): void;
}

const PUT_BACK: Fate = { kind: 'put back' };

/** Opens a line. `random` returns a number from 0 to 1. */
export function openLine(random: () => number): Line {
  let state: LineState;
  let pause = openPause(random);
  /** Maximum records in flight. It grows with each record that passes, and is halved when records fail. */
  let window = 1;
  let shrunkAt = -Infinity;
  const failures = openRecordFailures();
  /** Records that failed consecutively. Leaves out records that were ever at fault, because they say nothing about the line. */
  const evidence = new Set<number>();
  let evidenceCause: Cause | null = null;
  let evidenceAt = -Infinity;
  let evidenceWhileUp = EVIDENCE.whileUp;
  let passesInARow = 0;
  let lastPassAt = -Infinity;
  let lastExtraProbeAt = -Infinity;
  let isNewestWanted = false;

  /** Changes the state of the line after an event. */
  function enter(event: LineEvent, attempt: Attempt, cause: Cause | null, now: number): void {
    const { to, stay } = transitionOf(state, event);
    // Failures while the line was down were the line's fault, so they do not count as attempts of the records.
    if (to === 'up' && state !== undefined && state.state !== 'suspected') failures.noteRecovery();
    state = nextLineState(state, event, { cause, now, random });
    const isBegun = stay === undefined && (to === 'down' || to === 'refused');
    if (!isBegun && stay !== 'extend back-off') return;
    if (attempt.isProbe) failures.note(attempt, failures.countOf(attempt.recordId) + 1, false);
    window = 1;
    failures.forget(evidence); // the line was at fault, not these records
    evidence.clear();
  }

  /** Call it when the upstream has accepted or rejected a record. Then the line is up. */
  function notePass(attempt: Attempt, now: number): void {
    lastPassAt = now;
    failures.notePass(attempt);
    if (evidence.size > 0) evidence.clear(); // the check saves time, because clearing is slow even if the set is empty
    pause.notePass(attempt.sentAt);
    window = Math.min(MAX_IN_FLIGHT, window + 1);
    passesInARow += 1;
    if (passesInARow >= MAX_IN_FLIGHT) evidenceWhileUp = EVIDENCE.whileUp;
    else if (state !== undefined) evidenceWhileUp = Math.min(EVIDENCE.most, 2 * evidenceWhileUp);
    enter('pass', attempt, null, now);
  }

  /** Processes a refusal of all our calls, or a missing connection. No record is at fault. */
  function stop(event: 'refusal' | 'unreachable', cause: Cause, attempt: Attempt, now: number): Fate {
    const ofProbe = event === 'refusal' ? 'refused probe' : 'unreachable probe';
    enter(attempt.isProbe ? ofProbe : event, attempt, cause, now);
    return PUT_BACK;
  }

  /** Processes an attempt without a proper answer. Either the line or the record may be at fault. */
  function suspect(attempt: Attempt, cause: Cause, now: number): Fate {
    if (state !== undefined && state.state !== 'suspected') {
      enter(attempt.isProbe ? 'failed probe' : 'failure', attempt, cause, now);
      // A failed probe steps back, so that the next probe is another record.
      return attempt.isProbe ? { kind: 'step back', dueAt: -Infinity, blamedFor: null } : PUT_BACK;
    }
    const isAtFault = failures.isAtFault(attempt);
    const count = failures.countOf(attempt.recordId) + 1;
    failures.note(attempt, count, isAtFault);
    // A record that was ever at fault says nothing about the line.
    const isEvidence = !failures.wasAtFault(attempt.recordId);
    if (isEvidence) {
      evidence.add(attempt.recordId);
      evidenceCause = cause;
      evidenceAt = now;
      passesInARow = 0;
      shrinkWindow(attempt, now);
    }
    enter(eventOfFailure(attempt, isEvidence, now), attempt, cause, now);
    return {
      kind: 'step back',
      dueAt: now + backOffMs(STEPPED_BACK, count - 1, random()),
      blamedFor: isAtFault ? cause : null,
    };
  }

  /** Decides which event follows from this failure and the consecutive failures before it. */
  function eventOfFailure({ isProbe, isOnlyOne }: Attempt, isEvidence: boolean, now: number): LineEvent {
    const hasPassedLately = now - lastPassAt < UP_FOR_MS;
    const isEnough = evidence.size >= (hasPassedLately ? evidenceWhileUp : EVIDENCE.usually);
    const isOnlyHope = isOnlyOne && isEvidence;
    if (isEnough && hasPassedLately) return isProbe || isOnlyHope ? 'failures and failed probe' : 'failures in a row';
    if (isEnough || (isOnlyHope && !hasPassedLately)) return 'conclusive failure';
    return isProbe ? 'failed probe' : 'failure';
  }

  /** Halves the window. Several failures of records that were in flight together count only once. */
  function shrinkWindow({ sentAt }: Attempt, now: number): void {
    if (sentAt < shrunkAt) return;
    shrunkAt = now;
    window = Math.max(1, Math.floor(window / 2));
  }

  /** Pauses the whole lane, even if the upstream still accepts other records: its limit is for all our calls together. */
  function slowDown(
    attempt: Attempt,
    { cause, retryAfterMs }: Extract<Meaning, { kind: 'not now' }>,
    now: number,
  ): Fate {
    const { recordId } = attempt;
    failures.note(attempt, attempt.isProbe ? 0 : failures.countOf(recordId), failures.isAtFault(attempt));
    const until = pause.note(cause, retryAfterMs, now);
    enter('slow down', attempt, cause, now);
    shrinkWindow(attempt, now);
    return { kind: 'step back', dueAt: until + failures.slowedAloneMs(recordId, random), blamedFor: null };
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
          return stop('refusal', meaning.cause, attempt, now);
        case 'line down':
          return stop('unreachable', meaning.cause, attempt, now);
        case 'not now':
          return slowDown(attempt, meaning, now);
        case 'unclear':
          return suspect(attempt, meaning.cause, now);
        default:
          return assertNever(meaning);
      }
    },
    describe(now) {
      if (state?.state === 'down') return { state: 'line down', cause: state.cause };
      if (state?.state === 'refused') return { state: 'refused', cause: state.cause };
      const asked = pause.last();
      const isNewest = asked !== undefined && (now < asked.until || evidence.size === 0 || asked.askedAt > evidenceAt);
      if (isNewest) return { state: 'running', cause: asked.cause };
      return { state: 'running', cause: evidence.size > 0 ? evidenceCause : null };
    },
    halt: () => state,
    quietUntil: () => pause.until(),
    takeTrial: () => pause.takeTrial(),
    window: () => window,
    maxRetries(hasOthers) {
      if (window === 1) return pause.isRetryNext() || !hasOthers ? 1 : 0;
      return Math.max(1, Math.floor(window * RETRY_SHARE));
    },
    takeProbePlace() {
      // The probes repeat this cycle: the newest record, one from memory, a random record, one from memory. Otherwise several
      // bad records could fail every probe.
      const isNewest = isNewestWanted || state?.state === 'suspected';
      isNewestWanted = false;
      const turn = (state?.probes ?? 0) % 4;
      if (isNewest || turn === 0) return 1;
      return turn === 2 ? random() : undefined;
    },
    isInTrouble: () => evidence.size > 0,
    failuresOf: failures.countOf,
    noteNewRecords(now) {
      if (state?.state !== 'down' || now - lastExtraProbeAt < EXTRA_PROBE_EVERY_MS) return;
      lastExtraProbeAt = now;
      isNewestWanted = true;
      state = { ...state, nextAt: now };
    },
    tryNow(now) {
      pause.tryNow(now);
      if (state !== undefined) state = { ...state, nextAt: -Infinity };
    },
    reset() {
      failures.reset();
      evidence.clear();
      pause = openPause(random);
      evidenceWhileUp = EVIDENCE.whileUp;
      passesInARow = 0;
      lastPassAt = -Infinity;
      window = 1;
    },
  };
}
