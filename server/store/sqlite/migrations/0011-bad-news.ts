// Lets one entry of the refusal log count several calls: in a flood or on a full disk, refused calls are first counted in
// memory. Also adds the ranges of records that arrived while this machine's clock was wrong.

import type { Connection } from '../engine/database.ts';

export function addBadNews(db: Connection): void {
  db.exec(`
    ALTER TABLE refusals ADD COLUMN calls INTEGER NOT NULL DEFAULT 1 CHECK (calls > 0);
    DROP INDEX refusals_by_time;
    CREATE INDEX refusals_by_time ON refusals (at, key_id, calls);

    -- Records that arrived while the clock of this machine was wrong, from the first to the last of them.
    CREATE TABLE clock_faults (
      first_record_id INTEGER PRIMARY KEY,
      -- Null while it lasts.
      last_record_id INTEGER CHECK (last_record_id >= first_record_id)
    ) STRICT;`);
}
