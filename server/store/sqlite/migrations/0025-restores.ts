// Adds restores: which backup the data come from, and whether a person has confirmed that this gateway may forward them.

import type { Connection } from '../engine/database.ts';

export function addRestores(db: Connection): void {
  db.exec(`
    CREATE TABLE restores (
      id INTEGER PRIMARY KEY,
      restored_at INTEGER NOT NULL,
      -- When the backup was made. Null if an earlier version made it.
      made_at INTEGER,
      -- The newest record of the backup; 0 without records.
      newest_record_id INTEGER NOT NULL,
      -- When a person confirmed that no other gateway forwards these data. Nothing is forwarded before.
      confirmed_at INTEGER
    ) STRICT;
    -- Before the lane sends records, it asks the upstream for its waiting records up to this id. Null if it need not ask.
    ALTER TABLE lanes ADD COLUMN asks_up_to INTEGER;`);
}
