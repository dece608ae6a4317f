// Adds the files of scheduled backups, and which records the last backup contains.

import type { Connection } from '../engine/database.ts';

export function addBackupFiles(db: Connection): void {
  db.exec(`
    -- The newest record in the last backup. 0 if an earlier version made that backup.
    ALTER TABLE backups ADD COLUMN newest_record_id INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE backup_files (
      path TEXT PRIMARY KEY,
      begun_at INTEGER NOT NULL,
      -- The file when it was complete. The gateway deletes it later only if it is still the same. Null until it is complete.
      bytes INTEGER,
      modified_at INTEGER
    ) STRICT, WITHOUT ROWID;`);
}
