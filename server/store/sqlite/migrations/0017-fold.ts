// Stores the id of the last record from which counts and deliveries are derived (engine/fold.ts). All existing records count as
// folded.

import type { Connection } from '../engine/database.ts';

export function addFold(db: Connection): void {
  db.exec(`
    CREATE TABLE fold (
      -- Always 1: the table has one row.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- The id of the newest record from which counts and deliveries are derived; 0 without records.
      folded_until INTEGER NOT NULL
    ) STRICT;
    INSERT INTO fold (id, folded_until) SELECT 1, coalesce(max(id), 0) FROM records;`);
}
