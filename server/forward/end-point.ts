// The end points of the earlier interface, where 400 means that the end point is not valid (docs/interface.md#refusals). An end
// point is refused if it answers 400 before any record passed, or to three records in a row. Then its records wait, and are
// sent one at a time to test it. A record *passes* if its answer shows that the end point is valid. No effects; the caller gives
// the time, which is monotonic.

import type { EndPoint, EndPointNote } from '../store/outbox/ledger.ts';
import { type BackOff, backOffMs } from './back-off.ts';

/**
 * Number of 400s in a row after which an end point is refused. It starts at `least` and doubles after each wrong refusal, up to
 * `most`. When `PASSES_IN_A_ROW` records pass, it is `least` again.
 */
const IN_A_ROW = { least: 3, most: 96 };
const PASSES_IN_A_ROW = 16;
const REFUSED: BackOff = { firstMs: 1000, maxMs: 300_000 };
/**
 * The shorter back-off of an end point that accepted records before. If one till sends bad records, records of other tills must not
 * wait long.
 */
const REFUSED_ONCE_VALID: BackOff = { firstMs: 1000, maxMs: 5000 };
/** Minimum time between extra tests of an end point. An extra test is made when new records arrive. */
const EXTRA_TRY_EVERY_MS = 30_000;
/** Maximum suspects in memory: records that got 400 while others passed. The oldest is forgotten first. */
const MAX_SUSPECTS = 10_000;

export interface EndPoints {
  /** A record got 400. Returns which is at fault: the record, or its end point, with which the record then waits. */
  judge(endPoint: EndPoint, recordId: number, now: number): 'record' | 'end point';
  /** Call it when a record's answer shows that its end point is valid: the record was accepted (`delivered`) or rejected. */
  notePass(endPoint: EndPoint, as: 'delivered' | 'judged'): void;
  isRefused(endPoint: EndPoint): boolean;
  /** All refused end points, the last refused first. */
  listRefused(): readonly EndPoint[];
  /** An end point to test now, and the place of its record, from 0 (oldest) to 1 (newest). `endTry` must follow. */
  takeDue(now: number): { readonly endPoint: EndPoint; readonly place: number } | undefined;
  /** Call it when a test has ended, whatever its result. */
  endTry(endPoint: EndPoint, now: number): void;
  /** When the next test is due; Infinity for never. */
  nextTryAt(): number;
  /** Call it when no record of the end point waits any more. It then counts as valid until the next 400. */
  noteEmpty(endPoint: EndPoint): void;
  /** Call it when new records have arrived: one of them may pass, so an extra test may be due. */
  noteNewRecords(now: number): void;
  /** Call it when a person asks to try now: all tests become due. */
  tryNow(): void;
  /** Call it when the lane gets another upstream: forgets everything about the old one. */
  reset(): void;
}

export interface EndPointParts {
  /** The notes that `onChange` stored before the restart. */
  readonly notes: readonly EndPointNote[];
  /** From 0 to 1. */
  readonly random: () => number;
  /** Called with a note to store. */
  readonly onChange: (note: EndPointNote) => void;
  /** Called when 400s to these records have made an end point refused. Some of the records may be held already. */
  readonly onRefused: (endPoint: EndPoint, recordIds: readonly number[]) => void;
  /** An end point is no longer refused. */
  readonly onValid: () => void;
}

interface Known {
  readonly endPoint: EndPoint;
  hasPassed: boolean;
  refusal: Refusal | undefined;
  /** Records that got 400 in a row while the end point was valid. Suspects are added only until `needed` is reached. */
  readonly inARow: Set<number>;
  /** Number of 400s in a row after which the end point is refused. */
  needed: number;
  passesInARow: number;
  /** Records that got 400 since the last record passed. */
  readonly refusedSincePass: Set<number>;
  /** Records that got 400 before another record passed, so the end point was valid. Another 400 is their own fault. */
  readonly suspects: Set<number>;
}

interface Refusal {
  /** Tests that failed. */
  readonly tries: number;
  readonly nextAt: number;
  readonly isTrying: boolean;
  readonly isNewestWanted: boolean;
  /** When a record of the end point last got 400. */
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

  /** Enough 400s in a row, and at least one from a record that is no suspect. */
  function isEvidence({ inARow, needed, suspects }: Known): boolean {
    return inARow.size >= needed && [...inARow].some((id) => !suspects.has(id));
  }

  function endRefusal(known: Known): void {
    const wasRefused = known.refusal !== undefined;
    known.refusal = undefined;
    known.inARow.clear();
    tell(known);
    // Calls `onValid` even if no record of the end point waits in memory: records that arrived while it was refused were not read.
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
      // Tests the newest record, then the oldest, then any, so that one bad record does not fail every test.
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
