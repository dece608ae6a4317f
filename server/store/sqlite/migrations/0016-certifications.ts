// Adds the runs in which a till was certified.

import type { Connection } from '../engine/database.ts';

export function addCertifications(db: Connection): void {
  db.exec(`
    CREATE TABLE certifications (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      key_id INTEGER NOT NULL REFERENCES keys,
      -- Null while the run is active.
      ended_at INTEGER,
      -- The report as JSON: the steps with their results and evidence.
      report TEXT NOT NULL CHECK (json_valid(report))
    ) STRICT;`);
}
