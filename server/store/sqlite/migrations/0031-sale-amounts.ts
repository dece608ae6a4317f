// Moves the amounts of the records into `sales`, because a row of its own for each amount made the fold slower. The gateway reads
// all amounts again after the update (amounts/fill.ts).

import type { Connection } from '../engine/database.ts';

export function moveAmounts(db: Connection): void {
  db.exec(`
    -- The amount with its currency (amounts/stored-amount.ts). Null if it cannot be read, or the type has no rule.
    ALTER TABLE sales ADD COLUMN amount TEXT;
    DROP TABLE amounts;
    DROP TABLE amount_days;
    CREATE TABLE amount_days (
      -- The UTC days on which a record with this amount was sold, in any currency. A day may remain after a rule was changed.
      journal_id INTEGER NOT NULL REFERENCES journals,
      -- An exact decimal with a point.
      amount TEXT NOT NULL,
      starts_at INTEGER NOT NULL CHECK (starts_at % 86400 = 0),
      PRIMARY KEY (journal_id, amount, starts_at)
    ) STRICT, WITHOUT ROWID;
    DELETE FROM amount_sums;
    UPDATE amount_rules SET filled_until = 0, fill_to = (SELECT folded_until FROM fold) WHERE is_replaced = 0;`);
}
