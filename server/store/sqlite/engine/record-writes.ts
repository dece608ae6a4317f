// The transactions on records and their deliveries. A group of arrivals is one transaction and one sync. Derived rows are
// written later (fold.ts): when the tail is long, when a query needs them, and before a change on which they depend.

import type { AmountRule } from '../../../contract/amounts.ts';
import type { RuleResult } from '../../amounts/ledger.ts';
import type { RecordAct, Settlement } from '../../outbox/ledger.ts';
import type { Arrival, Outcome } from '../../records/ledger.ts';
import type { AdministrationChange, AdministrationResult } from '../../setup/ledger.ts';
import { setAmountRule } from '../amounts/rule.ts';
import { openArrivalClock } from '../health/own-clock.ts';
import type { WalMarker } from '../integrity/wal-mark.ts';
import { needsNoFold, openSettlementWriter } from '../outbox/delivery.ts';
import { openLaneCountWriter } from '../outbox/lane-count.ts';
import { type ActSlice, moveActSlice, type ReportedAct } from '../outbox/record-act-move.ts';
import { openRecordWriter } from '../records/record.ts';
import { changeAdministration } from '../setup/administration.ts';
import { type Connection, withoutWaiting } from './database.ts';
import { openDerivedQueries } from './derived-queries.ts';
import type { DiskGuard } from './disk-guard.ts';
import { classifyStorageError, errorCode } from './fault.ts';
import { openFolder } from './fold.ts';
import { openTailReader } from './tail.ts';
import type { Operations } from './thread.ts';
import type { AppendResult } from './transfer.ts';

export type AmountRuleChange = [
  administration: string,
  type: string,
  rule: AmountRule | null,
  actor: string,
  now: number,
];

/**
 * When the tail has this many records, the transaction of the next group folds it. Exported for the test of a fold that fails.
 */
export const FOLD_AT_RECORDS = 1280;

/**
 * Opens the transactions. Callers must run each write within the guard; only `append` uses the guard itself. `builtAt` is the
 * time of the build in epoch milliseconds.
 */
export function openRecordWrites(db: Connection, walMarker: WalMarker, guard: DiskGuard, builtAt: number) {
  const addRecord = openRecordWriter(db);
  const arrivalClock = openArrivalClock(db, builtAt);
  const laneCounts = openLaneCountWriter(db);
  const settlementWriter = openSettlementWriter(db, laneCounts);
  const folder = openFolder(db);
  const tailLength = openTailReader(db);
  /** Whether the transaction of the next group also folds, so that a query that has just caused a fold finds no new tail. */
  let shouldFoldNextGroup = false;
  /** The length of the tail at which the next group folds. It grows while folding fails. */
  let foldAtRecords = FOLD_AT_RECORDS;
  let derivedQueries: Operations | undefined;

  /**
   * Makes a transaction of `work`. The transaction also writes the lane counts that `work` collects, and may raise the log
   * mark (integrity/wal-mark.ts).
   */
  function transaction<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
    const run = db.transaction((...args: Args): Result => {
      walMarker.move();
      const result = work(...args);
      laneCounts.write();
      return result;
    });
    return (...args) => {
      try {
        const result = run.immediate(...args);
        walMarker.noteCommitted();
        return result;
      } catch (error) {
        arrivalClock.discard();
        laneCounts.discard();
        folder.discard();
        throw error;
      }
    };
  }

  /** Folds in a transaction. Within another transaction, this is a savepoint. */
  const foldAlone = db.transaction((): void => folder.fold());

  /**
   * Folds within the caller's transaction. If damaged data or a bug prevent the fold, the caller continues, and the next query
   * reports the error.
   */
  function tryFold(): void {
    shouldFoldNextGroup = false;
    foldAtRecords = FOLD_AT_RECORDS;
    try {
      foldAlone();
    } catch (error) {
      if (!isAboutData(error)) throw error;
      foldAtRecords = 2 * tailLength();
    }
  }

  const appendGroup = transaction((arrivals: readonly Arrival[]): AppendResult[] => {
    arrivalClock.begin();
    const appended: [Arrival, Outcome][] = [];
    const results = arrivals.map((arrival) => {
      const outcome = addRecord(arrival);
      if (outcome.status === 'uncompared') return outcome;
      arrivalClock.note(outcome.recordId, arrival);
      appended.push([arrival, outcome]);
      return outcome;
    });
    folder.note(appended);
    if (shouldFoldNextGroup || tailLength() >= foldAtRecords) tryFold();
    return results;
  });

  /**
   * Appends one arrival of a failed group. Never throws, not even a disk error, because earlier arrivals are already committed.
   */
  function appendAlone(arrival: Arrival): AppendResult {
    try {
      const [result] = guard.write(() => appendGroup([arrival]));
      if (result !== undefined) return result;
      throw new Error('a transaction of one record had no result');
    } catch (error) {
      return {
        status: 'failed',
        code: errorCode(error) ?? '',
        message: error instanceof Error ? error.message : String(error),
      };
    }
  }

  const foldTail = transaction(() => folder.fold());
  const tryFoldTail = transaction(tryFold);

  return {
    /** Appends a group in one transaction. If damaged data or a bug make it fail, commits each arrival on its own. */
    append(arrivals: readonly Arrival[]): AppendResult[] {
      try {
        return guard.write(() => appendGroup(arrivals));
      } catch (error) {
        if (!isAboutData(error)) throw error;
        return arrivals.map(appendAlone);
      }
    },

    /**
     * Folds the tail, and makes the next group fold too. If another process holds the write lock, fails immediately, so that no
     * sale waits.
     */
    fold(): void {
      shouldFoldNextGroup = true;
      if (tailLength() > 0) withoutWaiting(db, foldTail);
    },

    /** Folds the tail unless damaged data or a bug prevent it. */
    tryFold(): void {
      if (tailLength() > 0) tryFoldTail();
    },

    /**
     * Runs a query of derived rows while a full or failing disk prevents a fold. It folds in a transaction, runs the query, and
     * rolls back. The connection is already open, so this only reads from the disk.
     */
    queryUnstored(query: string, args: readonly unknown[]): unknown {
      derivedQueries ??= openDerivedQueries(db);
      db.pragma('cache_spill = OFF'); // so that SQLite writes nothing to the disk before a commit
      try {
        withoutWaiting(db, () => db.exec('BEGIN IMMEDIATE'));
        folder.fold();
        return (derivedQueries[query] as (...args: readonly unknown[]) => unknown)(...args);
      } finally {
        if (db.inTransaction) db.exec('ROLLBACK'); // after some errors, SQLite has already rolled back
        db.pragma('cache_spill = ON');
      }
    },

    /** Settles deliveries. Returns the ids of records that did not wait. */
    settle: transaction((laneId: number, settlements: readonly Settlement[]): number[] => {
      // Folds only if one of these records needs it. `tryFold` survives damage in the tail, so that the other records are
      // settled.
      const foldedUntil = folder.foldedUntil();
      if (settlements.some((each) => each.recordId > foldedUntil && !needsNoFold(each))) tryFold();
      return settlementWriter.settle(laneId, settlements, folder.foldedUntil());
    }),

    moveActSlice: transaction((act: RecordAct, begun: ReportedAct, slice: ActSlice): number =>
      moveActSlice(db, laneCounts, act, begun, slice),
    ),

    changeAdministration: transaction(
      (...change: [name: string, change: AdministrationChange, actor: string, now: number]): AdministrationResult => {
        folder.fold(); // because the change may decide which statuses are forwarded
        return changeAdministration(db, ...change);
      },
    ),

    setAmountRule: transaction((...wanted: AmountRuleChange): RuleResult => {
      folder.fold(); // so that the fold ends with the last record before the new rule
      return setAmountRule(db, ...wanted);
    }),

    confirmClock: transaction((now: number): void => arrivalClock.confirm(now)),
  };
}

/** Whether damaged data or our own mistake caused an error, and not the disk or a lock. */
function isAboutData(error: unknown): boolean {
  return ['damaged', 'bug'].includes(classifyStorageError(error));
}
