// Whether this machine's own clock is wrong. It is where it stands before this program was built, or before the newest record
// arrived. Which records arrived meanwhile is kept with them, so that no till is blamed for our clock.
//
// A clock that was ahead and is right again looks the same. The tills tell the two apart: when a few sales in a row were sold just
// now by their clocks as well, the earlier records are those with the wrong time.

import type { ClockFault } from '../contract.ts';
import type { Connection } from './database.ts';
import { openArrivalFinder } from './growth.ts';

/** A clock that is set right by less is not worth a word. */
const TOLERANCE_MS = 5 * 60_000;
/** So many sales in a row whose tills agree with this clock. */
const MIN_AGREEING = 3;

/** Epoch milliseconds. `newestAt` is when the newest record arrived whose time is believed; null where there is none. */
export function judgeClock(now: number, builtAt: number, newestAt: number | null): ClockFault | null {
  if (now < builtAt) return { code: 'before_build', now, earliest: builtAt };
  if (newestAt !== null && now < newestAt - TOLERANCE_MS) return { code: 'before_newest', now, earliest: newestAt };
  return null;
}

interface Fault {
  readonly firstId: number;
  /** Null while it lasts. */
  readonly lastId: number | null;
}

/** Reads when the newest record arrived whose time is believed. */
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

/** The latest first. */
function openFaultReader(db: Connection): () => Fault[] {
  const select = db.prepare<[], Fault>(
    'SELECT first_record_id AS firstId, last_record_id AS lastId FROM clock_faults ORDER BY first_record_id DESC',
  );
  return () => select.all();
}

export interface ArrivalClock {
  /** Reads what is known before the first record of the caller's transaction is added. */
  begin(): void;
  /** Notes, in the caller's transaction, whether a record that was added arrived while the clock was wrong. */
  note(recordId: number, arrival: { readonly receivedAt: number; readonly soldAt: number }): void;
  /** The transaction has failed. */
  discard(): void;
}

export function openArrivalClock(db: Connection, builtAt: number): ArrivalClock {
  const readNewest = openNewestReader(db);
  const readFaults = openFaultReader(db);
  const findFirstSince = openArrivalFinder(db);
  const insert = db.prepare('INSERT INTO clock_faults (first_record_id, last_record_id) VALUES (?, ?)');
  const close = db.prepare('UPDATE clock_faults SET last_record_id = ? WHERE first_record_id = ?');
  const remove = db.prepare('DELETE FROM clock_faults WHERE first_record_id = ?');
  let state: { newestAt: number | null; openId: number | undefined; agreeing: number } | undefined;

  function load() {
    const openId = readFaults().find(({ lastId }) => lastId === null)?.firstId;
    return { newestAt: readNewest(), openId, agreeing: 0 };
  }

  /** The clock is right, and was ahead when the records after it arrived. */
  function blameEarlier(receivedAt: number, lastId: number): void {
    const known = readFaults()[0]?.lastId ?? 0;
    const firstId = findFirstSince(receivedAt + TOLERANCE_MS, known, lastId);
    if (firstId !== undefined) insert.run(firstId, lastId);
  }

  return {
    begin: () => void (state ??= load()),
    note(recordId, { receivedAt, soldAt }) {
      const known = (state ??= load());
      const fault = judgeClock(receivedAt, builtAt, known.newestAt);
      if (fault === null) {
        if (known.openId !== undefined) close.run(recordId - 1, known.openId);
        state = { newestAt: Math.max(known.newestAt ?? 0, receivedAt), openId: undefined, agreeing: 0 };
        return;
      }
      const isAgreed = fault.code === 'before_newest' && Math.abs(soldAt * 1000 - receivedAt) <= TOLERANCE_MS;
      known.agreeing = isAgreed ? known.agreeing + 1 : 0;
      if (known.agreeing < MIN_AGREEING) {
        if (known.openId === undefined) insert.run((known.openId = recordId), null);
        return;
      }
      if (known.openId !== undefined) remove.run(known.openId);
      blameEarlier(receivedAt, (known.openId ?? recordId) - 1);
      state = { newestAt: receivedAt, openId: undefined, agreeing: 0 };
    },
    discard() {
      state = undefined;
    },
  };
}
