// Damages stored data like a faulty disk.

import { databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';

/** Flips one bit of a record's body. A second call restores it. */
export function flipRecord(dataDir: string, recordId: number): void {
  const db = openDatabase(databasePath(dataDir), 'write');
  const body = db.prepare('SELECT body FROM records WHERE id = ?').pluck().get(recordId) as Buffer;
  body[0] = (body[0] ?? 0) ^ 1;
  db.prepare('UPDATE records SET body = ? WHERE id = ?').run(body, recordId);
  db.close();
}
