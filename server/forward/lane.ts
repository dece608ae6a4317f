// One lane: forwards the records of one journal and interface, oldest first, each until the upstream has it, and keeps what
// became of them. What an answer means for the record and for the rest is decided elsewhere; here it is done. Nothing expires:
// what is not delivered waits in the store.

import { causeOf, formatCause } from '../cause.ts';
import { assertNever } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Health } from '../store/health/ledger.ts';
import type {
  Outbox,
  Settlement,
  WaitingRecord,
  EndPoint,
  EndPointNote,
  LaneNote,
  LaneSettings,
} from '../store/outbox/ledger.ts';
import { type Answer, type Meaning, meaningOf } from './answer.ts';
import { openBacklog } from './backlog.ts';
import { openEndPoints } from './end-point.ts';
import { openLaneNotes } from './lane-note.ts';
import { openLine } from './line.ts';
import type { Patience } from './patience.ts';
import { openRelease, type ReleaseOutbox } from './release.ts';
import { openSettler } from './settler.ts';
import type { OpenUpstreamClient } from './upstream-client.ts';

/**
 * While so many tills wait for the disk at once, records leave so far apart: their answers come first. A bound on the pace and
 * not on how many are underway, because over a long line a few underway would be next to nothing.
 */
const TILLS_FIRST = { fromUnanswered: 8, apartMs: 1 };
/** Outcomes that are not on disk yet; beyond them nothing is sent, because a crash would send it all again. */
const MAX_UNSETTLED = 1024;
/** When the store failed. */
const RETRY_MS = 1000;
/** How long a lane that closes waits for answers that are on their way. */
const LAST_ANSWERS_MS = 2000;

export interface LaneParts {
  readonly store: {
    readonly outbox: Pick<Outbox, 'listWaiting' | 'findWaiting' | 'settle' | 'noteLane' | 'noteEndPoint'> &
      ReleaseOutbox;
    readonly health: Pick<Health, 'load'>;
  };
  readonly openClient: OpenUpstreamClient;
  /** The header that tells through which gateways a record came, when it came from these. */
  readonly trailOf: (senders: readonly string[]) => string;
  readonly clock: Clock;
  /** Told what the upstream asks of the records. */
  readonly patience: Pick<Patience, 'noteRecords' | 'endRecords'>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** The state of the lane, or its cause, is another. */
  readonly onState: (lane: LaneSettings, note: LaneNote) => void;
  /** Something failed; what the store refused is tried again. */
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

export function openLane(
  initial: LaneSettings,
  { store, openClient, trailOf, clock, random, patience, onState, onFault }: LaneParts,
): Lane {
  let settings = initial;
  let isClosed = false;
  let cancelWake = (): void => {};
  /** Monotonic. */
  let wakesAt = Infinity;

  const endPoints = openEndPoints({
    notes: initial.endPoints,
    random,
    onChange: (note) => void keepEndPoint(note),
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
        onFault(
          'finding records settled that did not wait',
          new Error(`records ${strange.join(', ')} were not waiting`),
        );
    },
    onSettled(settled) {
      for (const { recordId, state } of settled) if (state !== 'waiting') backlog.forget(recordId);
      pump();
    },
    onFault: (error) => onFault('settling what was forwarded', error),
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
    /** What was known of the end points was about another upstream. */
    onMove() {
      endPoints.reset();
      unkeptEndPoints.clear();
      backlog.expectAnywhere();
      pump();
    },
    clock,
    onFault: (error) => onFault('releasing held records', error),
  });
  for (const { version, resource, isRefused, hasPassed, refusedInARow } of initial.endPoints)
    if (isRefused) release.releaseAt({ version, resource, recordIds: hasPassed ? refusedInARow : null });

  /** The newest note of each end point that is not on disk yet. */
  const unkeptEndPoints = new Map<string, EndPointNote>();

  async function keepEndPoint(note: EndPointNote): Promise<void> {
    const name = `${note.version}/${note.resource}`;
    const isNewest = (): boolean => unkeptEndPoints.get(name) === note;
    unkeptEndPoints.set(name, note);
    try {
      await store.outbox.noteEndPoint(settings.id, note);
      if (isNewest()) unkeptEndPoints.delete(name);
    } catch (error) {
      onFault('noting an end point', error);
      clock.after(RETRY_MS, () => void (isNewest() && !isClosed && !release.isMoving() && keepEndPoint(note)));
    }
  }

  /** No Set: see `openAbortHandlers`. */
  let underway: readonly Promise<void>[] = [];
  let retriesInFlight = 0;
  /** Monotonic. */
  let lastSentAt = -Infinity;
  /** Records came since the newest was last sent out of turn. */
  let hasNew = false;
  /** A probe is chosen or underway. */
  let isProbing = false;
  let givingUp = new AbortController();

  /** Sends what may be sent now, and sees to it that the rest is looked at when it is due. */
  function pump(): void {
    stopWaking();
    if (isClosed) return;
    notes.tell(describe());
    if (settings.isPaused || settings.upstream === null || release.isMoving()) return;
    const now = clock.monotonic();
    if (now < line.quietUntil()) {
      if (!isProbing && line.takeTrial()) sendProbe(chooseProbe, 'trial');
      return wakeAt(line.quietUntil());
    }
    const halt = line.halt();
    if (halt === undefined) {
      // Whatever the others run into, a sale of just now is not to wait behind them.
      if (hasNew && line.isInTrouble() && !isProbing) {
        hasNew = false;
        sendProbe(() => takeWaiting(1));
      }
      sendAll(now);
      tryEndPoints(now);
    }
    if (halt?.state === 'suspected' || (halt !== undefined && underway.length === 0)) probe(halt.nextAt, now);
    backlog.refill(now).then((hasRead) => hasRead && pump(), retryFor('reading what waits'));
  }

  /** The earliest that is asked for counts. */
  function wakeAt(at: number): void {
    if (at >= wakesAt) return;
    stopWaking();
    wakesAt = at;
    cancelWake = clock.after(Math.max(0, at - clock.monotonic()), pump);
  }

  function stopWaking(): void {
    cancelWake();
    wakesAt = Infinity;
  }

  function retryFor(doing: string): (error: unknown) => void {
    return (error) => {
      onFault(doing, error);
      wakeAt(clock.monotonic() + RETRY_MS);
    };
  }

  function sendAll(now: number): void {
    const hasRoom = (): boolean => underway.length < line.window() && settler.pending() < MAX_UNSETTLED;
    const mayRetry = (): boolean => retriesInFlight < line.maxRetries(backlog.hasQueued());
    const tillsWait = store.health.load().unanswered >= TILLS_FIRST.fromUnanswered;
    while (hasRoom()) {
      if (tillsWait && now < lastSentAt + TILLS_FIRST.apartMs) return wakeAt(lastSentAt + TILLS_FIRST.apartMs);
      const next = backlog.take(now, mayRetry());
      if (next === undefined) break;
      lastSentAt = now;
      dispatch(next.record, { isRetry: next.isRetry, isProbe: false });
    }
    // Without room it is looked at again when there is some.
    if (hasRoom() && mayRetry()) wakeAt(backlog.nextDueAt());
  }

  /** One record at a time finds out about the line, and never always the same one. */
  function probe(dueAt: number, now: number): void {
    if (now < dueAt) return wakeAt(dueAt);
    sendProbe(chooseProbe);
  }

  function takeWaiting(place: number): Promise<WaitingRecord | undefined> {
    const choice = { except: endPoints.listRefused() };
    return backlog.takeFound(() => store.outbox.findWaiting(settings.id, place, choice));
  }

  /** One record at a time finds out whether a refused end point is valid by now. */
  function tryEndPoints(now: number): void {
    for (let due = endPoints.takeDue(now); due !== undefined; due = endPoints.takeDue(now)) {
      const { endPoint, place } = due;
      void takeWaitingAt(endPoint, place)
        .catch(retryFor('choosing a record to try an end point with'))
        .then((record) => tryWith(endPoint, record ?? undefined));
    }
    wakeAt(endPoints.nextTryAt());
  }

  function tryWith(endPoint: EndPoint, record: WaitingRecord | undefined): void {
    if (record?.body !== undefined && mayTry())
      return dispatch(record, { isRetry: false, isProbe: false, tries: endPoint });
    // A damaged record never leaves, so it tries nothing: it is held, and another is chosen the next time.
    if (record !== undefined && record.body === undefined) dispatch(record, { isRetry: false, isProbe: false });
    else if (record !== undefined) backlog.leave(record);
    endPoints.endTry(endPoint, clock.monotonic());
    pump();
  }

  /** The lane may have stopped while the record was being looked for. */
  function mayTry(): boolean {
    if (isClosed || settings.isPaused || release.isMoving() || line.halt() !== undefined) return false;
    return clock.monotonic() >= line.quietUntil();
  }

  /** Undefined where every one is underway. Where none waits any more, the end point is no longer refused. */
  async function takeWaitingAt(endPoint: EndPoint, place: number): Promise<WaitingRecord | undefined> {
    const choice = { only: endPoint };
    let isEmpty = true;
    const found = await backlog.takeFound(async () => {
      const there = await store.outbox.findWaiting(settings.id, place, choice);
      if (there !== undefined) isEmpty = false;
      if (there !== undefined && !backlog.isKnown(there.recordId)) return there;
      for (let after = 0, hasMore = true; hasMore;) {
        const page = await store.outbox.listWaiting(settings.id, after, choice);
        if (page.records.length > 0) isEmpty = false;
        const free = page.records.find(({ recordId }) => !backlog.isKnown(recordId));
        if (free !== undefined) return free;
        after = page.last;
        hasMore = page.hasMore;
      }
      return undefined;
    });
    if (isEmpty) endPoints.noteEmpty(endPoint);
    return found;
  }

  function sendProbe(choose: () => Promise<WaitingRecord | undefined>, as: 'probe' | 'trial' = 'probe'): void {
    if (isProbing) return;
    isProbing = true;
    void choose()
      .catch(retryFor('choosing a record to try the line with'))
      .then((record) => {
        isProbing = false;
        if (record === undefined) return;
        // The upstream may have asked for patience while the record was being looked for.
        const isQuiet = as === 'probe' && clock.monotonic() < line.quietUntil();
        if (isClosed || settings.isPaused || isQuiet || release.isMoving()) return putBack(record);
        dispatch(record, { isRetry: false, isProbe: true });
      });
  }

  async function chooseProbe(): Promise<WaitingRecord | undefined> {
    const place = line.takeProbePlace();
    const found = place === undefined ? undefined : await takeWaiting(place);
    const atHand = found ?? backlog.takeProbe(line.failuresOf);
    const [endPoint] = endPoints.listRefused();
    if (atHand !== undefined || endPoint === undefined) return atHand;
    return takeWaitingAt(endPoint, place ?? random());
  }

  /** `tries` is the end point that this finds out about. */
  function dispatch(
    record: WaitingRecord,
    { isRetry, isProbe, tries }: { isRetry: boolean; isProbe: boolean; tries?: EndPoint },
  ): void {
    const { body } = record;
    const { upstream } = settings;
    if (upstream === null) {
      if (tries !== undefined) endPoints.endTry(tries, clock.monotonic());
      return putBack(record);
    }
    if (body === undefined) return settle(record, 'held', { answer: formatCause(causeOf('damaged')), attempts: 0 });
    if (isRetry) retriesInFlight += 1;
    isProbing ||= isProbe;
    const { signal } = givingUp;
    const sentAt = clock.monotonic();
    const call = client.send(record, { ...upstream, trail: trailOf(settings.senders) }, signal).then((answer) => {
      underway = underway.filter((each) => each !== call);
      if (isRetry) retriesInFlight -= 1;
      if (isProbe) isProbing = false;
      if (signal.aborted) putBack(record);
      else take(record, answer, sentAt, isProbe);
      if (tries !== undefined) endPoints.endTry(tries, clock.monotonic());
      pump();
    });
    underway = [...underway, call];
  }

  function take(record: WaitingRecord, answer: Answer, sentAt: number, isProbe: boolean): void {
    const meaning = meaningOf(answer);
    const isOnlyOne = !backlog.hasFresh() && underway.length === 0;
    const wasDown = line.halt()?.state === 'down';
    const now = clock.monotonic();
    const wasQuiet = now < line.quietUntil();
    const fate = line.judge({ recordId: record.recordId, sentAt, isProbe, isOnlyOne }, meaning, now);
    const quietMs = line.quietUntil() - now;
    if (settings.upstream !== null && meaning.kind === 'not now')
      patience.noteRecords(settings.upstream, quietMs, meaning.cause);
    else if (settings.upstream !== null && wasQuiet && quietMs < 0) patience.endRecords(settings.upstream);
    const answered = answer.kind === 'answered' ? answer : undefined;
    const answerStatus = answered?.status ?? null;
    if (isEndPointRefused(record, meaning, answerStatus, now)) return backlog.leave(record);
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
    // It was the line and not the records.
    if (!wasDown && line.halt()?.state === 'down') backlog.recall();
  }

  /** Takes in what an answer says of the end point; whether the record waits with it. */
  function isEndPointRefused(
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
    if (settings.isPaused) return { state: 'paused', cause: causeOf('paused') };
    if (settings.isKeyUnreadable) return { state: 'refused', cause: causeOf('key_sealed') };
    if (settings.upstream === null) return { state: 'paused', cause: causeOf('no_upstream') };
    const said = line.describe(clock.monotonic());
    if (said.state !== 'running') return said;
    // What is known of the end points of the upstream before says nothing of this one. The first by name, so that it stays the same.
    const [refused] = release.isMoving() ? [] : endPoints.listRefused().map(addressOf).toSorted();
    if (refused !== undefined) return { state: 'refused', cause: causeOf('end_point_refused', refused) };
    if (said.cause !== null) return said;
    const steppedBack = backlog.steppedBack();
    if (steppedBack === 0) return said;
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
      const left = isMoved ? Promise.all(underway) : Promise.resolve();
      if (isMoved) {
        givingUp.abort();
        givingUp = new AbortController();
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
      stopWaking();
      release.close();
      notes.close();
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const cancel = clock.after(LAST_ANSWERS_MS, end);
      await Promise.race([Promise.all(underway), isOver]);
      givingUp.abort();
      await Promise.race([settler.close(), isOver]);
      cancel();
      await client.close();
    },
  };
}
