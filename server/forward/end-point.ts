// Decides which end points of the earlier interface are refused. On that interface, status 400 means that the end point is not
// valid (docs/interface.md#refusals). A record *passes* if its answer shows that the end point is valid. As long
// as no record has passed, one 400 makes an end point refused. Later, three 400s in a row do. The records of a refused end
// point wait, and one record at a time is sent to test whether the end point is valid again. No effects; the caller passes the
// time, which is monotonic.

import type { EndPoint, EndPointNote } from '../store/outbox/ledger.ts';
import { type BackOff, backOffMs } from './back-off.ts';

/**
 * Number of 400s in a row after which an end point is refused. The number starts at `least`. Each wrong refusal doubles it, up
 * to `most`. After `PASSES_IN_A_ROW` passes in a row, the number is `least` again.
 */
const IN_A_ROW = { least: 3, most: 96 };
const PASSES_IN_A_ROW = 16;
const REFUSED: BackOff = { firstMs: 1000, maxMs: 300_000 };
/**
 * The back-off for an end point that accepted records before. It is short: one till may send bad records, and the records of
 * other tills must not wait long because of them.
 */
const REFUSED_ONCE_VALID: BackOff = { firstMs: 1000, maxMs: 5000 };
/** Minimum time between two extra tests of an end point. New records cause an extra test. */
const EXTRA_TRY_EVERY_MS = 30_000;
/**
 * Maximum suspects in memory. A suspect is a record that got 400 while other records passed. Beyond this number, the oldest
 * suspect is forgotten.
 */
const MAX_SUSPECTS = 10_000;

export interface EndPoints {
  /**
   * Call it when a record got 400. Returns what is at fault: the record or its end point. If it is the end point, the record
   * waits until the end point is valid again.
   */
  judge(endPoint: EndPoint, recordId: number, now: number): 'record' | 'end point';
  /**
   * Call it when an answer to a record shows that its end point is valid. `delivered`: the record was accepted. `judged`: it
   * was rejected.
   */
  notePass(endPoint: EndPoint, as: 'delivered' | 'judged'): void;
  isRefused(endPoint: EndPoint): boolean;
  /** All refused end points. The end point with the latest 400 is first. */
  listRefused(): readonly EndPoint[];
  /**
   * Returns an end point whose test is due now. `place` tells which of its records to send, from 0 (oldest) to 1 (newest). Call
   * `endTry` afterwards.
   */
  takeDue(now: number): { readonly endPoint: EndPoint; readonly place: number } | undefined;
  /** Call it when a test has ended, whatever its result. */
  endTry(endPoint: EndPoint, now: number): void;
  /** The time of the next test. Infinity means never. */
  nextTryAt(): number;
  /** Call it when no record of the end point waits any more. The end point then counts as valid until the next 400. */
  noteEmpty(endPoint: EndPoint): void;
  /** Call it when new records have arrived: one of them may pass, so an extra test may be due. */
  noteNewRecords(now: number): void;
  /** Call it when a person asks to try now: all tests become due. */
  tryNow(): void;
  /** Call it when the lane gets another upstream. Forgets everything about the old upstream. */
  reset(): void;
}

export interface EndPointParts {
  /** The notes that `onChange` stored before the restart. */
  readonly notes: readonly EndPointNote[];
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Called with a note that must be stored. */
  readonly onChange: (note: EndPointNote) => void;
  /** Called when an end point becomes refused because these records got 400. Some of the records may already be held. */
  readonly onRefused: (endPoint: EndPoint, recordIds: readonly number[]) => void;
  /** Called when an end point is no longer refused. */
  readonly onValid: () => void;
}

interface Known {
  readonly endPoint: EndPoint;
  hasPassed: boolean;
  refusal: Refusal | undefined;
  /**
   * Records that got 400 consecutively while the end point was valid. A record of `suspects` is added only while this set has
   * fewer than `needed` records.
   */
  readonly inARow: Set<number>;
  /** Number of 400s in a row after which the end point is refused. */
  needed: number;
  passesInARow: number;
  /** Records that got 400 since the last record passed. */
  readonly refusedSincePass: Set<number>;
  /**
   * Records that got 400 shortly before another record of the end point passed. If one of them gets 400 again, the record is at
   * fault and not the end point.
   */
  readonly suspects: Set<number>;
}

interface Refusal {
  /** Number of tests that failed. */
  readonly tries: number;
  readonly nextAt: number;
  readonly isTrying: boolean;
  readonly isNewestWanted: boolean;
  /** Time of the last 400 to a record of the end point. */
  readonly at: number;
}

export function openEndPoints({ notes, random, onChange, onRefused, onValid }: EndPointParts): EndPoints {
  const all = new Map<string, Known>();
  let lastExtraTryAt = -Infinity;
  for (const { version, resource, hasPassed, isRefused, refusedInARow } of notes) {
    const known = knownOf({ version, resource });
    known.hasPassed = hasPassed;
    for (const id of refusedInARow) known.inARow.add(id);
    if (isRefused)
      known.refusal = { tries: 0, nextAt: -Infinity, isTrying: false, isNewestWanted: true, at: -Infinity };
  }

  function knownOf(endPoint: EndPoint): Known {
    const name = `${endPoint.version}/${endPoint.resource}`;
    const known = all.get(name) ?? {
      endPoint,
      hasPassed: false,
      refusal: undefined,
      inARow: new Set(),
      needed: IN_A_ROW.least,
      passesInARow: 0,
      refusedSincePass: new Set(),
      suspects: new Set(),
    };
    all.set(name, known);
    return known;
  }

  function tell({ endPoint: { version, resource }, hasPassed, refusal, inARow }: Known): void {
    onChange({ version, resource, hasPassed, isRefused: refusal !== undefined, refusedInARow: [...inARow] });
  }

  function listRefusals(): { readonly known: Known; readonly refusal: Refusal }[] {
    return [...all.values()].flatMap((known) => (known.refusal ? [{ known, refusal: known.refusal }] : []));
  }

  function backOffOf({ hasPassed }: Known): BackOff {
    return hasPassed ? REFUSED_ONCE_VALID : REFUSED;
  }

  /**
   * Whether enough consecutive records got 400 to refuse the end point. At least one of these records must not be in
   * `suspects`.
   */
  function isEvidence({ inARow, needed, suspects }: Known): boolean {
    return inARow.size >= needed && [...inARow].some((id) => !suspects.has(id));
  }

  function endRefusal(known: Known): void {
    const wasRefused = known.refusal !== undefined;
    known.refusal = undefined;
    known.inARow.clear();
    tell(known);
    // Calls `onValid` even if no record of the end point is in memory: records that arrived during the refusal were left on
    // disk.
    if (wasRefused) onValid();
  }

  return {
    judge(endPoint, recordId, now) {
      const known = knownOf(endPoint);
      known.refusedSincePass.add(recordId);
      known.passesInARow = 0;
      if (known.refusal !== undefined) {
        known.refusal = { ...known.refusal, at: now };
        return 'end point';
      }
      if (known.inARow.size >= known.needed && known.suspects.has(recordId)) return 'record';
      known.inARow.add(recordId);
      if (known.hasPassed && !isEvidence(known)) {
        tell(known);
        return 'record';
      }
      const nextAt = now + backOffMs(backOffOf(known), 0, random());
      known.refusal = { tries: 0, nextAt, isTrying: false, isNewestWanted: true, at: now };
      tell(known);
      onRefused(known.endPoint, [...known.inARow]);
      return 'end point';
    },
    notePass(endPoint, as) {
      const known = knownOf(endPoint);
      known.passesInARow += 1;
      if (known.passesInARow >= PASSES_IN_A_ROW) known.needed = IN_A_ROW.least;
      else if (known.refusal !== undefined && known.hasPassed) known.needed = Math.min(IN_A_ROW.most, 2 * known.needed);
      const isNews = (as === 'delivered' && !known.hasPassed) || known.inARow.size > 0 || known.refusal !== undefined;
      if (!isNews) return;
      known.hasPassed ||= as === 'delivered';
      for (const id of known.refusedSincePass) known.suspects.add(id);
      known.refusedSincePass.clear();
      for (const id of known.suspects) {
        if (known.suspects.size <= MAX_SUSPECTS) break;
        known.suspects.delete(id);
      }
      endRefusal(known);
    },
    isRefused: (endPoint) => all.get(`${endPoint.version}/${endPoint.resource}`)?.refusal !== undefined,
    listRefused: () =>
      listRefusals()
        .toSorted((a, b) => b.refusal.at - a.refusal.at)
        .map(({ known }) => known.endPoint),
    takeDue(now) {
      const due = listRefusals().find(({ refusal }) => !refusal.isTrying && refusal.nextAt <= now);
      if (due === undefined) return undefined;
      const { known, refusal } = due;
      known.refusal = { ...refusal, isTrying: true, isNewestWanted: false };
      // Tests the newest record, then the oldest, then two random records, and begins again. So one bad record does not fail
      // every test.
      const turn = refusal.tries % 4;
      const place = refusal.isNewestWanted || turn === 0 ? 1 : turn === 1 ? 0 : random();
      return { endPoint: known.endPoint, place };
    },
    endTry(endPoint, now) {
      const known = knownOf(endPoint);
      if (known.refusal?.isTrying !== true) return;
      const tries = known.refusal.tries + 1;
      const nextAt = now + backOffMs(backOffOf(known), tries, random());
      known.refusal = { ...known.refusal, tries, nextAt, isTrying: false };
    },
    nextTryAt: () =>
      listRefusals().reduce(
        (least, { refusal }) => (refusal.isTrying ? least : Math.min(least, refusal.nextAt)),
        Infinity,
      ),
    noteEmpty(endPoint) {
      endRefusal(knownOf(endPoint));
    },
    noteNewRecords(now) {
      const refusals = listRefusals();
      if (refusals.length === 0) return;
      const isExtra = now - lastExtraTryAt >= EXTRA_TRY_EVERY_MS;
      if (isExtra) lastExtraTryAt = now;
      for (const { known, refusal } of refusals)
        known.refusal = {
          ...refusal,
          isNewestWanted: true,
          nextAt: isExtra || known.hasPassed ? now : refusal.nextAt,
        };
    },
    tryNow() {
      for (const { known, refusal } of listRefusals()) known.refusal = { ...refusal, nextAt: -Infinity };
    },
    reset: () => all.clear(),
  };
}
