// The records of a lane that got no proper answer: how often each failed, and whether it failed while other records *passed*, that
// is, were accepted or rejected. Only then is the record at fault. If no record passes, the line may be at fault.

import { type BackOff, backOffMs } from './back-off.ts';

/** Extra wait of a record that gets 429 repeatedly while others pass, because each 429 makes the whole lane pause. */
const SLOWED_ALONE: BackOff = { firstMs: 10_000, maxMs: 300_000 };
/** Maximum failed records in memory. Beyond it, the oldest is forgotten. */
const MAX_FAILURES = 100_000;

/** A record that was sent. */
interface Sent {
  readonly recordId: number;
  readonly sentAt: number;
}

interface Failure {
  /** Failures since the line last recovered. */
  readonly count: number;
  /** When the record was last sent. */
  readonly sentAt: number;
  /** How often the line had recovered when this record failed. */
  readonly recovery: number;
  /** Whether the record ever failed while others passed. */
  readonly wasAtFault: boolean;
  /** How often the record got 429 while others passed. */
  readonly slowed: number;
}

export interface RecordFailures {
  /** Call it when a record passed. */
  notePass(sent: Sent): void;
  /** Call it when a record failed. `count` is how often it has failed now. */
  note(sent: Sent, count: number, isAtFault: boolean): void;
  /** Call it when the line works again. Failures before that were the line's fault, so `countOf` no longer counts them. */
  noteRecovery(): void;
  /** How often a record has failed since the line last recovered. */
  countOf(recordId: number): number;
  /** Whether others have passed since this record last failed, or while it was in flight. */
  isAtFault(sent: Sent): boolean;
  /** Whether a record has ever been at fault. */
  wasAtFault(recordId: number): boolean;
  /** How much longer than the lane a record must wait if it gets 429 while others pass. Each call counts as one more 429. */
  slowedAloneMs(recordId: number, random: () => number): number;
  /** Forgets the failures of these records, which were not at fault. */
  forget(recordIds: Iterable<number>): void;
  /** Call it when the lane gets another upstream: forgets all failures. */
  reset(): void;
}

export function openRecordFailures(): RecordFailures {
  const failures = new Map<number, Failure>();
  let recoveries = 0;
  /** When the newest record that passed was sent. */
  let lastPassSentAt = -Infinity;

  return {
    notePass({ recordId, sentAt }) {
      lastPassSentAt = Math.max(lastPassSentAt, sentAt);
      failures.delete(recordId);
    },
    note({ recordId, sentAt }, count, isAtFault) {
      const before = failures.get(recordId);
      const wasAtFault = isAtFault || before?.wasAtFault === true;
      failures.delete(recordId); // deleted first, so that the record becomes the newest
      failures.set(recordId, { count, sentAt, recovery: recoveries, wasAtFault, slowed: before?.slowed ?? 0 });
      const [oldest] = failures.keys();
      if (failures.size > MAX_FAILURES && oldest !== undefined) failures.delete(oldest);
    },
    noteRecovery: () => void (recoveries += 1),
    countOf(recordId) {
      const failure = failures.get(recordId);
      return failure?.recovery === recoveries ? failure.count : 0;
    },
    isAtFault: ({ recordId, sentAt }) => lastPassSentAt > (failures.get(recordId)?.sentAt ?? sentAt),
    wasAtFault: (recordId) => failures.get(recordId)?.wasAtFault === true,
    slowedAloneMs(recordId, random) {
      const failure = failures.get(recordId);
      if (failure?.wasAtFault !== true) return 0;
      const slowed = failure.slowed + 1;
      failures.set(recordId, { ...failure, slowed });
      return slowed === 1 ? 0 : backOffMs(SLOWED_ALONE, slowed - 2, random());
    },
    forget(recordIds) {
      for (const recordId of recordIds) failures.delete(recordId);
    },
    reset() {
      failures.clear();
      lastPassSentAt = -Infinity;
    },
  };
}
