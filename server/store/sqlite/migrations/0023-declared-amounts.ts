// Adds the amounts of declared totals, and stores with each signature the declared amounts that were signed.

import type { Connection } from '../engine/database.ts';

export function addDeclaredAmounts(db: Connection): void {
  db.exec(`
    CREATE TABLE declared_amounts (
      declared_id INTEGER NOT NULL REFERENCES declared_totals,
      -- A code of three capital letters; empty without a currency.
      currency TEXT NOT NULL,
      -- An exact decimal with a point.
      value TEXT NOT NULL,
      PRIMARY KEY (declared_id, currency)
    ) STRICT, WITHOUT ROWID;
    -- The declared amounts as JSON; null if the day was signed before amounts could be declared.
    ALTER TABLE sign_offs ADD COLUMN amounts TEXT CHECK (json_valid(amounts));`);
}
