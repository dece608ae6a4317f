// One lane. It forwards the records of one journal and interface, oldest first, and stores the outcome of each record.
// `line.ts` and `end-point.ts` decide what an answer means for the record and for the other records of the lane. This module
// acts on their decisions. A record never expires.

import { causeOf, formatCause } from '../cause.ts';
import { assertNever } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { HealthLedger } from '../store/health/ledger.ts';
import type {
  OutboxLedger,
  Settlement,
  WaitingRecord,
  EndPoint,
  LaneNote,
  LaneSettings,
} from '../store/outbox/ledger.ts';
import { type Answer, type Meaning, meaningOf } from './answer.ts';
import { openBacklog } from './backlog.ts';
import { openEndPointNotes } from './end-point-note.ts';
import { openEndPointTests } from './end-point-test.ts';
import { openEndPoints } from './end-point.ts';
import { openInFlight } from './in-flight.ts';
import { openLaneNotes } from './lane-note.ts';
import { openLaneTimer } from './lane-timer.ts';
import { openLine } from './line.ts';
import { openProbeChoice } from './probe-choice.ts';
import type { QueryPauses } from './query-pause.ts';
import { openRelease, type ReleaseOutbox } from './release.ts';
import { openSettler } from './settler.ts';
import type { OpenUpstreamClient } from './upstream-client.ts';

/**
 * If `fromUnanswered` or more records of tills wait for the disk, the lane sends only one record every `apartMs`. Answers to
 * tills have priority. The lane limits the rate and not the number of records in flight, because a limit on the number would
 * nearly stop a slow line.
 */
const TILLS_FIRST = { fromUnanswered: 8, apartMs: 1 };
/**
 * Maximum outcomes that are not on disk yet. Beyond this number, nothing is sent, because after a crash all these records are
 * sent again.
 */
const MAX_UNSETTLED = 1024;
/** Delay before work is repeated after a failure of the store. */
const RETRY_MS = 1000;
/** Maximum wait of a closing lane for the answers to calls in flight. */
const LAST_ANSWERS_MS = 2000;

export interface LaneParts {
  readonly store: {
    readonly outbox: Pick<OutboxLedger, 'listWaiting' | 'findWaiting' | 'settle' | 'noteLane' | 'noteEndPoint'> &
      ReleaseOutbox;
    readonly health: Pick<HealthLedger, 'load'>;
  };
  readonly openClient: OpenUpstreamClient;
  /** Makes a header from the ids of the gateways that a record has passed through. */
  readonly viaOf: (senders: readonly string[]) => string;
  readonly clock: Clock;
  /** Gets every pause that the upstream requests from this lane, because queries must pause too. */
  readonly queryPauses: Pick<QueryPauses, 'noteRecords' | 'endRecords'>;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Called when the state of the lane, or the cause of the state, has changed. */
  readonly onState: (lane: LaneSettings, note: LaneNote) => void;
  /** Called when some work has failed; `doing` names the work. Failed writes to the store are retried. */
  readonly onFault: (doing: string, error: unknown) => void;
}

export interface Lane {
  /** Call it whenever people have changed a setting. */
  update(settings: LaneSettings): void;
  /** Call it when there may be new records. */
  wake(): void;
  /** Stops sending. Stores the outcomes that still arrive within two seconds. */
  close(): Promise<void>;
}

export function openLane(
  initial: LaneSettings,
  { store, openClient, viaOf, clock, random, queryPauses, onState, onFault }: LaneParts,
): Lane {
  let settings = initial;
  let isClosed = false;
  const timer = openLaneTimer(clock, pump);
  const inFlight = openInFlight();

  const endPoints = openEndPoints({
    notes: initial.endPoints,
    random,
    onChange: (note) => endPointNotes.keep(note),
    onRefused(endPoint, recordIds) {
      backlog.leaveBarred();
      release.releaseAt({ ...endPoint, recordIds });
    },
    onValid: () => backlog.expectAnywhere(),
  });
  const isBarred = ({ earlier }: Pick<WaitingRecord, 'earlier'>): boolean =>
    earlier !== undefined && endPoints.isRefused(earlier);
  const backlog = openBacklog(
    (after) => store.outbox.listWaiting(settings.id, after, { except: endPoints.listRefused() }),
    isBarred,
  );
  const settler = openSettler({
    clock,
    async settle(settlements) {
      const strange = await store.outbox.settle(settings.id, settlements);
      if (strange.length > 0)
        onFault('settling records that did not wait', new Error(`records ${strange.join(', ')} were not waiting`));
    },
    onSettled(settled) {
      for (const { recordId, state } of settled) if (state !== 'waiting') backlog.forget(recordId);
      pump();
    },
    onFault: (error) => onFault('settling forwarded records', error),
  });
  const notes = openLaneNotes({
    clock,
    write: (laneNote) => store.outbox.noteLane(settings.id, laneNote),
    onChange: (laneNote) => onState(settings, laneNote),
    onFault: (error) => onFault('noting the state of a lane', error),
  });

  const client = openClient();
  const line = openLine(random);
  const release = openRelease({
    outbox: store.outbox,
    settings: () => settings,
    flush: settler.flush,
    /** Forgets the end points, because they belong to the former upstream. Then reads all waiting records again. */
    onMove() {
      endPoints.reset();
      endPointNotes.reset();
      backlog.expectAnywhere();
      pump();
    },
    clock,
    onFault: (error) => onFault('releasing held records', error),
  });
  for (const { version, resource, isRefused, hasPassed, refusedInARow } of initial.endPoints)
    if (isRefused) release.releaseAt({ version, resource, recordIds: hasPassed ? refusedInARow : null });

  const endPointNotes = openEndPointNotes({
    write: (note) => store.outbox.noteEndPoint(settings.id, note),
    mayRetry: () => !release.isMoving(),
    clock,
    onFault: (error) => onFault('noting an end point', error),
  });
  const choice = openProbeChoice({
    outbox: store.outbox,
    laneId: () => settings.id,
    backlog,
    endPoints,
    line,
    random,
  });

  const endPointTests = openEndPointTests({
    endPoints,
    choose: choice.ofEndPoint,
    canSend: () => !isStopped() && line.halt() === undefined && clock.monotonic() >= line.quietUntil(),
    send: dispatch,
    leave: backlog.leave,
    onEnd(endPoint) {
      endPoints.endTry(endPoint, clock.monotonic());
      pump();
    },
    onFault: retryFor('choosing a record to test an end point'),
  });

  /** Monotonic. */
  let lastSentAt = -Infinity;
  /** Whether new records have arrived since a newest record was last sent ahead of older records. */
  let hasNew = false;
  /** Whether a probe is being chosen or is in flight. */
  let isProbing = false;

  /**
   * True if the lane must not send: it is paused, closed, restored, asking, without an upstream, or moving to another upstream.
   */
  function isStopped(): boolean {
    if (settings.asksUpTo !== null) return true;
    return isClosed || settings.isRestored || settings.isPaused || settings.upstream === null || release.isMoving();
  }

  /** Sends all records that may be sent now, and sets the timer for the next records. */
  function pump(): void {
    timer.cancel();
    if (isClosed) return;
    notes.tell(describe());
    if (isStopped()) return;
    const now = clock.monotonic();
    if (now < line.quietUntil()) {
      if (!isProbing && line.takeTrial()) sendProbe(choice.probe, 'trial');
      return timer.at(line.quietUntil());
    }
    const halt = line.halt();
    if (halt === undefined) {
      // Sends the newest record ahead of older records, so that a new sale does not wait behind records that fail.
      if (hasNew && line.isInTrouble() && !isProbing) {
        hasNew = false;
        sendProbe(choice.newest);
      }
      sendAll(now);
      timer.at(endPointTests.sendDue(now));
    }
    if (halt?.state === 'suspected' || (halt !== undefined && inFlight.count() === 0)) probe(halt.nextAt, now);
    backlog.refill(now).then((hasRead) => hasRead && pump(), retryFor('reading waiting records'));
  }

  function retryFor(doing: string): (error: unknown) => void {
    return (error) => {
      onFault(doing, error);
      timer.at(clock.monotonic() + RETRY_MS);
    };
  }

  function sendAll(now: number): void {
    const hasRoom = (): boolean => inFlight.count() < line.window() && settler.pending() < MAX_UNSETTLED;
    const mayRetry = (): boolean => inFlight.retries() < line.maxRetries(backlog.hasQueued());
    const tillsWait = store.health.load().unanswered >= TILLS_FIRST.fromUnanswered;
    while (hasRoom()) {
      if (tillsWait && now < lastSentAt + TILLS_FIRST.apartMs) return timer.at(lastSentAt + TILLS_FIRST.apartMs);
      const next = backlog.take(now, mayRetry());
      if (next === undefined) break;
      lastSentAt = now;
      dispatch(next.record, { isRetry: next.isRetry, isProbe: false });
    }
    // If there is no room for more calls, the next answer calls `pump` again.
    if (hasRoom() && mayRetry()) timer.at(backlog.nextDueAt());
  }

  /** Sends one record to test the line. If `dueAt` is in the future, only sets the timer. */
  function probe(dueAt: number, now: number): void {
    if (now < dueAt) return timer.at(dueAt);
    sendProbe(choice.probe);
  }

  function sendProbe(choose: () => Promise<WaitingRecord | undefined>, as: 'probe' | 'trial' = 'probe'): void {
    if (isProbing) return;
    isProbing = true;
    void choose()
      .catch(retryFor('choosing a record to test the line'))
      .then((record) => {
        isProbing = false;
        if (record === undefined) return;
        // While the record was being chosen, the lane may have stopped, or the upstream may have asked for a pause.
        const isQuiet = as === 'probe' && clock.monotonic() < line.quietUntil();
        if (isStopped() || isQuiet) return putBack(record);
        dispatch(record, { isRetry: false, isProbe: true });
      });
  }

  /** Sends a record. `tests` is set if the record tests a refused end point. */
  function dispatch(
    record: WaitingRecord,
    { isRetry, isProbe, tests }: { isRetry: boolean; isProbe: boolean; tests?: EndPoint },
  ): void {
    const { body } = record;
    const { upstream } = settings;
    if (upstream === null) {
      if (tests !== undefined) endPoints.endTry(tests, clock.monotonic());
      return putBack(record);
    }
    if (body === undefined) return settle(record, 'held', { answer: formatCause(causeOf('damaged')), attempts: 0 });
    isProbing ||= isProbe;
    const sentAt = clock.monotonic();
    const call = (signal: AbortSignal): Promise<Answer> =>
      client.send(record, { ...upstream, via: viaOf(settings.senders) }, signal);
    inFlight.start(call, isRetry, (answer) => {
      if (isProbe) isProbing = false;
      if (answer === undefined) putBack(record);
      else handleAnswer(record, answer, sentAt, isProbe);
      if (tests !== undefined) endPoints.endTry(tests, clock.monotonic());
      pump();
    });
  }

  function handleAnswer(record: WaitingRecord, answer: Answer, sentAt: number, isProbe: boolean): void {
    const meaning = meaningOf(answer);
    const isOnlyOne = !backlog.hasFresh() && inFlight.count() === 0;
    const wasDown = line.halt()?.state === 'down';
    const now = clock.monotonic();
    const wasQuiet = now < line.quietUntil();
    const fate = line.judge({ recordId: record.recordId, sentAt, isProbe, isOnlyOne }, meaning, now);
    const quietMs = line.quietUntil() - now;
    if (settings.upstream !== null && meaning.kind === 'not now')
      queryPauses.noteRecords(settings.upstream, quietMs, meaning.cause);
    else if (settings.upstream !== null && wasQuiet && quietMs < 0) queryPauses.endRecords(settings.upstream);
    const answered = answer.kind === 'answered' ? answer : undefined;
    const answerStatus = answered?.status ?? null;
    if (noteEndPointAnswer(record, meaning, answerStatus, now)) return backlog.leave(record);
    switch (fate.kind) {
      case 'delivered':
        settle(record, 'delivered', { answer: null, answerStatus, upstreamStatus: answered?.upstreamStatus ?? null });
        break;
      case 'held':
        settle(record, 'held', { answer: answered?.excerpt ?? null, answerStatus });
        break;
      case 'put back':
        putBack(record);
        break;
      case 'step back':
        if (fate.blamedFor !== null) settle(record, 'waiting', { answer: formatCause(fate.blamedFor), answerStatus });
        if (isBarred(record)) backlog.leave(record);
        else backlog.stepBack(record, fate.dueAt);
        break;
      default:
        assertNever(fate);
    }
    // This answer showed that the line is down. The records that stepped back were not at fault, and need not wait any longer.
    if (!wasDown && line.halt()?.state === 'down') backlog.recall();
  }

  /**
   * Updates the end point after an answer. Returns true if the end point is refused. The record then waits until the end point
   * is valid again.
   */
  function noteEndPointAnswer(
    { earlier, recordId }: WaitingRecord,
    { kind }: Meaning,
    answerStatus: number | null,
    now: number,
  ): boolean {
    if (earlier === undefined) return false;
    if (answerStatus === 400) return endPoints.judge(earlier, recordId, now) === 'end point';
    if (kind === 'delivered') endPoints.notePass(earlier, 'delivered');
    else if (kind === 'record refused') endPoints.notePass(earlier, 'judged');
    return false;
  }

  function putBack(record: WaitingRecord): void {
    if (isBarred(record)) backlog.leave(record);
    else backlog.putBack(record);
  }

  function settle(
    { recordId, status, soldAt }: WaitingRecord,
    state: Settlement['state'],
    {
      answer,
      answerStatus = null,
      upstreamStatus = null,
      attempts = 1,
    }: Pick<Settlement, 'answer'> & Partial<Pick<Settlement, 'answerStatus' | 'upstreamStatus' | 'attempts'>>,
  ): void {
    const answeredAt = clock.now();
    settler.add({ recordId, status, soldAt, state, attempts, answeredAt, answerStatus, answer, upstreamStatus });
    if (state === 'delivered') notes.noteDelivery();
  }

  function describe(): Pick<LaneNote, 'state' | 'cause'> {
    if (settings.isRestored && settings.upstream !== null) return { state: 'paused', cause: causeOf('restored') };
    if (settings.isPaused) return { state: 'paused', cause: causeOf('paused') };
    if (settings.isKeyUnreadable) return { state: 'refused', cause: causeOf('key_sealed') };
    if (settings.upstream === null) return { state: 'paused', cause: causeOf('no_upstream') };
    if (settings.asksUpTo !== null) return { state: 'paused', cause: causeOf('asking') };
    const lineNote = line.describe(clock.monotonic());
    if (lineNote.state !== 'running') return lineNote;
    // While the lane moves to another upstream, `endPoints` is still about the former upstream. Shows the first refused end
    // point in alphabetical order, so that the displayed cause does not keep changing.
    const [refused] = release.isMoving() ? [] : endPoints.listRefused().map(addressOf).toSorted();
    if (refused !== undefined) return { state: 'refused', cause: causeOf('end_point_refused', refused) };
    if (lineNote.cause !== null) return lineNote;
    const steppedBack = backlog.steppedBack();
    if (steppedBack === 0) return lineNote;
    return { state: 'running', cause: causeOf('passed_over', steppedBack) };
  }

  function addressOf({ version, resource }: EndPoint): string {
    return `${settings.upstream?.url ?? ''}/${version}/${resource}`;
  }

  return {
    update(changed) {
      const { upstream, triedAt } = settings;
      settings = changed;
      const isMoved = changed.upstream?.url !== upstream?.url || changed.upstream?.token !== upstream?.token;
      const left = isMoved ? inFlight.allAnswered() : Promise.resolve();
      if (isMoved) {
        inFlight.abandon();
        line.reset();
      }
      if (isMoved || changed.triedAt !== triedAt) {
        backlog.recall();
        line.tryNow(clock.monotonic());
        endPoints.tryNow();
      }
      release.follow(left);
      backlog.expectAnywhere();
      pump();
    },
    wake() {
      backlog.expectNew();
      hasNew = true;
      line.noteNewRecords(clock.monotonic());
      endPoints.noteNewRecords(clock.monotonic());
      pump();
    },
    async close() {
      isClosed = true;
      timer.cancel();
      release.close();
      notes.close();
      endPointNotes.close();
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const cancel = clock.after(LAST_ANSWERS_MS, end);
      await Promise.race([inFlight.allAnswered(), isOver]);
      inFlight.abandon();
      await Promise.race([settler.close(), isOver]);
      cancel();
      await client.close();
    },
  };
}
