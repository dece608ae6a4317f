// Adds the state of each end point of the earlier interface. Also stores whether held records were released after a new
// upstream was set.

import type { Connection } from '../engine/database.ts';

export function addEndPoints(db: Connection): void {
  db.exec(`
    -- The state of each end point of a lane since the upstream of the lane was set.
    CREATE TABLE end_points (
      lane_id INTEGER NOT NULL REFERENCES lanes,
      version TEXT NOT NULL,
      resource TEXT NOT NULL,
      -- Whether a record was ever delivered there.
      has_passed INTEGER NOT NULL CHECK (has_passed IN (0, 1)),
      -- Whether its records wait because the upstream says that it is not valid.
      is_refused INTEGER NOT NULL CHECK (is_refused IN (0, 1)),
      -- Records that drew 400 in a row; a list of ids.
      refused_in_a_row TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(refused_in_a_row)),
      PRIMARY KEY (lane_id, version, resource)
    ) STRICT, WITHOUT ROWID;

    -- How often the upstream of a lane was set, and the value of this number when the held records were last released.
    ALTER TABLE lanes ADD COLUMN upstream_sets INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE lanes ADD COLUMN released_sets INTEGER NOT NULL DEFAULT 0;`);
  if (db.prepare("SELECT 1 FROM lanes WHERE interface = 'earlier' AND delivered + held > 0").get() === undefined)
    return;
  // Earlier versions held all records of an invalid end point. This statement stores an end point without accepted records as
  // refused. Its lane will then release the held records.
  db.exec(`
    INSERT INTO end_points (lane_id, version, resource, has_passed, is_refused)
    SELECT lane_id, version, type, max(state = 'delivered'), max(state = 'delivered') = 0
    FROM deliveries JOIN records ON records.id = record_id
    WHERE lane_id IN (SELECT id FROM lanes WHERE interface = 'earlier')
      AND (state = 'delivered' OR (state = 'held' AND answer_status = 400))
    GROUP BY lane_id, version, type`);
}
