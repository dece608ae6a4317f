// Derives the counts, the order of sale with the amounts and the deliveries from the records, many records at a time. An append
// stores the record alone, because a commit writes 4 KiB for each database page that it changes. The table `fold` has the
// position up to which everything is derived; the newer records are the tail (tail.ts).

import type { Arrival, Outcome } from '../../records/ledger.ts';
import { type AmountFold, openAmountFold } from '../amounts/fold.ts';
import { openDeliveryFold } from '../outbox/delivery.ts';
import { openDeliveryCountFold } from '../outbox/lane-count.ts';
import { openCountFold } from '../records/count.ts';
import { openSaleFold } from '../records/sale.ts';
import { assertOneRow, type Connection } from './database.ts';

export interface Folder {
  /** Notes the records that the caller's transaction has just appended, so that the fold need not read them again. */
  note(appended: readonly (readonly [Arrival, Outcome])[]): void;
  /** Forgets the noted records, because the caller's transaction was rolled back. */
  discard(): void;
  /**
   * Folds the tail, within the caller's transaction. Call it before a change on which derived rows depend, such as which
   * statuses a lane forwards. Throws a damage error if a record of the tail cannot be read.
   */
  fold(): void;
  /** The id of the newest folded record; 0 if no record is folded. */
  foldedUntil(): number;
}

export function openFolder(db: Connection): Folder {
  const readPosition = db.prepare<[], number>('SELECT folded_until FROM fold').pluck();
  const movePosition = db.prepare('UPDATE fold SET folded_until = (SELECT max(id) FROM records)');
  const readNewest = db.prepare<[], number | null>('SELECT max(id) FROM records').pluck();
  const amounts = openAmountFold(db);
  const derive = openDeriver(db, amounts);
  const foldedUntil = (): number => readPosition.get() ?? 0;
  return {
    note: amounts.note,
    discard: amounts.discard,
    fold() {
      const position = foldedUntil();
      if (position === (readNewest.get() ?? 0)) return;
      derive(position);
      assertOneRow(movePosition.run());
    },
    foldedUntil,
  };
}

/** Exported for the test of its query plan. */
export const DAMAGED_SQL = `
  SELECT records.id FROM records LEFT JOIN keys ON keys.id = key_id WHERE records.id > ? AND keys.id IS NULL LIMIT 1`;

/** Returns a function that folds the records after an id, within the caller's transaction. */
function openDeriver(db: Connection, amounts: AmountFold): (afterId: number) => void {
  const findDamaged = db.prepare<[number], number>(DAMAGED_SQL).pluck();
  const folds = [
    openCountFold(db),
    openSaleFold(db, amounts),
    openDeliveryFold(db),
    openDeliveryCountFold(db), // counts the deliveries that the fold above added
  ];
  return (afterId) => {
    const damaged = findDamaged.get(afterId);
    if (damaged !== undefined) throw new DamagedTailError(damaged);
    for (const fold of folds) fold(afterId);
  };
}

/** Folds the records after an id in data of an earlier version, which have no table `fold`. */
export function deriveAfter(db: Connection, recordId: number): void {
  openDeriver(db, openAmountFold(db))(recordId);
}

class DamagedTailError extends Error {
  readonly code = 'COUNTERFOIL_DAMAGED';
  constructor(recordId: number) {
    super(`record ${recordId} is damaged on disk: its key does not exist`);
  }
}
