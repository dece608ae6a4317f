// Adds packs: several bodies together and compressed, in a row of their own. `records` is not rebuilt, because tills wait during a
// migration. The gateway packs the bodies later.

import type { Connection } from '../engine/database.ts';

export function addPacks(db: Connection): void {
  db.exec(`
    CREATE TABLE packs (
      -- The newest record that was considered for the pack. The column archive_block of its records is this number with a minus sign.
      last_record_id INTEGER PRIMARY KEY,
      -- Null if the pack has no bodies, because none was suitable or all are archived in files.
      bodies BLOB
    ) STRICT;`);
}
