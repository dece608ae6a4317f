// Adds counts, per key, of calls with unusual but accepted forms. The console shows them with the till.

import type { Connection } from '../engine/database.ts';

export function addUnusualForms(db: Connection): void {
  db.exec(`
    CREATE TABLE unusual_forms (
      key_id INTEGER NOT NULL REFERENCES keys (id),
      -- A newer program may count forms that this one does not know.
      form TEXT NOT NULL,
      calls INTEGER NOT NULL CHECK (calls > 0),
      -- Epoch milliseconds.
      first_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      -- The newest, masked.
      example TEXT NOT NULL,
      PRIMARY KEY (key_id, form)
    ) STRICT, WITHOUT ROWID;`);
}
