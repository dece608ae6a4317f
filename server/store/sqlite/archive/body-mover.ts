// Moves bodies out of the rows of their records.

import type { Connection } from '../engine/database.ts';
import { BODY_BYTES_SQL } from './body.ts';

/**
 * Returns a function that replaces the bodies of records by their sizes, and notes in which block the bodies are. It returns the
 * uncompressed size of the bodies. Call it in a transaction within `withoutReferences`.
 *
 * An UPDATE would leave the freed space inside the pages, where no new record can use it. So the rows are deleted and inserted
 * again, which frees whole pages.
 *
 * The rows are in memory meanwhile. In the folder for temporary files, they would fail when that folder is full, and the store would
 * take this for a fault of its own disk.
 */
export function openBodyMover(db: Connection): (recordIds: readonly number[], archiveBlock: number) => number {
  db.pragma('temp_store = MEMORY');
  db.exec('CREATE TEMP TABLE IF NOT EXISTS moving AS SELECT * FROM main.records WHERE 0');
  const take = db.prepare(`
    INSERT INTO temp.moving SELECT * FROM main.records WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`);
  const sum = db.prepare<[], number>(`SELECT coalesce(sum(${BODY_BYTES_SQL}), 0) FROM temp.moving`).pluck();
  const shorten = db.prepare(
    `UPDATE temp.moving SET body = CAST(CAST(${BODY_BYTES_SQL} AS TEXT) AS BLOB), archive_block = ?`,
  );
  const remove = db.prepare('DELETE FROM main.records WHERE id IN (SELECT id FROM temp.moving)');
  const insert = db.prepare('INSERT INTO main.records SELECT * FROM temp.moving ORDER BY id');
  const clear = db.prepare('DELETE FROM temp.moving');

  return (recordIds, archiveBlock) => {
    take.run(JSON.stringify(recordIds));
    const bytes = sum.get() ?? 0;
    shorten.run(archiveBlock);
    if ([remove, insert].some((statement) => statement.run().changes !== recordIds.length))
      throw new Error(`the rows of ${recordIds.length} records could not be replaced`);
    clear.run();
    return bytes;
  };
}

/**
 * Runs a transaction with the foreign keys off. Rows of other tables refer to the rows that a body mover deletes and inserts again,
 * and SQLite would search for the references of each row.
 */
export function withoutReferences<T>(db: Connection, transaction: () => T): T {
  db.pragma('foreign_keys = OFF'); // has no effect inside a transaction
  try {
    return transaction();
  } finally {
    db.pragma('foreign_keys = ON');
  }
}
