// Tracks whether this machine's clock is wrong. The clock looks wrong if it shows a time before the build of this program, or
// before the arrival of the newest record. Records that arrive while the clock looks wrong are remembered, so that no till is
// blamed for our clock. A clock that was ahead and has been corrected also looks wrong. Clocks of other machines show which
// case it is: if a till's or the upstream's clock agrees with ours, the earlier records have the wrong time.

import { CLOCK_TOLERANCE_MS, isSameTime, judgeClock } from '../../health/clock-fault.ts';
import type { Arrival } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { openArrivalFinder } from './growth.ts';

/**
 * A till confirms our clock when its score reaches this number. Each of its sales that agrees with the clock adds one; any
 * other sale subtracts one, down to zero.
 */
const MIN_AGREEING = 3;

/** The records that arrived while the clock was wrong. */
interface FaultRange {
  readonly firstId: number;
  /** The id of the last record that arrived during the fault. Null while the fault lasts. */
  readonly lastId: number | null;
}

/** Reads when the newest record arrived. Ignores records whose arrival time is known to be wrong. Null without a record. */
export function openNewestReader(db: Connection): () => number | null {
  const selectFaults = openFaultReader(db);
  const selectArrival = db
    .prepare<[number], number>('SELECT received_at FROM records WHERE id <= ? ORDER BY id DESC LIMIT 1')
    .pluck();
  const selectLast = db.prepare<[], number | null>('SELECT max(id) FROM records').pluck();
  return () => {
    let id = selectLast.get() ?? 0;
    for (const { firstId, lastId } of selectFaults()) {
      if (id > (lastId ?? Infinity)) break;
      id = Math.min(id, firstId - 1);
    }
    return selectArrival.get(id) ?? null;
  };
}

/** Latest first. */
function openFaultReader(db: Connection): () => FaultRange[] {
  const select = db.prepare<[], FaultRange>(
    'SELECT first_record_id AS firstId, last_record_id AS lastId FROM clock_faults ORDER BY first_record_id DESC',
  );
  return () => select.all();
}

export interface ArrivalClock {
  /** Reads the stored state. Call it before the transaction adds its first record. */
  begin(): void;
  /** Stores, within the caller's transaction, whether an added record arrived while the clock was wrong. */
  note(recordId: number, arrival: Pick<Arrival, 'tillId' | 'receivedAt' | 'soldAt' | 'isTimedElsewhere'>): void;
  /**
   * Call it when another machine's clock shows the same time as ours, `now`. Ends a fault `before_newest`, within the caller's
   * transaction.
   */
  confirm(now: number): void;
  /** Call it after a failed transaction. */
  discard(): void;
}

interface ArrivalState {
  newestAt: number | null;
  /** The id of the first record of the fault that has not ended; undefined without such a fault. */
  openId: number | undefined;
  /** The score of each till, as in `MIN_AGREEING`. */
  readonly agreeing: Map<number, number>;
}

export function openArrivalClock(db: Connection, builtAt: number): ArrivalClock {
  const readNewest = openNewestReader(db);
  const readFaults = openFaultReader(db);
  const findFirstSince = openArrivalFinder(db);
  const insert = db.prepare('INSERT INTO clock_faults (first_record_id, last_record_id) VALUES (?, ?)');
  const close = db.prepare('UPDATE clock_faults SET last_record_id = ? WHERE first_record_id = ?');
  const remove = db.prepare('DELETE FROM clock_faults WHERE first_record_id = ?');
  const selectLast = db.prepare<[], number | null>('SELECT max(id) FROM records').pluck();
  let state: ArrivalState | undefined;

  function load(): ArrivalState {
    const openId = readFaults().find(({ lastId }) => lastId === null)?.firstId;
    return { newestAt: readNewest(), openId, agreeing: new Map() };
  }

  /**
   * Call it when the clock was ahead and is now corrected. Replaces the open fault by a fault of the earlier records that have
   * a later time than `now`. Earlier records come before the open fault or, without an open fault, end at `lastId`.
   */
  function blameEarlier(now: number, openId: number | undefined, lastId: number): void {
    if (openId !== undefined) remove.run(openId);
    const last = openId === undefined ? lastId : openId - 1;
    const known = readFaults()[0]?.lastId ?? 0;
    const firstId = findFirstSince(now + CLOCK_TOLERANCE_MS, known, last);
    if (firstId !== undefined) insert.run(firstId, last);
  }

  /**
   * Counts this sale of a till, and returns whether the till's sales confirm our clock. Counts each till separately, so that a
   * till with a wrong clock does not outvote the other tills.
   */
  function isAgreed(
    { agreeing }: ArrivalState,
    { tillId, soldAt, receivedAt }: Pick<Arrival, 'tillId' | 'soldAt' | 'receivedAt'>,
  ): boolean {
    const score = Math.max(0, (agreeing.get(tillId) ?? 0) + (isSameTime(soldAt * 1000, receivedAt) ? 1 : -1));
    agreeing.set(tillId, score);
    return score >= MIN_AGREEING;
  }

  return {
    begin: () => void (state ??= load()),
    note(recordId, arrival) {
      const { receivedAt, isTimedElsewhere } = arrival;
      const known = (state ??= load());
      const fault = judgeClock(receivedAt, builtAt, known.newestAt);
      if (fault === null) {
        if (known.openId !== undefined) close.run(recordId - 1, known.openId);
        state = { newestAt: Math.max(known.newestAt ?? 0, receivedAt), openId: undefined, agreeing: new Map() };
        return;
      }
      if (fault.code === 'before_newest' && isTimedElsewhere && isAgreed(known, arrival)) {
        blameEarlier(receivedAt, known.openId, recordId - 1);
        state = { newestAt: receivedAt, openId: undefined, agreeing: new Map() };
      } else if (known.openId === undefined) insert.run((known.openId = recordId), null);
    },
    confirm(now) {
      const known = load();
      if (judgeClock(now, builtAt, known.newestAt)?.code !== 'before_newest') return;
      blameEarlier(now, known.openId, selectLast.get() ?? 0);
      state = undefined;
    },
    discard() {
      state = undefined;
    },
  };
}
