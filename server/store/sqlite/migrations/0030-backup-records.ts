// Adds the number of records to the files of scheduled backups.

import type { Connection } from '../engine/database.ts';

export function addBackupRecords(db: Connection): void {
  // Null until the file is complete, and for files of earlier versions.
  db.exec('ALTER TABLE backup_files ADD COLUMN records INTEGER');
}
