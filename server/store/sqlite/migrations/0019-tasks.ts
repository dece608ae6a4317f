// Adds the tasks of the to-do list, and the time of the last good backup.

import type { Connection } from '../engine/database.ts';

export function addTasks(db: Connection): void {
  db.exec(`
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
    ) STRICT;`);
}
