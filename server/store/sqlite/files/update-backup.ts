// Before an update changes the schema of the data, keeps a backup of them. It is a last resort: without it, nobody could return
// to an earlier version that cannot read the new schema. If it cannot be made, the update goes on, because the shop must sell.

import { lstatSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';

import type { UpdateBackup } from '../../store.ts';
import { type Connection, makeFolder, syncFolder } from '../engine/database.ts';
import { errorCode } from '../engine/fault.ts';
import { SCHEMA_VERSION, schemaVersion } from '../migrations.ts';
import { countBytes, makeUnknown, removePartial } from './copy.ts';
import { assertOwnLinks } from './data-directory.ts';
import { createPrivateFile } from './private-file.ts';
import { roomNeeded } from './reserve.ts';
import { syncFile } from './sync.ts';

/** The folder in the data directory. The desktop app keeps its own backups there too. */
const FOLDER = 'backups';
const NAME = /^before-update-from-schema-\d+\.db$/;
/** The backup that the desktop app makes before it updates itself. */
const BACKUP_OF_APP = 'before-update.db';
/** Updates whose backups stay. */
const KEPT = 2;
/** The app's backup counts if it is not older than this, and has the newest record. */
const RECENT_MS = 3_600_000;

/**
 * Makes a backup if a migration is due. Call it before the migration, while holding the lock. Undefined if no migration is due.
 * Never throws.
 */
export function backUpBeforeUpdate(db: Connection, dataDir: string, now: number): UpdateBackup | undefined {
  const schema = schemaVersion(db);
  if (schema < 1 || schema >= SCHEMA_VERSION) return undefined;
  const folder = join(dataDir, FOLDER);
  const path = join(folder, `before-update-from-schema-${schema}.db`);
  const partial = `${path}.partial`;
  try {
    const ofApp = join(folder, BACKUP_OF_APP);
    if (isSame(ofApp, db, now)) return { kind: 'made', path: ofApp };
    assertOwnLinks(folder);
    makeFolder(folder);
    rmSync(partial, { force: true });
    assertRoom(db, folder);
    createPrivateFile(partial);
    // A copy of the file would release the locks that SQLite has on it, because this process would open and close it.
    db.prepare('VACUUM INTO ?').run(partial);
    makeUnknown(partial, dataDir, now);
    assertSound(partial);
    syncFile(partial);
    renameSync(partial, path); // a backup from an earlier attempt has older data
    syncFolder(folder);
    removeOld(folder);
    return { kind: 'made', path };
  } catch (error) {
    removePartial(partial);
    return { kind: 'failed', path, cause: error };
  }
}

/** Whether the app has just made a backup of the same data. */
function isSame(path: string, db: Connection, now: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || Math.abs(now - found.mtimeMs) > RECENT_MS) return false;
  const copy = new Database(path, { readonly: true });
  try {
    const newest = (of: Connection): unknown => of.prepare('SELECT max(id) FROM records').pluck().get();
    return schemaVersion(copy) === schemaVersion(db) && newest(copy) === newest(db);
  } catch {
    return false;
  } finally {
    copy.close();
  }
}

/** The backup must not fill the disk: tills need space right after the update. */
function assertRoom(db: Connection, folder: string): void {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const wanted = countBytes(db) + roomNeeded(blocks * bsize);
  if (bavail * bsize >= wanted) return;
  throw new Error(`the disk has too little space: ${Math.ceil((wanted - bavail * bsize) / 1e6)} MB more are needed`);
}

function assertSound(path: string): void {
  const copy = new Database(path, { readonly: true });
  try {
    const fault = copy.pragma('quick_check(1)', { simple: true });
    if (fault !== 'ok') throw new Error(`the copy is not sound: ${String(fault)}`);
  } finally {
    copy.close();
  }
}

function removeOld(folder: string): void {
  const modifiedAt = (name: string): number => statSync(join(folder, name)).mtimeMs;
  const files = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .toSorted((a, b) => modifiedAt(b) - modifiedAt(a));
  for (const name of files.slice(KEPT)) rmSync(join(folder, name), { force: true });
}

/** Finds the newest backup from before an update that this version can read. Undefined without one. */
export function findUpdateBackup(dataDir: string): string | undefined {
  const folder = join(dataDir, FOLDER);
  return listNames(folder)
    .filter((name) => NAME.test(name) || name === BACKUP_OF_APP)
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const schema = findSchema(path);
      return schema !== undefined && schema <= SCHEMA_VERSION ? [{ path, at: statSync(path).mtimeMs }] : [];
    })
    .toSorted((a, b) => b.at - a.at)[0]?.path;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

function findSchema(path: string): number | undefined {
  const db = new Database(path, { readonly: true });
  try {
    return schemaVersion(db);
  } catch {
    return undefined;
  } finally {
    db.close();
  }
}
