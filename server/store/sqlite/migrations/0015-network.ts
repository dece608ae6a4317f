// Adds the network settings that people make, the gateway's own certificate authorities, and the address that a till last
// called.

import type { Connection } from '../engine/database.ts';

export function addNetwork(db: Connection): void {
  db.exec(`
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
    -- The base address that the till called when it last used the key, such as https://192.168.1.20:7410.
    ALTER TABLE keys ADD COLUMN last_address TEXT;`);
}
