// One lane: forwards the records of one journal and interface, oldest first, each until the upstream has it; holds what the
// upstream refuses; and tells a dead line from a record that the upstream can't cope with. Nothing here expires: what is not
// delivered waits in the store.

import type { Clock } from '../clock.ts';
import { assertNever } from '../errors.ts';
import type { Settlement, WaitingRecord } from '../store/delivery.ts';
import type { LaneNote, LaneSettings } from '../store/lane.ts';
import type { Store } from '../store/store.ts';
import { type Answer, type Meaning, meaningOf } from './answer.ts';
import { type BackOff, backOffMs } from './back-off.ts';
import { openBacklog } from './backlog.ts';
import { openLaneNotes } from './lane-note.ts';
import { openSettler } from './settler.ts';
import type { Send } from './upstream-client.ts';

/** Records underway at one time, at the most. */
const MOST_IN_FLIGHT = 16;
/**
 * While so many tills wait for the disk at once, records leave so far apart: their answers come first. A bound on the pace and
 * not on how many are underway, because over a long line a few underway would be next to nothing.
 */
const TILLS_FIRST = { fromUnanswered: 8, apartMs: 1 };
/** Of those underway, records that failed alone before: they must not take the place of others. */
const MOST_RETRIES_IN_FLIGHT = 1;
/** Outcomes that are not on disk yet; beyond them nothing is sent, because a crash would send it all again. */
const MOST_UNSETTLED = 1024;
/** So many records in a row without a proper answer, and it is the line; more, when it was up a moment ago. */
const LINE_DOWN_EVIDENCE = { usually: 3, whileUp: 8 };
const UP_FOR_MS = 10_000;
/** How often a new record may bring a probe forward while the line is down. */
const EXTRA_PROBE_EVERY_MS = 30_000;
/** How long a lane that closes waits for answers that are on their way. */
const LAST_ANSWERS_MS = 2000;

const LINE_DOWN: BackOff = { firstMs: 1000, mostMs: 300_000 };
const REFUSED: BackOff = { firstMs: 60_000, mostMs: 300_000 };
const STEPPED_BACK: BackOff = { firstMs: 1000, mostMs: 300_000 };
const SLOWED_DOWN: BackOff = { firstMs: 1000, mostMs: 60_000 };
/** What an upstream asks for is obeyed between these. */
const SHORTEST_SLOW_MS = 1000;
const LONGEST_SLOW_MS = 86_400_000;

export interface LaneParts {
  readonly store: Pick<Store, 'listWaiting' | 'settle' | 'noteLane' | 'load'>;
  readonly send: Send;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** The state of the lane, or its cause, is another. */
  readonly onState: (lane: LaneSettings, note: LaneNote) => void;
  /** The store failed; the lane tries again. */
  readonly onFault: (doing: string, error: unknown) => void;
}

export interface Lane {
  /** To be called whenever anything that people change has changed. */
  update(settings: LaneSettings): void;
  /** There may be new records. */
  wake(): void;
  /** Sends nothing more, and keeps the outcomes that come within two seconds. */
  close(): Promise<void>;
}

/** Why only a probe is sent, and that not yet. */
interface Halt {
  readonly state: 'line down' | 'refused';
  readonly cause: string;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Probes that failed. */
  readonly probes: number;
  /** Monotonic. */
  readonly nextAt: number;
}

/** A record that got no proper answer, since the line was last found down. */
interface Failure {
  readonly count: number;
  /** When it was sent for the first time; monotonic. */
  readonly firstSentAt: number;
}

export function openLane(initial: LaneSettings, { store, send, clock, random, onState, onFault }: LaneParts): Lane {
  let settings = initial;
  let isClosed = false;
  let cancelWake = (): void => {};
  let onAnswered = (): unknown => undefined;

  const backlog = openBacklog((after) => store.listWaiting(settings.id, after));
  const settler = openSettler(
    async (settlements) => {
      const strange = await store.settle(settings.id, settlements);
      if (strange.length > 0) onFault('settling', new Error(`records ${strange.join(', ')} were not waiting`));
    },
    clock,
    (settled) => {
      for (const { recordId, state } of settled) if (state !== 'waiting') backlog.forget(recordId);
      pump();
    },
    (error) => onFault('settling what was forwarded', error),
  );
  const notes = openLaneNotes({
    clock,
    write: (laneNote) => store.noteLane(settings.id, laneNote),
    onChange: (laneNote) => onState(settings, laneNote),
    onFault: (error) => onFault('noting the state of a lane', error),
  });

  const inFlight = new Set<number>();
  let retriesInFlight = 0;
  /** Monotonic. */
  let lastSentAt = -Infinity;
  let probing: number | undefined;
  let connection = new AbortController();
  /** How many records may be underway: grows with each success, shrinks with each failure. */
  let window = 1;

  let halt: Halt | undefined;
  const failures = new Map<number, Failure>();
  /** Records in a row without a proper answer. */
  const evidence = new Set<number>();
  let lastSuccessAt = -Infinity;
  /** When the newest record that passed was sent. */
  let lastPassSentAt = -Infinity;
  let lastExtraProbeAt = -Infinity;
  /** Whether a record that stepped back goes before the others when only one may go. */
  let isRetryNext = false;
  let slow: { readonly until: number; readonly times: number; readonly cause: string } | undefined;

  /** Sends what may be sent now, and sees to it that the rest is looked at when it is due. */
  function pump(): void {
    cancelWake();
    if (isClosed) return;
    notes.tell(describe());
    if (settings.isPaused || settings.upstream === null) return;
    const now = clock.monotonic();
    if (slow !== undefined && now < slow.until) return wakeAt(slow.until);
    if (halt === undefined) sendAll(now);
    else probe(halt, now);
    backlog.refill(now).then(
      (hasRead) => hasRead && pump(),
      (error: unknown) => {
        onFault('reading what waits', error);
        wakeAt(clock.monotonic() + 1000);
      },
    );
  }

  function wakeAt(at: number): void {
    cancelWake();
    if (at < Infinity) cancelWake = clock.after(Math.max(0, at - clock.monotonic()), pump);
  }

  /** A record that failed alone does not always take the only place. */
  function mayRetry(): boolean {
    return retriesInFlight < MOST_RETRIES_IN_FLIGHT && (window > 1 || isRetryNext || !backlog.hasQueued());
  }

  function sendAll(now: number): void {
    const hasRoom = (): boolean => inFlight.size < window && settler.pending() < MOST_UNSETTLED;
    const tillsWait = store.load().unanswered >= TILLS_FIRST.fromUnanswered;
    while (hasRoom()) {
      if (tillsWait && now < lastSentAt + TILLS_FIRST.apartMs) return wakeAt(lastSentAt + TILLS_FIRST.apartMs);
      const next = backlog.take(now, mayRetry());
      if (next === undefined) break;
      lastSentAt = now;
      dispatch(next.record, next.isRetry);
    }
    // Without room it is looked at again when there is some.
    if (hasRoom() && retriesInFlight < MOST_RETRIES_IN_FLIGHT) wakeAt(backlog.nextDueAt());
  }

  /** One record at a time finds out whether the line is up again, and never always the same one. */
  function probe({ nextAt }: Halt, now: number): void {
    if (inFlight.size > 0) return;
    if (now < nextAt) return wakeAt(nextAt);
    const record = backlog.takeProbe((recordId) => failures.get(recordId)?.count ?? 0);
    if (record === undefined) return;
    probing = record.recordId;
    dispatch(record, false);
  }

  function dispatch(record: WaitingRecord, isRetry: boolean): void {
    const { recordId, body } = record;
    const { upstream } = settings;
    if (upstream === null) return backlog.putBack(record);
    if (body === undefined)
      return settle(record, 'held', { answer: 'Its bytes on this disk are not those that came.', attempts: 0 });
    inFlight.add(recordId);
    if (isRetry) retriesInFlight += 1;
    const { signal } = connection;
    const sentAt = clock.monotonic();
    void send(record, upstream, signal).then((answer) => {
      inFlight.delete(recordId);
      if (isRetry) retriesInFlight -= 1;
      const isProbe = probing === recordId;
      if (isProbe) probing = undefined;
      if (signal.aborted) backlog.putBack(record);
      else take(record, answer, sentAt, isProbe);
      onAnswered();
      pump();
    });
  }

  function take(record: WaitingRecord, answer: Answer, sentAt: number, isProbe: boolean): void {
    const meaning = meaningOf(answer);
    if (isProbe) noteFailure(record, sentAt); // forgotten at once if it was none
    switch (meaning.kind) {
      case 'delivered':
        settle(record, 'delivered', { answer: null, status: statusOf(answer), upstreamStatus: meaning.upstreamStatus });
        return noteUp(record, sentAt);
      case 'record refused':
        settle(record, 'held', { answer: excerptOf(answer), status: statusOf(answer) });
        return noteUp(record, sentAt);
      case 'we are refused':
        backlog.putBack(record);
        return haltLane('refused', meaning.cause, REFUSED, isProbe);
      case 'line down':
        backlog.putBack(record);
        return haltLane('line down', meaning.cause, LINE_DOWN, isProbe);
      case 'not now':
        return slowDown(record, meaning, sentAt, isProbe);
      case 'unclear':
        return suspect(record, meaning.cause, answer, sentAt, isProbe);
      default:
        assertNever(meaning);
    }
  }

  /** The upstream has answered about a record, so the line is up. */
  function noteUp({ recordId }: WaitingRecord, sentAt: number): void {
    lastSuccessAt = clock.monotonic();
    lastPassSentAt = Math.max(lastPassSentAt, sentAt);
    evidence.clear();
    failures.delete(recordId);
    if (slow !== undefined && sentAt >= slow.until) slow = undefined; // not by what was underway when it was asked for
    isRetryNext = false; // the next time it is asked for, the same record goes first, then another
    window = Math.min(MOST_IN_FLIGHT, window + 1);
    endHalt();
  }

  /** That a record failed while the line was down was no attempt; if it fails on, it is known that others have passed. */
  function endHalt(): void {
    if (halt === undefined) return;
    halt = undefined;
    for (const [recordId, { firstSentAt }] of failures) failures.set(recordId, { count: 0, firstSentAt });
  }

  function haltLane(state: Halt['state'], cause: string, backOff: BackOff, isProbe: boolean): void {
    const isSame = halt?.state === state;
    // What was underway when it began, or a probe that was not one, says nothing new.
    if (isSame && !isProbe) return;
    const probes = isSame ? (halt?.probes ?? 0) + 1 : 0;
    const nextAt = clock.monotonic() + backOffMs(backOff, probes, random());
    halt = { state, cause, since: isSame ? (halt?.since ?? clock.now()) : clock.now(), probes, nextAt };
    window = 1;
    evidence.clear();
  }

  /** It is all of us that the upstream wants to be slower, unless others pass meanwhile: then it is this record. */
  function slowDown(
    record: WaitingRecord,
    { cause, retryAfterMs }: Extract<Meaning, { kind: 'not now' }>,
    sentAt: number,
    isProbe: boolean,
  ): void {
    const now = clock.monotonic();
    const { count = 0, firstSentAt = sentAt } = failures.get(record.recordId) ?? {};
    failures.set(record.recordId, { count: isProbe ? 0 : count, firstSentAt });
    const othersPass = lastPassSentAt > firstSentAt;
    // What was underway at the same time is told the same.
    const times = slow === undefined ? 1 : now < slow.until ? slow.times : slow.times + 1;
    const wanted = retryAfterMs ?? backOffMs(SLOWED_DOWN, times, random());
    const until = now + Math.min(Math.max(wanted, SHORTEST_SLOW_MS), LONGEST_SLOW_MS);
    // When the time has come another goes first, so that it is seen whether that one passes.
    backlog.stepBack(record, until);
    if (othersPass && halt === undefined) return;
    endHalt(); // it answers
    isRetryNext = !isRetryNext;
    slow = { cause, times, until: Math.max(until, slow?.until ?? 0) };
    window = Math.max(1, Math.floor(window / 2));
  }

  function noteFailure({ recordId }: WaitingRecord, sentAt: number): Failure {
    const { count, firstSentAt } = failures.get(recordId) ?? { count: 0, firstSentAt: sentAt };
    const failure = { count: count + 1, firstSentAt };
    failures.set(recordId, failure);
    return failure;
  }

  /**
   * No proper answer: it is the line, unless others pass meanwhile. Then the record steps back, and the attempt counts.
   */
  function suspect(record: WaitingRecord, cause: string, answer: Answer, sentAt: number, isProbe: boolean): void {
    if (halt !== undefined) {
      // It may be the record after all: a probe goes out of the way of the next.
      if (isProbe) backlog.stepBack(record, -Infinity);
      else backlog.putBack(record);
      return isProbe ? haltLane('line down', cause, LINE_DOWN, isProbe) : undefined;
    }
    const { count, firstSentAt } = noteFailure(record, sentAt);
    const now = clock.monotonic();
    const othersPass = lastPassSentAt > firstSentAt;
    if (othersPass) settle(record, 'waiting', { answer: cause, status: statusOf(answer) });
    else evidence.add(record.recordId);
    window = Math.max(1, Math.floor(window / 2));
    backlog.stepBack(record, now + backOffMs(STEPPED_BACK, count - 1, random()));

    const needed = now - lastSuccessAt < UP_FOR_MS ? LINE_DOWN_EVIDENCE.whileUp : LINE_DOWN_EVIDENCE.usually;
    const isOnlyOne = !othersPass && !backlog.hasFresh() && inFlight.size === 0;
    if (evidence.size < needed && !isOnlyOne) return;
    for (const each of evidence) failures.delete(each);
    backlog.recall();
    haltLane('line down', cause, LINE_DOWN, false);
  }

  function settle(
    { recordId }: WaitingRecord,
    state: Settlement['state'],
    {
      answer,
      status = null,
      upstreamStatus = null,
      attempts = 1,
    }: {
      readonly answer: string | null;
      readonly status?: number | null;
      readonly upstreamStatus?: Settlement['upstreamStatus'];
      readonly attempts?: number;
    },
  ): void {
    settler.add({ recordId, state, attempts, answeredAt: clock.now(), answerStatus: status, answer, upstreamStatus });
    if (state === 'delivered') notes.noteDelivery();
  }

  function describe(): Pick<LaneNote, 'state' | 'cause'> {
    if (settings.isPaused) return { state: 'paused', cause: 'Somebody paused it.' };
    if (settings.upstream === null) return { state: 'paused', cause: 'No upstream is set.' };
    if (halt !== undefined) return halt;
    if (slow !== undefined) return { state: 'running', cause: slow.cause };
    const steppedBack = backlog.steppedBack();
    if (steppedBack === 0) return { state: 'running', cause: null };
    const records = steppedBack === 1 ? '1 record gets' : `${steppedBack} records get`;
    return { state: 'running', cause: `${records} no proper answer while others pass; tried again by itself.` };
  }

  return {
    update(changed) {
      const { upstream, triedAt } = settings;
      settings = changed;
      const isMoved = changed.upstream?.url !== upstream?.url || changed.upstream?.token !== upstream?.token;
      if (isMoved) {
        connection.abort();
        connection = new AbortController();
        failures.clear();
        evidence.clear();
        window = 1;
      }
      if (isMoved || changed.triedAt !== triedAt) {
        slow = undefined;
        backlog.recall();
        if (halt !== undefined) halt = { ...halt, nextAt: -Infinity };
      }
      backlog.expectMore(true);
      pump();
    },
    wake() {
      backlog.expectMore(false);
      const now = clock.monotonic();
      if (halt?.state !== 'line down' || now - lastExtraProbeAt < EXTRA_PROBE_EVERY_MS) return pump();
      lastExtraProbeAt = now;
      const probeSoon = (): void => {
        if (halt !== undefined) halt = { ...halt, nextAt: now };
        pump();
      };
      backlog.refill(now).then(probeSoon, probeSoon); // with the new record among those that may be sent
    },
    async close() {
      isClosed = true;
      cancelWake();
      notes.close();
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const cancel = clock.after(LAST_ANSWERS_MS, end);
      const answered = new Promise<void>((resolve) => {
        onAnswered = () => inFlight.size === 0 && resolve();
        onAnswered();
      });
      await Promise.race([answered, isOver]);
      connection.abort();
      await Promise.race([settler.close(), isOver]);
      cancel();
    },
  };
}

function statusOf(answer: Answer): number | null {
  return answer.kind === 'answered' ? answer.status : null;
}

function excerptOf(answer: Answer): string | null {
  return answer.kind === 'answered' ? answer.excerpt : null;
}
