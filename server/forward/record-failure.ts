// The records of a lane that got no proper answer. This module counts the failures of each record. It also notes whether other
// records *passed* in the same time. A record passes if the upstream accepts or rejects it. If other records passed, the failed
// record is at fault. If no record passes, the line may be at fault.

import { type BackOff, backOffMs } from './back-off.ts';

/**
 * The extra wait of a record that repeatedly gets 429 while other records pass. Without it, the record would pause the whole
 * lane again and again.
 */
const SLOWED_ALONE: BackOff = { firstMs: 10_000, maxMs: 300_000 };
/** Maximum failed records in memory. Beyond this number, forgets the record whose last failure is oldest. */
const MAX_FAILURES = 100_000;

/** A record, and when it was sent. */
interface Sent {
  readonly recordId: number;
  readonly sentAt: number;
}

interface Failure {
  /** Number of failures since the line last recovered. */
  readonly count: number;
  /** When the record was last sent. */
  readonly sentAt: number;
  /** Number of recoveries of the line before this failure. */
  readonly recovery: number;
  /** Whether the record has ever failed while other records passed. */
  readonly wasAtFault: boolean;
  /** Number of times that the record got 429 while other records passed. */
  readonly slowed: number;
}

export interface RecordFailures {
  /** Call it when the upstream accepted or rejected a record. */
  notePass(sent: Sent): void;
  /** Call it when a record has failed. `count` is the number of its failures, including this one. */
  note(sent: Sent, count: number, isAtFault: boolean): void;
  /** Call it when the line works again. All earlier failures were the fault of the line, so `countOf` no longer counts them. */
  noteRecovery(): void;
  /** Number of failures of a record since the line last recovered. */
  countOf(recordId: number): number;
  /**
   * True if another record has passed that was sent after this attempt. If this record failed before, its last failed attempt
   * counts instead of this attempt.
   */
  isAtFault(sent: Sent): boolean;
  /** Whether a record has ever been at fault. */
  wasAtFault(recordId: number): boolean;
  /**
   * The extra time that a record must wait after the pause of its lane, if it gets 429 while other records pass. Each call
   * counts one more 429.
   */
  slowedAloneMs(recordId: number, random: () => number): number;
  /** Forgets the failures of these records, which were not at fault. */
  forget(recordIds: Iterable<number>): void;
  /** Call it when the lane gets another upstream: forgets all failures. */
  reset(): void;
}

export function openRecordFailures(): RecordFailures {
  const failures = new Map<number, Failure>();
  let recoveries = 0;
  /** The latest send time of all records that passed. */
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
