// Recognises a copy of the data, such as a restored backup or moved data. The database stores the identity of its file, which
// differs in a copy. A crash does not change the identity.

import { statSync } from 'node:fs';

import Database from 'better-sqlite3';

import { OperatorError } from '../../../errors.ts';
import { closeUntouched, type Connection, databasePath, isMarked } from '../engine/database.ts';
import { isOwned } from '../files/lock.ts';
import { schemaVersion } from '../migrations.ts';
import { assertOwnSchema } from './own-schema.ts';

/** Name of the secret that stores the identity. */
const NAME = 'file';
/** A backup stores this text and the time of the backup, in epoch milliseconds. Salvaged data and earlier versions have no time. */
const BACKUP = /^a copy(?: (\d{1,15}))?$/;

/**
 * `new`: there are no data.
 * `known`: the file has the stored identity.
 * `unnoted`: an earlier version used the file, and stored no identity. Faults in such a file must not stop the shop.
 * `backup`: a backup that nobody has used yet.
 * `copy`: any other file with another identity, such as moved data.
 * `unreadable`: the file cannot be read. A later attempt to open it reports the reason.
 */
export type FileKind = 'new' | 'known' | 'unnoted' | 'backup' | 'copy' | 'unreadable';

/** Classifies a database that no gateway has open, and changes nothing. Throws an OperatorError if the data are not ours. */
export function findFileKind(path: string): FileKind {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return 'new';
  let db: Connection | undefined;
  try {
    db = openUntouched(path);
    if (!isMarked(db, path)) return 'new';
    const noted = findNoted(db);
    if (noted === identityOf(path)) return 'known';
    assertOwnSchema(db); // before the next statements, because a foreign schema could change their results
    if (schemaVersion(db) === 0) return 'new';
    if (noted !== undefined) return BACKUP.test(noted) ? 'backup' : 'copy';
    return db.pragma('journal_mode', { simple: true }) === 'wal' ? 'unnoted' : 'backup';
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    return 'unreadable';
  } finally {
    if (db !== undefined) closeUntouched(db, path);
  }
}

/** Whether the data in a directory are a copy that no gateway has examined yet. False while a gateway runs on them. */
export function isUnexaminedCopy(dataDir: string): boolean {
  if (isOwned(dataDir)) return false;
  const kind = findFileKind(databasePath(dataDir));
  return kind === 'copy' || kind === 'backup';
}

/** Opens a database for reading; close it with `closeUntouched`. A read-only connection would leave an empty WAL behind. */
export function openUntouched(path: string): Connection {
  const db = new Database(path);
  db.pragma('query_only = ON');
  db.pragma('trusted_schema = OFF');
  return db;
}

/** The stored identity; undefined if there is none, or if it cannot be read. */
function findNoted(db: Connection): string | undefined {
  try {
    return db.prepare<[string], Buffer>('SELECT value FROM secrets WHERE name = ?').pluck().get(NAME)?.toString();
  } catch {
    return undefined;
  }
}

/** Whether the file has the stored identity, so that the data are no copy. */
export function isKnownFile(db: Connection): boolean {
  return findNoted(db) === identityOf(db.name);
}

/** Stores the identity of the file within the caller's transaction. The file then counts as known. */
export function noteFile(db: Connection, path: string): void {
  note(db, identityOf(path));
}

/**
 * Makes the data count as a backup wherever the file is put, even if it replaces the original file. `madeAt` is the time of the
 * backup; null for salvaged data, which must not count as the last good backup.
 */
export function noteAsBackup(db: Connection, madeAt: number | null): void {
  note(db, madeAt === null ? 'a copy' : `a copy ${madeAt}`);
}

/** Makes the data count as moved: the next start reads all of them, but does not take them for a backup. */
export function noteAsMoved(db: Connection): void {
  note(db, 'moved');
}

/** Returns the time of the backup that these data are, null if it is unknown. Undefined if they are not a backup. */
export function findBackupTime(db: Connection): number | null | undefined {
  const found = BACKUP.exec(findNoted(db) ?? '');
  if (found === null) return undefined;
  return found[1] === undefined ? null : Number(found[1]);
}

function note(db: Connection, identity: string): void {
  db.prepare('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(
    NAME,
    Buffer.from(identity),
  );
}

/** The identity of a file: its inode number and its creation time, because file systems reuse the number of a deleted file. */
function identityOf(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}
