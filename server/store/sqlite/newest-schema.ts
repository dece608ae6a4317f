// The schema after all migrations. Generated, as docs/how-to-change.md says.

export const NEWEST_SCHEMA = `CREATE TABLE administrations (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL
    , customer_name TEXT, customer_id TEXT CHECK ((customer_name IS NULL) = (customer_id IS NULL)), versions TEXT NOT NULL DEFAULT '["v1"]' CHECK (json_valid(versions)), resources TEXT NOT NULL CHECK (json_valid(resources)) DEFAULT
      '[{"name":"transaction","idParameter":"transactionid"},{"name":"cancellations","idParameter":"transactionid"}]', forwarded TEXT NOT NULL DEFAULT '["NEW"]' CHECK (json_valid(forwarded)), others_send INTEGER NOT NULL DEFAULT 0 CHECK (others_send IN (0, 1))) STRICT;

CREATE TABLE journals (
      id INTEGER PRIMARY KEY,
      administration_id INTEGER NOT NULL REFERENCES administrations,
      mode TEXT NOT NULL CHECK (mode IN ('production', 'test')),
      UNIQUE (administration_id, mode)
    ) STRICT;

CREATE TABLE tills (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      label TEXT NOT NULL,
      UNIQUE (journal_id, label)
    ) STRICT;

CREATE TABLE keys (
      id INTEGER PRIMARY KEY,
      till_id INTEGER NOT NULL REFERENCES tills,
      digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
      interface TEXT NOT NULL CHECK (interface IN ('current', 'earlier', 'both')),
      adopted INTEGER NOT NULL CHECK (adopted IN (0, 1)),
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      revoked_at INTEGER
    , expires_at INTEGER, last_address TEXT) STRICT;

CREATE TABLE refusals (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      address TEXT NOT NULL,
      key_id INTEGER REFERENCES keys,
      method TEXT NOT NULL,
      path TEXT NOT NULL,
      code TEXT NOT NULL,
      detail TEXT NOT NULL,
      excerpt TEXT NOT NULL
    , calls INTEGER NOT NULL DEFAULT 1 CHECK (calls > 0), faults TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(faults))) STRICT;

CREATE TABLE secrets (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT;

CREATE UNIQUE INDEX customers ON administrations (customer_name, customer_id);

CREATE TABLE "records" (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      key_id INTEGER NOT NULL REFERENCES keys,
      interface TEXT NOT NULL CHECK (interface IN ('current', 'earlier')),
      version TEXT,
      method TEXT CHECK (method IN ('GET', 'POST')),
      status TEXT NOT NULL CHECK (status IN ('NEW', 'IGNORED', 'ERROR')),
      original_id INTEGER REFERENCES "records",
      sold_at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      external_id TEXT NOT NULL,
      type TEXT NOT NULL,
      digest BLOB NOT NULL CHECK (length(digest) = 32),
      body BLOB NOT NULL, archive_block INTEGER,
      CHECK ((status = 'NEW') = (original_id IS NULL)),
      CHECK ((interface = 'earlier') = (version IS NOT NULL) AND (interface = 'earlier') = (method IS NOT NULL))
    ) STRICT;

CREATE UNIQUE INDEX originals ON records (journal_id, external_id)
      WHERE status = 'NEW' AND interface = 'current';

CREATE UNIQUE INDEX earlier_originals ON records (journal_id, type, external_id)
      WHERE status = 'NEW' AND interface = 'earlier';

CREATE TABLE "counts" (
      journal_id INTEGER NOT NULL REFERENCES journals,
      interface TEXT NOT NULL CHECK (interface IN ('current', 'earlier')),
      status TEXT NOT NULL CHECK (status IN ('NEW', 'IGNORED', 'ERROR')),
      width INTEGER NOT NULL CHECK (width IN (900, 86400)),
      starts_at INTEGER NOT NULL CHECK (starts_at % width = 0),
      type TEXT NOT NULL,
      till_id INTEGER NOT NULL REFERENCES tills,
      records INTEGER NOT NULL CHECK (records > 0),
      PRIMARY KEY (journal_id, interface, status, width, starts_at, type, till_id)
    ) STRICT, WITHOUT ROWID;

CREATE TABLE lanes (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      interface TEXT NOT NULL CHECK (interface IN ('current', 'earlier')),
      -- The upstream's base address and our key there; both or neither.
      url TEXT,
      token TEXT CHECK ((url IS NULL) = (token IS NULL)),
      paused_at INTEGER,
      -- When somebody last asked to try now.
      tried_at INTEGER,
      -- The gateways that its records came through; a list of ids.
      senders TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(senders)),
      -- What the gateway last said of it, and the last delivery.
      state TEXT CHECK (state IN ('running', 'line down', 'refused', 'paused')),
      cause TEXT,
      since INTEGER,
      delivered_at INTEGER,
      per_second REAL,
      -- Deliveries by state, kept in the transaction that changes them.
      waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting >= 0),
      delivered INTEGER NOT NULL DEFAULT 0 CHECK (delivered >= 0),
      held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
      set_aside INTEGER NOT NULL DEFAULT 0 CHECK (set_aside >= 0), token_digest TEXT, upstream_sets INTEGER NOT NULL DEFAULT 0, released_sets INTEGER NOT NULL DEFAULT 0, asks_up_to INTEGER,
      UNIQUE (journal_id, interface)
    ) STRICT;

CREATE TABLE "acts" (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      actor TEXT NOT NULL,
      act TEXT NOT NULL,
      administration TEXT,
      mode TEXT CHECK (mode IN ('production', 'test')),
      interface TEXT CHECK (interface IN ('current', 'earlier')),
      detail TEXT NOT NULL
    , data TEXT) STRICT;

CREATE TABLE outages (
      id INTEGER PRIMARY KEY,
      lane_id INTEGER NOT NULL REFERENCES lanes,
      state TEXT NOT NULL CHECK (state IN ('line down', 'refused', 'paused')),
      cause TEXT,
      from_at INTEGER NOT NULL,
      to_at INTEGER CHECK (to_at >= from_at)
    ) STRICT;

CREATE UNIQUE INDEX open_outages ON outages (lane_id) WHERE to_at IS NULL;

CREATE INDEX outages_by_end ON outages (lane_id, to_at);

CREATE TABLE links (
      digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

CREATE INDEX duplicates ON records (journal_id, external_id, id, status) WHERE status != 'NEW';

CREATE TABLE delivery_counts (
      lane_id INTEGER NOT NULL REFERENCES lanes,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'held', 'set aside')),
      status TEXT NOT NULL CHECK (status IN ('NEW', 'IGNORED', 'ERROR')),
      starts_at INTEGER NOT NULL CHECK (starts_at % 900 = 0),
      deliveries INTEGER NOT NULL CHECK (deliveries >= 0), last_at INTEGER,
      PRIMARY KEY (lane_id, state, status, starts_at)
    ) STRICT, WITHOUT ROWID;

CREATE TABLE users (
      name TEXT PRIMARY KEY COLLATE NOCASE,
      role TEXT NOT NULL CHECK (role IN ('clerk', 'manager')),
      created_at INTEGER NOT NULL,
      -- Of the password only what scrypt makes of it.
      salt BLOB NOT NULL CHECK (length(salt) = 16),
      cost INTEGER NOT NULL,
      digest BLOB NOT NULL CHECK (length(digest) = 32)
    ) STRICT, WITHOUT ROWID;

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
    , earlier INTEGER NOT NULL DEFAULT 0, earlier_taken INTEGER NOT NULL DEFAULT 0, notes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(notes))) STRICT;

CREATE INDEX verdicts_by_day ON verdicts (journal_id, date, id);

CREATE TABLE findings (
      verdict_id INTEGER NOT NULL REFERENCES verdicts,
      kind TEXT NOT NULL CHECK (kind IN ('missing upstream', 'missing here', 'twice upstream', 'other upstream')),
      external_id TEXT NOT NULL,
      record_id INTEGER REFERENCES records,
      type TEXT NOT NULL,
      sold_at INTEGER NOT NULL,
      PRIMARY KEY (verdict_id, kind, external_id)
    ) STRICT, WITHOUT ROWID;

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
    , resend INTEGER NOT NULL DEFAULT 0 CHECK (resend IN (0, 1))) STRICT;

CREATE INDEX open_checks ON checks (journal_id, id) WHERE ended_at IS NULL;

CREATE TABLE check_turns (
      journal_id INTEGER PRIMARY KEY REFERENCES journals,
      holder TEXT NOT NULL,
      until INTEGER NOT NULL
    ) STRICT;

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

CREATE INDEX declared_totals_by_scope ON declared_totals (journal_id, date, type, till_id, id);

CREATE TABLE declared_ids (
      declared_id INTEGER NOT NULL REFERENCES declared_totals,
      external_id TEXT NOT NULL,
      PRIMARY KEY (declared_id, external_id)
    ) STRICT, WITHOUT ROWID;

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
    , earlier INTEGER, amounts TEXT CHECK (json_valid(amounts))) STRICT;

CREATE INDEX sign_offs_by_day ON sign_offs (journal_id, date, id);

CREATE TABLE sleeps (
      id INTEGER PRIMARY KEY,
      from_at INTEGER NOT NULL,
      to_at INTEGER NOT NULL CHECK (to_at > from_at)
    ) STRICT;

CREATE INDEX sleeps_by_end ON sleeps (to_at);

CREATE TABLE oldest_program (schema INTEGER NOT NULL) STRICT;

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
    ) STRICT, WITHOUT ROWID;

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

CREATE INDEX refusals_by_time ON refusals (at, key_id, calls);

CREATE TABLE clock_faults (
      first_record_id INTEGER PRIMARY KEY,
      -- Null while it lasts.
      last_record_id INTEGER CHECK (last_record_id >= first_record_id)
    ) STRICT;

CREATE TABLE scrubs (
      -- There is one.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      begun_at INTEGER NOT NULL,
      -- Null while it goes on.
      ended_at INTEGER,
      -- Records up to this one have been read.
      after_record_id INTEGER NOT NULL
    ) STRICT;

CREATE TABLE damaged_records (
      -- No reference, which cannot be checked where the page of the record is damaged.
      record_id INTEGER PRIMARY KEY,
      found_at INTEGER NOT NULL
    ) STRICT;

CREATE TABLE log_marks (
      -- There is one.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      mark TEXT NOT NULL CHECK (length(mark) = 25)
    ) STRICT;

CREATE TABLE index_faults (
      -- There is one at most: the last that a scrub found.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      found_at INTEGER NOT NULL,
      detail TEXT NOT NULL
    ) STRICT;

CREATE TABLE network (
      -- There is at most one row. Without one, the network is closed.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
      -- The names of the network interfaces to listen on, as a JSON array; null means all.
      interfaces TEXT,
      allows_plain_http INTEGER NOT NULL CHECK (allows_plain_http IN (0, 1)),
      is_console_open INTEGER NOT NULL CHECK (is_console_open IN (0, 1)),
      -- Null means: only in the desktop app.
      is_announced INTEGER CHECK (is_announced IN (0, 1))
    ) STRICT;

CREATE TABLE authorities (
      id INTEGER PRIMARY KEY,
      -- PEM.
      certificate TEXT NOT NULL,
      -- PEM, sealed if there is a keyring.
      key TEXT NOT NULL,
      fingerprint TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL
    ) STRICT;

CREATE TABLE certifications (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      key_id INTEGER NOT NULL REFERENCES keys,
      -- Null while the run is active.
      ended_at INTEGER,
      -- The report as JSON: the steps with their results and evidence.
      report TEXT NOT NULL CHECK (json_valid(report))
    ) STRICT;

CREATE TABLE fold (
      -- Always 1: the table has one row.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- The id of the newest record from which counts and deliveries are derived; 0 without records.
      folded_until INTEGER NOT NULL
    ) STRICT;

CREATE TABLE sales (
      journal_id INTEGER NOT NULL,
      -- 0 to 2: the current interface with the status NEW, IGNORED or ERROR; 3 to 5: the same of the earlier interface.
      stream INTEGER NOT NULL CHECK (stream BETWEEN 0 AND 5),
      sold_at INTEGER NOT NULL,
      record_id INTEGER NOT NULL,
      type TEXT NOT NULL, amount TEXT,
      PRIMARY KEY (journal_id, stream, sold_at, record_id)
    ) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
      id INTEGER PRIMARY KEY,
      -- What stays the same while the fact changes.
      name TEXT NOT NULL,
      -- Null for the gateway and its machine.
      journal_id INTEGER REFERENCES journals,
      fact TEXT NOT NULL CHECK (json_valid(fact)),
      -- A mark covers the fact while the digest is the same and no number of the size grows.
      digest TEXT NOT NULL,
      size TEXT NOT NULL CHECK (json_valid(size)),
      began_at INTEGER NOT NULL,
      opened_at INTEGER NOT NULL,
      -- How often it became open.
      opening INTEGER NOT NULL CHECK (opening > 0),
      is_closed INTEGER NOT NULL CHECK (is_closed IN (0, 1)),
      -- The newest mark as JSON.
      mark TEXT CHECK (json_valid(mark)),
      -- Null while the fact is true.
      ended_at INTEGER
    ) STRICT;

CREATE UNIQUE INDEX present_tasks ON tasks (name) WHERE ended_at IS NULL;

CREATE TABLE task_views (
      task_id INTEGER NOT NULL REFERENCES tasks,
      actor TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (task_id, actor)
    ) STRICT, WITHOUT ROWID;

CREATE TABLE backups (
      -- There is one at most: the last good one.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      made_at INTEGER NOT NULL
    , newest_record_id INTEGER NOT NULL DEFAULT 0) STRICT;

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

CREATE TABLE alert_receivers (
      -- Never used again, because a message to a removed receiver may still be on its way.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE,
      kind TEXT NOT NULL CHECK (kind IN ('email', 'webhook', 'slack', 'teams', 'telegram')),
      settings TEXT NOT NULL CHECK (json_valid(settings)),
      -- The address without its secret parts.
      shown TEXT NOT NULL,
      -- The address as JSON, sealed if there is a keyring.
      destination TEXT NOT NULL,
      -- How sending goes, as JSON.
      state TEXT NOT NULL CHECK (json_valid(state)),
      -- The date of the last digest.
      digest_on TEXT NOT NULL
    ) STRICT;

CREATE TABLE alerts (
      receiver_id INTEGER NOT NULL REFERENCES alert_receivers ON DELETE CASCADE,
      task_id INTEGER NOT NULL REFERENCES tasks,
      -- Each opening of a task is one alert.
      opening INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'sent')),
      PRIMARY KEY (receiver_id, task_id, opening)
    ) STRICT, WITHOUT ROWID;

CREATE TABLE mail_server (
      -- There is one at most.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      settings TEXT NOT NULL CHECK (json_valid(settings)),
      -- Sealed if there is a keyring; null without a password.
      password TEXT
    ) STRICT;

CREATE TABLE "deliveries" (
      record_id INTEGER PRIMARY KEY REFERENCES records,
      lane_id INTEGER NOT NULL REFERENCES lanes,
      -- SQLite stores 0 and 1 without a byte: a record that waits, and one that was delivered at the first attempt.
      state_number INTEGER NOT NULL DEFAULT 0 CHECK (state_number BETWEEN 0 AND 3),
      -- Answers that were about this record, and the last of them.
      attempts INTEGER NOT NULL DEFAULT 0,
      answered_at INTEGER,
      answer_status INTEGER,
      -- What the upstream classified it as, where it says so.
      upstream_number INTEGER CHECK (upstream_number BETWEEN 0 AND 2),
      answer TEXT,
      -- Why it was set aside.
      reason TEXT,
      state TEXT NOT NULL AS (
        CASE state_number WHEN 0 THEN 'waiting' WHEN 1 THEN 'delivered' WHEN 2 THEN 'held' ELSE 'set aside' END),
      upstream_status TEXT AS (CASE upstream_number WHEN 0 THEN 'NEW' WHEN 1 THEN 'IGNORED' WHEN 2 THEN 'ERROR' END)
    ) STRICT;

CREATE INDEX waiting_deliveries ON deliveries (lane_id, record_id) WHERE state_number = 0;

CREATE INDEX held_deliveries ON deliveries (lane_id, record_id) WHERE state_number = 2;

CREATE INDEX deliveries_set_aside ON deliveries (lane_id, record_id) WHERE state_number = 3;

CREATE TABLE declared_amounts (
      declared_id INTEGER NOT NULL REFERENCES declared_totals,
      -- A code of three capital letters; empty without a currency.
      currency TEXT NOT NULL,
      -- An exact decimal with a point.
      value TEXT NOT NULL,
      PRIMARY KEY (declared_id, currency)
    ) STRICT, WITHOUT ROWID;

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

CREATE TABLE backup_files (
      path TEXT PRIMARY KEY,
      begun_at INTEGER NOT NULL,
      -- The file when it was complete. The gateway deletes it later only if it is still the same. Null until it is complete.
      bytes INTEGER,
      modified_at INTEGER
    , records INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE read_tokens (
      name TEXT PRIMARY KEY COLLATE NOCASE,
      digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
      -- Epoch milliseconds.
      created_at INTEGER NOT NULL,
      -- Null until the first use. Written at most once an hour.
      used_at INTEGER
    ) STRICT, WITHOUT ROWID;

CREATE TABLE archive_folder (id INTEGER PRIMARY KEY CHECK (id = 1), path TEXT NOT NULL) STRICT;

CREATE TABLE archive_files (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      begun_at INTEGER NOT NULL,
      -- Null until the file is complete. A file without a size is deleted after a crash.
      bytes INTEGER,
      -- Null while records of the file still have their bodies in the database.
      moved_at INTEGER,
      records INTEGER NOT NULL DEFAULT 0,
      body_bytes INTEGER NOT NULL DEFAULT 0,
      -- Why the file cannot be read, and since when.
      fault TEXT,
      fault_since INTEGER
    ) STRICT;

CREATE TABLE archive_blocks (
      id INTEGER PRIMARY KEY,
      file_id INTEGER NOT NULL,
      offset INTEGER NOT NULL,
      bytes INTEGER NOT NULL
    ) STRICT;

CREATE UNIQUE INDEX archive_blocks_by_place ON archive_blocks (file_id, offset);

CREATE TABLE archived_days (
      journal_id INTEGER NOT NULL,
      date TEXT NOT NULL,
      signed_at INTEGER NOT NULL,
      file_id INTEGER,
      PRIMARY KEY (journal_id, date)
    ) STRICT, WITHOUT ROWID;

CREATE TABLE archive_run (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- The setting archiveMonths of the gateway; null without an archive.
      months INTEGER,
      -- When a person last requested a run.
      requested_at INTEGER,
      -- When all days that were due had been archived for the last time.
      ended_at INTEGER,
      -- Why no bodies can be archived, and since when; null after a good attempt.
      fault TEXT,
      detail TEXT,
      failed_since INTEGER
    ) STRICT;

CREATE TABLE amount_days (
      -- The UTC days on which a record with this amount was sold, in any currency. A day may remain after a rule was changed.
      journal_id INTEGER NOT NULL REFERENCES journals,
      -- An exact decimal with a point.
      amount TEXT NOT NULL,
      starts_at INTEGER NOT NULL CHECK (starts_at % 86400 = 0),
      PRIMARY KEY (journal_id, amount, starts_at)
    ) STRICT, WITHOUT ROWID;

CREATE TABLE packs (
      -- The last record that was looked at. The records of the pack have this number, negated, in archive_block.
      last_record_id INTEGER PRIMARY KEY,
      -- Null if no body was suitable, or if all are in files now.
      bodies BLOB
    ) STRICT;
`;
