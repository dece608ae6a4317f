// Moves the order of sale from two indexes of the records to the new table `sales`. An append writes the indexes, but not this
// table. Fills the table with all records that are folded (migration 17).

import type { Connection } from '../engine/database.ts';

export function moveSales(db: Connection): void {
  db.exec(`
    -- The records in the order of sale, derived from them (see \`fold\`). It repeats the type, so that a query filters by type
    -- without reading records. It has no references, because \`check\` compares every row with its record.
    CREATE TABLE sales (
      journal_id INTEGER NOT NULL,
      -- 0 to 2: the current interface with the status NEW, IGNORED or ERROR; 3 to 5: the same of the earlier interface.
      stream INTEGER NOT NULL CHECK (stream BETWEEN 0 AND 5),
      sold_at INTEGER NOT NULL,
      record_id INTEGER NOT NULL,
      type TEXT NOT NULL,
      PRIMARY KEY (journal_id, stream, sold_at, record_id)
    ) STRICT, WITHOUT ROWID;

    INSERT INTO sales (journal_id, stream, sold_at, record_id, type)
      SELECT journal_id, 0, sold_at, id, type FROM records INDEXED BY originals_by_sale
      WHERE status = 'NEW' AND interface = 'current' AND id <= (SELECT folded_until FROM fold)
      ORDER BY journal_id, sold_at, id;
    INSERT INTO sales (journal_id, stream, sold_at, record_id, type)
      SELECT journal_id,
        CASE interface WHEN 'current' THEN 0 ELSE 3 END + CASE status WHEN 'NEW' THEN 0 WHEN 'IGNORED' THEN 1 ELSE 2 END,
        sold_at, id, type
      FROM records INDEXED BY others_by_sale
      WHERE NOT (status = 'NEW' AND interface = 'current') AND id <= (SELECT folded_until FROM fold)
      ORDER BY journal_id, interface, status, sold_at, id;

    DROP INDEX originals_by_sale;
    DROP INDEX others_by_sale;`);
}
