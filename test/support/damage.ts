// Damages what is on the disk, as a bad disk does.

import { databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';

/** Changes a bit of a record's body, or puts it back. */
export function flipRecord(dataDir: string, recordId: number): void {
  const db = openDatabase(databasePath(dataDir), 'write');
  const body = db.prepare('SELECT body FROM records WHERE id = ?').pluck().get(recordId) as Buffer;
  body[0] = (body[0] ?? 0) ^ 1;
  db.prepare('UPDATE records SET body = ? WHERE id = ?').run(body, recordId);
  db.close();
}
