// What a lane knows of the end points of the earlier interface, where 400 says that the end point is not valid (specification
// 7). An end point is refused when it answers 400 and nothing has passed there, and when three records in a row draw 400.
// Its records wait then, and one at a time tries it. It does nothing itself, and is told the time, which is monotonic.

import type { EndPoint, EndPointNote } from '../store/outbox/ledger.ts';
import { type BackOff, backOffMs } from './back-off.ts';

/** This many 400s in a row refuse the end point; twice as many each time that proves wrong, until as many in a row pass. */
const IN_A_ROW = { least: 3, most: 96 };
const PASSES_IN_A_ROW = 16;
const REFUSED: BackOff = { firstMs: 1000, mostMs: 300_000 };
/** Of one where something has passed: it may be a till that sends bad records, and the others must not wait for those. */
const REFUSED_ONCE_VALID: BackOff = { firstMs: 1000, mostMs: 5000 };
/** How often a new record may bring a try forward. */
const EXTRA_TRY_EVERY_MS = 30_000;
/** Records of an end point that are known to have drawn 400 while others passed; of more the oldest is forgotten. */
const MAX_SUSPECTS = 10_000;

export interface EndPoints {
  /** A record drew 400: says whether that is the record's own matter, or waits with its end point. */
  judge(endPoint: EndPoint, recordId: number, now: number): 'record' | 'end point';
  /** A record drew an answer that only a valid end point gives; `delivered` where it was taken. */
  notePass(endPoint: EndPoint, as: 'delivered' | 'judged'): void;
  isRefused(endPoint: EndPoint): boolean;
  /** Every refused one; that which was refused last comes first. */
  listRefused(): readonly EndPoint[];
  /** One that is to be tried now, and where its record is to be found, from 0, the oldest, to 1; `endTry` must follow. */
  takeDue(now: number): { readonly endPoint: EndPoint; readonly place: number } | undefined;
  /** A try is over, whatever it came to. */
  endTry(endPoint: EndPoint, now: number): void;
  /** Infinity where nothing is to be tried. */
  nextTryAt(): number;
  /** No record waits there any more: it is not refused until the next one says so. */
  noteEmpty(endPoint: EndPoint): void;
  /** New records came: one of them may be the one that passes. */
  noteNewRecords(now: number): void;
  /** Somebody wants to know now. */
  tryNow(): void;
  /** They are those of another upstream. */
  reset(): void;
}

export interface EndPointParts {
  /** What was kept. */
  readonly notes: readonly EndPointNote[];
  /** From 0 to 1. */
  readonly random: () => number;
  /** What is to be kept has changed. */
  readonly onChange: (note: EndPointNote) => void;
  /** It has just been found refused, by these records: they may have been held before it was. */
  readonly onRefused: (endPoint: EndPoint, recordIds: readonly number[]) => void;
  /** It is no longer refused. */
  readonly onValid: () => void;
}

interface Known {
  readonly endPoint: EndPoint;
  hasPassed: boolean;
  refusal: Refusal | undefined;
  /** Records that drew 400 in a row, while it was not refused; of suspects no more than count. */
  readonly inARow: Set<number>;
  /** How many in a row it takes. */
  needed: number;
  passesInARow: number;
  /** Records that drew 400 since one passed. */
  readonly refusedSincePass: Set<number>;
  /** Records that drew 400 while the end point was valid: another 400 is their own fault. */
  readonly suspects: Set<number>;
}

interface Refusal {
  /** Tries that came to nothing. */
  readonly tries: number;
  readonly nextAt: number;
  readonly isTrying: boolean;
  readonly isNewestWanted: boolean;
  /** When it was last said to be so. */
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

  /** At least one of them must not be a suspect. */
  function isEvidence({ inARow, needed, suspects }: Known): boolean {
    return inARow.size >= needed && [...inARow].some((id) => !suspects.has(id));
  }

  function endRefusal(known: Known): void {
    const wasRefused = known.refusal !== undefined;
    known.refusal = undefined;
    known.inARow.clear();
    tell(known);
    // Also where no record waits any more: one that came meanwhile was passed over.
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
      // The newest, the oldest, then any: one that is bad itself must not hide the others.
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
