// Restores a backup to a data directory. The backup may come from anywhere, so it is copied first and the copy is checked
// completely. Only after that do the previous data move aside. The restored data forward nothing until a person confirms it.

import { randomBytes } from 'node:crypto';
import { closeSync, lstatSync, readSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import Database from 'better-sqlite3';

import { ACTORS } from '../../../contract/codes.ts';
import { OperatorError } from '../../../errors.ts';
import { describeUser, sudoAs } from '../../../lib/permission.ts';
import type { CheckResult, DataCheckProgress } from '../../health/ledger.ts';
import { ARCHIVE_FOLDER } from '../archive/body.ts';
import { type ArchiveFiles, bringArchive } from '../archive/copy.ts';
import { type Connection, withoutTraces } from '../engine/database.ts';
import { classifyStorageError } from '../engine/fault.ts';
import { isSealed } from '../engine/seal.ts';
import { noteBackup } from '../health/last-backup.ts';
import { checkFile, openBackup } from '../integrity/check-file.ts';
import { findBackupTime, noteFile } from '../integrity/known-file.ts';
import { assertSecrets } from '../integrity/own-schema.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from '../migrations.ts';
import { noteRestore } from '../outbox/restore.ts';
import { assertRoom } from './backup.ts';
import { takeSettings } from './carried-settings.ts';
import { explainStart, lockForRestore } from './preparation.ts';
import { isReplacementOpen, newPath, replaceDatabase, settleReplacement } from './replacement.ts';
import { syncFile } from './sync.ts';

export interface Restored {
  readonly bytes: number;
  readonly records: number;
  /** When the backup was made, in epoch milliseconds. Null if an earlier version made it. */
  readonly madeAt: number | null;
  /** When the newest record arrived, in epoch milliseconds; null without records. */
  readonly newestReceivedAt: number | null;
  /** The schema version of the backup. If it is not `programSchema`, the restored data were migrated. */
  readonly schema: number;
  readonly programSchema: number;
  /** The archive files that the data need. */
  readonly archive: ArchiveFiles;
  /** The path of the previous database; null if the directory had no data. */
  readonly asidePath: string | null;
  /** The settings file that the backup carries; null without one. It may contain a password. */
  readonly settings: string | null;
  /** Secrets that only the keyring of the machine that made the backup can decrypt. */
  readonly sealed: SealedSecrets;
}

export interface SealedSecrets {
  readonly upstreamKeys: number;
  readonly alertReceivers: number;
  readonly hasMailPassword: boolean;
  readonly hasAuthority: boolean;
}

export type RestoreProgress =
  | { readonly step: 'copy'; readonly done: number; readonly total: number }
  | { readonly step: 'migrate' }
  | DataCheckProgress;

type OnProgress = (progress: RestoreProgress) => void;

export interface RestoreOptions {
  readonly onProgress?: OnProgress;
  /** The setting archiveFolder of the data directory. Its files are not copied. */
  readonly archiveFolder?: string | undefined;
  /** Called with the settings of the checked backup, before the data change. If it throws, nothing is restored. */
  readonly onSettings?: (settings: string | null) => void;
}

/** Bytes that are copied at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const ROOT = 0;

/**
 * Restores a backup. Rejects with an OperatorError that says what to do; the previous data are then unchanged. Refuses while a
 * gateway runs on the directory.
 */
export async function restoreBackup(
  dataDir: string,
  file: string,
  now: number,
  { onProgress, onSettings, archiveFolder }: RestoreOptions = {},
): Promise<Restored> {
  assertNoLink(file);
  const backup = openBackup(file);
  try {
    assertOwner(dataDir);
    const lock = lockForRestore(dataDir);
    const copy = newPath(dataDir, randomBytes(4).toString('hex'));
    try {
      settleReplacement(dataDir);
      assertRoom(backup.bytes, dataDir);
      await copyFile(backup, copy, onProgress);
      assertSound(file, checkFile(copy, onProgress));
      const archiveFolders = { ofBackup: join(dirname(file), ARCHIVE_FOLDER), set: archiveFolder };
      const restored = adapt(copy, archiveFolders, now, onProgress);
      syncFile(copy);
      onSettings?.(restored.settings);
      return { ...restored, bytes: backup.bytes, asidePath: replaceDatabase(dataDir, copy, now) };
    } catch (error) {
      throw explain(error, dataDir, file, copy);
    } finally {
      // An open replacement needs the copy: the next start completes it.
      if (!isReplacementOpen(dataDir)) for (const end of ['', '-journal']) rmSync(copy + end, { force: true });
      lock.release();
    }
  } finally {
    closeSync(backup.file);
  }
}

/** Another user could redirect a link while it is copied. */
function assertNoLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new OperatorError(`${file} is a symbolic link. Name the backup itself.`);
}

/** The user of the gateway could not open files that root has restored. */
function assertOwner(dataDir: string): void {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (found === undefined || found.uid === ROOT || process.getuid?.() !== ROOT) return;
  throw new OperatorError(
    `${dataDir} belongs to ${describeUser(found.uid)}. Put “${sudoAs(found.uid)}” in front of the command.`,
  );
}

async function copyFile(
  { file, bytes }: ReturnType<typeof openBackup>,
  path: string,
  onProgress?: OnProgress,
): Promise<void> {
  const target = await open(path, 'wx', 0o600);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let done = 0; done < bytes;) {
      const count = readSync(file, chunk, 0, chunk.length, done);
      if (count === 0) throw new OperatorError('The backup became shorter while it was read. Try again.');
      await target.writeFile(chunk.subarray(0, count));
      done += count;
      onProgress?.({ step: 'copy', done, total: bytes });
    }
  } finally {
    await target.close();
  }
}

/** Throws an OperatorError if the check of the copy found any fault. */
function assertSound(file: string, result: CheckResult): void {
  const { structure, damagedRecords, saleFaults, countFaults, wrongAmounts, amountFaults, deliveryFaults } = result;
  const derived = [saleFaults, countFaults, wrongAmounts, amountFaults, deliveryFaults];
  const fault =
    structure[0] ??
    (damagedRecords.length > 0
      ? `the bytes of ${damagedRecords.length === 1 ? '1 record have' : `${damagedRecords.length} or more records have`} changed`
      : derived.some(({ length }) => length > 0) && 'its counts do not match its records');
  if (fault !== false) throw new OperatorError(`${file} is damaged: ${fault}. Look for another backup.`);
}

/** Migrates the checked copy, and stores in it that it was restored. */
function adapt(
  path: string,
  archiveFolders: { readonly ofBackup: string; readonly set: string | undefined },
  now: number,
  onProgress?: OnProgress,
): Omit<Restored, 'bytes' | 'asidePath'> {
  const db = new Database(path);
  try {
    db.pragma('trusted_schema = OFF');
    db.pragma('journal_mode = MEMORY'); // an unfinished copy needs no rollback journal
    const schema = schemaVersion(db);
    if (schema < SCHEMA_VERSION) onProgress?.({ step: 'migrate' });
    migrate(db);
    assertSecrets(db);
    const madeAt = findBackupTime(db) ?? null;
    const archive = bringArchive(db, archiveFolders.ofBackup, archiveFolders.set);
    const restoreRows = db.transaction(() => {
      noteRestore(db, madeAt, ACTORS.commandLine, now);
      if (madeAt !== null) noteBackup(db, madeAt, 0); // nobody knows whether the file stays
      noteFile(db, path); // the copy was read completely, so the next start need not read it again
      return takeSettings(db);
    });
    const settings = withoutTraces(db, restoreRows);
    return {
      ...readContent(db),
      archive,
      madeAt,
      schema,
      programSchema: SCHEMA_VERSION,
      settings,
      sealed: countSealed(db),
    };
  } finally {
    db.close();
  }
}

function readContent(db: Connection): Pick<Restored, 'records' | 'newestReceivedAt'> {
  const records = db.prepare<[], number>('SELECT count(*) FROM records').pluck().get() ?? 0;
  const newestReceivedAt =
    db.prepare<[], number>('SELECT received_at FROM records ORDER BY id DESC LIMIT 1').pluck().get() ?? null;
  return { records, newestReceivedAt };
}

function countSealed(db: Connection): SealedSecrets {
  const count = (table: string, column: string): number =>
    db
      .prepare<[], number>(`SELECT count(*) FROM ${table} WHERE ${isSealed(column)}`)
      .pluck()
      .get() ?? 0;
  return {
    upstreamKeys: count('lanes', 'token'),
    alertReceivers: count('alert_receivers', 'destination'),
    hasMailPassword: count('mail_server', 'password') > 0,
    hasAuthority: count('authorities', 'key') > 0,
  };
}

/** Returns an OperatorError that names the backup instead of its copy. */
function explain(error: unknown, dataDir: string, file: string, copy: string): unknown {
  if (!(error instanceof OperatorError) && classifyStorageError(error) === 'full')
    return new OperatorError(`The disk of ${dataDir} became full. Free some space, and restore again.`, {
      cause: error,
    });
  const explained = explainStart(dataDir, error);
  if (!(explained instanceof OperatorError)) return explained;
  const { message, fault } = explained;
  return new OperatorError(message.replaceAll(copy, file), { cause: error, fault });
}
