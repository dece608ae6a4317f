// Adds amounts of money: the rules that say where a record has its amount, and the amounts read with these rules. No rule
// exists yet, so nothing is derived from old records.

import type { Connection } from '../engine/database.ts';

export function addAmounts(db: Connection): void {
  db.exec(`
    CREATE TABLE amount_rules (
      id INTEGER PRIMARY KEY,
      administration_id INTEGER NOT NULL REFERENCES administrations,
      type TEXT NOT NULL,
      -- JSON pointers; the currency may also be a code.
      total TEXT NOT NULL,
      currency TEXT,
      payment TEXT,
      sign TEXT NOT NULL CHECK (sign IN ('as sent', 'negative')),
      is_replaced INTEGER NOT NULL DEFAULT 0 CHECK (is_replaced IN (0, 1)),
      -- The amounts of the records after the first of these ids, up to the second, are still to be read.
      filled_until INTEGER NOT NULL,
      fill_to INTEGER NOT NULL CHECK (fill_to >= filled_until)
    ) STRICT;
    CREATE UNIQUE INDEX amount_rules_in_force ON amount_rules (administration_id, type) WHERE is_replaced = 0;
    CREATE TABLE amounts (
      record_id INTEGER PRIMARY KEY REFERENCES records,
      rule_id INTEGER NOT NULL,
      -- Empty without a currency.
      currency TEXT NOT NULL,
      -- The amount in parts of nine digits: billions, units, billionths, and billionths of these.
      giga INTEGER NOT NULL,
      unit INTEGER NOT NULL,
      nano INTEGER NOT NULL,
      atto INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE amount_sums (
      rule_id INTEGER NOT NULL REFERENCES amount_rules,
      journal_id INTEGER NOT NULL REFERENCES journals,
      interface TEXT NOT NULL CHECK (interface IN ('current', 'earlier')),
      status TEXT NOT NULL CHECK (status IN ('NEW', 'IGNORED', 'ERROR')),
      width INTEGER NOT NULL CHECK (width IN (900, 86400)),
      starts_at INTEGER NOT NULL CHECK (starts_at % width = 0),
      till_id INTEGER NOT NULL REFERENCES tills,
      currency TEXT NOT NULL,
      -- Records with an amount, and records whose amount cannot be read.
      records INTEGER NOT NULL CHECK (records >= 0),
      without_amount INTEGER NOT NULL CHECK (without_amount >= 0),
      giga INTEGER NOT NULL,
      unit INTEGER NOT NULL,
      nano INTEGER NOT NULL,
      atto INTEGER NOT NULL,
      PRIMARY KEY (rule_id, journal_id, interface, status, width, starts_at, till_id, currency)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE amount_days (
      -- The UTC days on which a record with this amount was sold. A day may remain after a rule was changed.
      journal_id INTEGER NOT NULL REFERENCES journals,
      giga INTEGER NOT NULL,
      unit INTEGER NOT NULL,
      nano INTEGER NOT NULL,
      atto INTEGER NOT NULL,
      starts_at INTEGER NOT NULL CHECK (starts_at % 86400 = 0),
      PRIMARY KEY (journal_id, giga, unit, nano, atto, starts_at)
    ) STRICT, WITHOUT ROWID;`);
}
