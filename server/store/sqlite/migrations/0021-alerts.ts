// Adds the receivers of alerts, the mail server, and the alerts of each receiver.

import type { Connection } from '../engine/database.ts';

export function addAlerts(db: Connection): void {
  db.exec(`
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
    ) STRICT;`);
}
