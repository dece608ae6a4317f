// Adds store days: their rules, checks, verdicts, declared totals and signatures. Verdicts, totals and signatures are only
// added, and the newest one is in force.

import type { Connection } from '../engine/database.ts';

export function createStoreDays(db: Connection): void {
  db.exec(`
    -- The rules by which the days from a date on begin. A closed day keeps its rule, and the next day begins where it ended.
    CREATE TABLE day_rules (
      administration_id INTEGER NOT NULL REFERENCES administrations,
      -- YYYY-MM-DD; empty for the first rule, which has no beginning.
      from_date TEXT NOT NULL,
      from_at INTEGER CHECK ((from_at IS NULL) = (from_date = '')),
      -- IANA name; null for the machine's own.
      time_zone TEXT,
      -- Minutes after midnight.
      day_starts_at INTEGER NOT NULL CHECK (day_starts_at BETWEEN 0 AND 1439 AND day_starts_at % 15 = 0),
      PRIMARY KEY (administration_id, from_date)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO day_rules SELECT id, '', NULL, time_zone, day_starts_at FROM administrations;
    ALTER TABLE administrations DROP COLUMN time_zone;
    ALTER TABLE administrations DROP COLUMN day_starts_at;

    -- Verdicts about store days. The beginning and end of the day are in epoch seconds.
    CREATE TABLE verdicts (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      date TEXT NOT NULL,
      from_at INTEGER NOT NULL,
      to_at INTEGER NOT NULL CHECK (to_at >= from_at),
      -- Epoch milliseconds.
      at INTEGER NOT NULL,
      verdict TEXT NOT NULL CHECK (verdict IN ('complete', 'waiting', 'differs', 'cannot tell')),
      provisional INTEGER NOT NULL CHECK (provisional IN (0, 1)),
      reasons TEXT NOT NULL CHECK (json_valid(reasons)),
      -- The upstream that it is about; null where none was set.
      url TEXT,
      -- What it was asked for; null where it gave no answer.
      basis TEXT CHECK (basis IN ('counts', 'ids')),
      here INTEGER NOT NULL,
      -- Of those here, so many were on their way when it was found out.
      open INTEGER NOT NULL CHECK (open >= 0),
      upstream INTEGER CHECK ((upstream IS NULL) = (basis IS NULL)),
      declared INTEGER
    ) STRICT;
    CREATE INDEX verdicts_by_day ON verdicts (journal_id, date, id);

    -- The records behind a verdict. A record that only the upstream has is without a record id.
    CREATE TABLE findings (
      verdict_id INTEGER NOT NULL REFERENCES verdicts,
      kind TEXT NOT NULL CHECK (kind IN ('missing upstream', 'missing here', 'twice upstream', 'other upstream')),
      external_id TEXT NOT NULL,
      record_id INTEGER REFERENCES records,
      type TEXT NOT NULL,
      sold_at INTEGER NOT NULL,
      PRIMARY KEY (verdict_id, kind, external_id)
    ) STRICT, WITHOUT ROWID;

    -- Requested checks of the days from one date to another, both included, with their progress.
    CREATE TABLE checks (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      from_date TEXT NOT NULL,
      to_date TEXT NOT NULL CHECK (to_date >= from_date),
      by_ids INTEGER NOT NULL CHECK (by_ids IN (0, 1)),
      actor TEXT NOT NULL,
      asked_at INTEGER NOT NULL,
      -- The day that is next.
      next_date TEXT NOT NULL,
      requests INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      -- Since when the upstream does not answer, and why.
      stalled_at INTEGER,
      cause TEXT,
      ended_at INTEGER
    ) STRICT;
    CREATE INDEX open_checks ON checks (journal_id, id) WHERE ended_at IS NULL;

    -- Which process may ask the upstream of a journal now: one at a time.
    CREATE TABLE check_turns (
      journal_id INTEGER PRIMARY KEY REFERENCES journals,
      holder TEXT NOT NULL,
      until INTEGER NOT NULL
    ) STRICT;

    -- Declared totals: of a whole day, or of a type or a till. A total without a number withdraws the total before it.
    CREATE TABLE declared_totals (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      date TEXT NOT NULL,
      type TEXT,
      till_id INTEGER REFERENCES tills,
      records INTEGER CHECK (records >= 0),
      has_ids INTEGER NOT NULL CHECK (has_ids IN (0, 1)),
      source TEXT NOT NULL CHECK (source IN ('typed', 'file', 'till')),
      actor TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    -- The newest of each scope is in force.
    CREATE INDEX declared_totals_by_scope ON declared_totals (journal_id, date, type, till_id, id);
    CREATE TABLE declared_ids (
      declared_id INTEGER NOT NULL REFERENCES declared_totals,
      external_id TEXT NOT NULL,
      PRIMARY KEY (declared_id, external_id)
    ) STRICT, WITHOUT ROWID;

    -- Signatures of store days with the state of the day at that moment, and withdrawn signatures.
    CREATE TABLE sign_offs (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      date TEXT NOT NULL,
      is_undone INTEGER NOT NULL CHECK (is_undone IN (0, 1)),
      verdict TEXT NOT NULL CHECK (verdict IN ('complete', 'waiting', 'differs', 'cannot tell')),
      here INTEGER NOT NULL,
      declared INTEGER,
      reasons TEXT NOT NULL CHECK (json_valid(reasons)),
      name TEXT NOT NULL,
      note TEXT NOT NULL,
      actor TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sign_offs_by_day ON sign_offs (journal_id, date, id);

    -- When the last of these deliveries was answered, in epoch milliseconds; null if an earlier version did not store it.
    ALTER TABLE delivery_counts ADD COLUMN last_at INTEGER;
  `);
}
