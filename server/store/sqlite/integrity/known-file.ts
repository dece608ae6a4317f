// Tells the database file that a gateway works with from a copy of it: a restored backup, or data that were moved here. The
// database holds the identity of its file, which a copy does not have. A process that only crashed leaves the same file.

import { statSync } from 'node:fs';

import Database from 'better-sqlite3';

import { OperatorError } from '../../../errors.ts';
import { closeUntouched, type Connection, isMarked } from '../engine/database.ts';
import { schemaVersion } from '../migrations.ts';
import { assertOwnSchema } from './own-schema.ts';

/** Of the row that holds the identity, among the secrets. */
const NAME = 'file';

/**
 * `new`: there are no data. `unnoted`: an earlier version has worked with it; its shop must not be stopped by what was found only now.
 * `copy`: a backup, or the file has another identity. `unreadable`: opening it says why.
 */
export type FileKind = 'new' | 'known' | 'unnoted' | 'copy' | 'unreadable';

/** Looks at a database that no gateway has open, and changes nothing. Throws an OperatorError where the data are not ours. */
export function findFileKind(path: string): FileKind {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return 'new';
  let db: Connection | undefined;
  try {
    db = openUntouched(path);
    if (!isMarked(db, path)) return 'new';
    const noted = findNoted(db);
    if (noted === identityOf(path)) return 'known';
    assertOwnSchema(db); // before anything that the schema may act upon
    if (schemaVersion(db) === 0) return 'new';
    const isBackup = db.pragma('journal_mode', { simple: true }) !== 'wal';
    return noted === undefined && !isBackup ? 'unnoted' : 'copy';
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    return 'unreadable';
  } finally {
    if (db !== undefined) closeUntouched(db, path);
  }
}

/** To be closed by `closeUntouched`. One that is opened to read only would leave an empty log behind. */
export function openUntouched(path: string): Connection {
  const db = new Database(path);
  db.pragma('query_only = ON');
  db.pragma('trusted_schema = OFF');
  return db;
}

/** Undefined also where it cannot be read. */
function findNoted(db: Connection): string | undefined {
  try {
    return db.prepare<[string], Buffer>('SELECT value FROM secrets WHERE name = ?').pluck().get(NAME)?.toString();
  } catch {
    return undefined;
  }
}

/** Notes the file as known, within the caller's transaction. */
export function noteFile(db: Connection, path: string): void {
  note(db, identityOf(path));
}

/** Makes a copy unknown, wherever it is put: it may be copied over the file that it was made from. */
export function forgetFile(db: Connection): void {
  note(db, 'a copy');
}

function note(db: Connection, identity: string): void {
  db.prepare('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(
    NAME,
    Buffer.from(identity),
  );
}

/** A deleted file's number is given to the next one, so the time when it was made counts too. */
function identityOf(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}
