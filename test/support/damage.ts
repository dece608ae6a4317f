// Damages stored data like a faulty disk.

import Database from 'better-sqlite3';

import { databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';

/** Flips one bit of a record's body. A second call restores it. */
export function flipRecord(dataDir: string, recordId: number): void {
  const db = openDatabase(databasePath(dataDir), 'write');
  const body = db.prepare('SELECT body FROM records WHERE id = ?').pluck().get(recordId) as Buffer;
  body[0] = (body[0] ?? 0) ^ 1;
  db.prepare('UPDATE records SET body = ? WHERE id = ?').run(body, recordId);
  db.close();
}

/** Runs SQL on the database, even if it breaks a constraint. */
export function changeSql(dataDir: string, sql: string): void {
  const db = new Database(databasePath(dataDir));
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
  db.exec(sql);
  db.close();
}
