// Adds packs: several bodies together and compressed, in a row of their own. `records` is not rebuilt, because tills wait during a
// migration. The gateway packs the bodies later. A program of an earlier version would take the digits of a size for the body, so it
// must not open these data.

import type { Connection } from '../engine/database.ts';

export function addPacks(db: Connection): void {
  db.exec(`
    CREATE TABLE packs (
      -- The last record that was looked at. The records of the pack have this number, negated, in archive_block.
      last_record_id INTEGER PRIMARY KEY,
      -- Null if no body was suitable, or if all are in files now.
      bodies BLOB
    ) STRICT;`);
}
