// Adds the faults of a refused call, so that the console can name them in the user's language.

import type { Connection } from '../engine/database.ts';

export function addRefusalFaults(db: Connection): void {
  db.exec(`
    -- JSON: [{ "pointer": …, "code": … }]. Empty for a refusal that an earlier version stored.
    ALTER TABLE refusals ADD COLUMN faults TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(faults));`);
}
