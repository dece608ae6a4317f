// Derives the counts, the amounts, the order of sale and the deliveries from the records, many records at a time. An append stores
// the record alone, because each page that a commit touches costs the disk 4 KiB. The table `fold` has the position up to which
// everything is derived; the newer records are the tail (tail.ts).

import { openAmountWriter } from '../amounts/amount.ts';
import { openDeliveryWriter } from '../outbox/delivery.ts';
import { type LaneCountWriter, openLaneCountWriter } from '../outbox/lane-count.ts';
import { type LaneFinder, openLaneFinder } from '../outbox/lane.ts';
import { type Counted, openCountWriter } from '../records/count.ts';
import { hasSales, openSaleWriter } from '../records/sale.ts';
import { assertOneRow, type Connection } from './database.ts';

/** Maximum records of the tail that one query reads. */
const CHUNK_RECORDS = 1000;

interface TailRow extends Omit<Counted, 'tillId'> {
  readonly recordId: number;
  /** Null if the record is damaged, so that its key does not exist. */
  readonly tillId: number | null;
  readonly originalId: number | null;
}

/** Exported for the test that asserts the query plans. */
export const TAIL_SQL = `
    SELECT records.id AS recordId, records.journal_id AS journalId, records.interface, status, sold_at AS soldAt, type,
      till_id AS tillId, original_id AS originalId
    FROM records LEFT JOIN keys ON keys.id = key_id WHERE records.id > ? ORDER BY records.id LIMIT ${CHUNK_RECORDS}`;

export interface Folder {
  /**
   * Folds the tail within the caller's transaction. Call it before a change that affects derived rows, such as which statuses a
   * lane forwards. Then call `laneCounts.write()`. Throws a damage error if a record of the tail cannot be read.
   */
  fold(): void;
  /** The id of the newest record from which everything is derived; 0 without records. */
  foldedUntil(): number;
  /** Drops collected counts and amounts. Call it after a failed transaction. */
  discard(): void;
}

export function openFolder(db: Connection, lanes: LaneFinder, laneCounts: LaneCountWriter): Folder {
  const readPosition = db.prepare<[], number>('SELECT folded_until FROM fold').pluck();
  const movePosition = db.prepare('UPDATE fold SET folded_until = ?');
  const { derive, discard } = openDeriver(db, lanes, laneCounts);
  return {
    fold() {
      lanes.forget(); // another process may have changed which statuses are forwarded
      const before = readPosition.get() ?? 0;
      const position = derive(before);
      if (position > before) assertOneRow(movePosition.run(position));
    },
    foldedUntil: () => readPosition.get() ?? 0,
    discard,
  };
}

/**
 * Returns functions that derive everything from the records after an id. `derive` returns the id of the newest record. Unlike a
 * Folder, it does not store this position.
 */
function openDeriver(db: Connection, lanes: LaneFinder, laneCounts: LaneCountWriter) {
  const selectRows = db.prepare<[number], TailRow>(TAIL_SQL);
  const counts = openCountWriter(db);
  const sales = hasSales(db) ? openSaleWriter(db) : undefined;
  const amounts = openAmountWriter(db);
  const deliveries = openDeliveryWriter(db, laneCounts);

  function add({ recordId, tillId, originalId, ...record }: TailRow): void {
    if (tillId === null) throw new DamagedTailError(recordId);
    counts.add({ ...record, tillId });
    sales?.add({ ...record, recordId });
    amounts.add({ ...record, tillId, recordId });
    const laneId = lanes.find(record.journalId, record.interface, record.status);
    if (laneId !== undefined) deliveries.add(recordId, laneId, originalId ?? undefined, record);
  }

  return {
    derive(after: number): number {
      let position = after;
      for (let rows = selectRows.all(position); rows.length > 0; rows = selectRows.all(position)) {
        rows.forEach(add);
        position = rows.at(-1)?.recordId ?? position;
      }
      counts.write();
      amounts.write();
      return position;
    },
    discard() {
      counts.discard();
      amounts.discard();
    },
  };
}

/**
 * Derives everything from the records after an id, within the caller's transaction. It is for data without the table `fold`.
 */
export function deriveAfter(db: Connection, recordId: number): void {
  const laneCounts = openLaneCountWriter(db);
  openDeriver(db, openLaneFinder(db), laneCounts).derive(recordId);
  laneCounts.write();
}

class DamagedTailError extends Error {
  readonly code = 'COUNTERFOIL_DAMAGED';
  constructor(recordId: number) {
    super(`record ${recordId} is damaged on disk: its key does not exist`);
  }
}
