// Restores a backup to a data directory. The backup may come from anywhere, so it is copied first and the copy is checked
// completely. Only after that do the previous data move aside. The restored data forward nothing until a person confirms it.
// The command restores in one step. The console checks a copy while the gateway runs, and replaces the data later.

import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, lstatSync, readdirSync, readSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import Database from 'better-sqlite3';

import { ACTORS } from '../../../contract/codes.ts';
import { OperatorError } from '../../../errors.ts';
import { describeUser, sudoAs } from '../../../lib/permission.ts';
import type { CheckResult, DataCheckProgress } from '../../health/ledger.ts';
import type { BackupUpstream } from '../../restores/ledger.ts';
import { ARCHIVE_FOLDER } from '../archive/body.ts';
import { type ArchiveFiles, bringArchive } from '../archive/copy.ts';
import { closeUntouched, type Connection, databasePath, openDatabase, withoutTraces } from '../engine/database.ts';
import { classifyStorageError } from '../engine/fault.ts';
import { isSealed, openSeal } from '../engine/seal.ts';
import { openTailReader } from '../engine/tail.ts';
import { noteBackup } from '../health/last-backup.ts';
import { checkFile, openBackup } from '../integrity/check-file.ts';
import { findBackupTime, noteFile } from '../integrity/known-file.ts';
import { assertSecrets } from '../integrity/own-schema.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from '../migrations.ts';
import { listLaneSettings } from '../outbox/lane.ts';
import { confirmRestore, noteRestore } from '../outbox/restore.ts';
import { openSinceReader, readNewestMark, type RecordMark } from '../restores/since.ts';
import { assertRoom } from './backup.ts';
import { takeSettings } from './carried-settings.ts';
import { LOCK_FILE } from './lock.ts';
import { explainStart, lockForRestore } from './preparation.ts';
import { isReplacementOpen, newPath, replaceDatabase, settleReplacement } from './replacement.ts';
import { syncFile } from './sync.ts';

/** The content of a checked backup. */
export interface CheckedBackup {
  readonly bytes: number;
  readonly records: number;
  /** When the backup was made, in epoch milliseconds. Null if an earlier version made it. */
  readonly madeAt: number | null;
  /** When the oldest and the newest record arrived, in epoch milliseconds; null without records. */
  readonly oldestReceivedAt: number | null;
  readonly newestReceivedAt: number | null;
  /** The newest record; null without records. */
  readonly newest: RecordMark | null;
  /** The schema version of the backup. If it is not `programSchema`, the copy was migrated. */
  readonly schema: number;
  readonly programSchema: number;
  /** The archive files that the data need. */
  readonly archive: ArchiveFiles;
  /** The settings file that the backup carries; null without one. It may contain a password. */
  readonly settings: string | null;
  /** Secrets that only the keyring of the machine that made the backup can decrypt. */
  readonly sealed: SealedSecrets;
}

export interface Restored extends CheckedBackup {
  /** The path of the previous database; null if the directory had no data. */
  readonly asidePath: string | null;
  /** The records that only the previous data have; null without such data, or if they cannot be read. */
  readonly onlyBefore: OnlyBefore | null;
}

interface OnlyBefore {
  readonly records: number;
  /** Number of these records that are not upstream; null if unknown, because the last gateway was killed. */
  readonly notUpstream: number | null;
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

export interface CheckOptions {
  readonly onProgress?: OnProgress | undefined;
  /** The setting archiveFolder of the data directory. Its files are not copied. */
  readonly archiveFolder?: string | undefined;
}

export interface RestoreOptions extends CheckOptions {
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
  const backup = openSource(file);
  try {
    assertOwner(dataDir);
    const isNew = !existsSync(dataDir);
    const lock = lockForRestore(dataDir);
    let isRestored = false;
    try {
      settleReplacement(dataDir);
      const copy = await checkCopy(dataDir, backup, { onProgress, archiveFolder });
      try {
        onSettings?.(copy.backup.settings);
        noteRestored(copy, { actor: ACTORS.commandLine, isConfirmed: false }, now);
        const onlyBefore = compareWithPrevious(dataDir, copy.backup.newest);
        const asidePath = replaceDatabase(dataDir, copy.path, now);
        isRestored = true;
        return { ...copy.backup, asidePath, onlyBefore };
      } catch (error) {
        throw explain(error, dataDir, file, copy.path);
      } finally {
        // An open replacement needs the copy: the next start completes it.
        if (!isReplacementOpen(dataDir)) discardCopy(copy.path);
      }
    } finally {
      lock.release();
      if (isNew && !isRestored && !isReplacementOpen(dataDir)) removeNew(dataDir);
    }
  } finally {
    closeSync(backup.file);
  }
}

/** Counts the records that the data directory has and the backup lacks. Changes nothing. */
function compareWithPrevious(dataDir: string, newest: RecordMark | null): OnlyBefore | null {
  const path = databasePath(dataDir);
  if (!existsSync(path)) return null;
  try {
    const db = openDatabase(path, 'read');
    try {
      const { records, notUpstream } = openSinceReader(db)(newest);
      return { records, notUpstream: openTailReader(db)() > 0 ? null : notUpstream };
    } finally {
      closeUntouched(db, path);
    }
  } catch {
    return null; // data that cannot be read may be the reason for the restore
  }
}

/** Removes a data directory that has only the lock that this process made. Keeps it if there is anything else. */
function removeNew(dataDir: string): void {
  try {
    if (readdirSync(dataDir).some((name) => name !== LOCK_FILE)) return;
    rmSync(join(dataDir, LOCK_FILE), { force: true });
    rmdirSync(dataDir);
  } catch {
    // The folder stays. The error of the restore matters more.
  }
}

/** An open backup. The caller closes `file`. */
type Source = ReturnType<typeof openBackup> & { readonly path: string };

export function openSource(path: string): Source {
  assertNoLink(path);
  return { ...openBackup(path), path };
}

/** A checked and migrated copy of a backup. It lies in the data directory, and is not in use yet. */
export interface CheckedCopy {
  readonly path: string;
  readonly backup: CheckedBackup;
  readonly upstreams: readonly BackupUpstream[];
}

/**
 * Copies a backup to the data directory, and checks the copy. Rejects with an OperatorError that says what to do; no part of the
 * copy then remains. The data in use are not touched, so a gateway may run.
 */
export async function checkCopy(dataDir: string, source: Source, options: CheckOptions): Promise<CheckedCopy> {
  const path = pathOfCopy(dataDir);
  try {
    assertRoom(source.bytes, dataDir);
    await copyFile(source, path, options.onProgress);
  } catch (error) {
    discardCopy(path);
    throw explain(error, dataDir, source.path, path);
  }
  return examineCopy({ dataDir, path, name: source.path }, options);
}

/** A path for a copy of a backup, or for a backup that arrives in parts. */
export function pathOfCopy(dataDir: string): string {
  return newPath(dataDir, randomBytes(4).toString('hex'));
}

/** Checks a copy as `checkCopy` does. `name` is the path or the name of the backup, for messages. */
export function examineCopy(
  { dataDir, path, name }: { readonly dataDir: string; readonly path: string; readonly name: string },
  { onProgress, archiveFolder }: CheckOptions,
): CheckedCopy {
  try {
    assertSound(name, checkFile(path, onProgress));
    const archiveFolders = { ofBackup: join(dirname(name), ARCHIVE_FOLDER), set: archiveFolder };
    const { upstreams, ...content } = adapt(path, archiveFolders, onProgress);
    syncFile(path);
    return { path, backup: { ...content, bytes: statSync(path).size }, upstreams };
  } catch (error) {
    discardCopy(path);
    throw explain(error, dataDir, name, path);
  }
}

export function discardCopy(path: string): void {
  for (const end of ['', '-journal']) rmSync(path + end, { force: true });
}

/** Who restores. `isConfirmed` means that no other gateway forwards these data, so that the restored gateway may. */
export interface RestoreOrder {
  readonly actor: string;
  readonly isConfirmed: boolean;
}

/** Stores in a checked copy that it was restored. After that, it can replace the database. */
export function noteRestored({ path, backup }: CheckedCopy, { actor, isConfirmed }: RestoreOrder, now: number): void {
  const db = openCopy(path);
  try {
    db.transaction(() => {
      noteFile(db, path); // the copy was read completely, so the next start need not read it again
      noteRestore(db, backup.madeAt, actor, now);
      if (backup.madeAt !== null) noteBackup(db, backup.madeAt, 0); // nobody knows whether the file stays
      if (isConfirmed) confirmRestore(db, actor, now);
    })();
  } finally {
    db.close();
  }
  syncFile(path);
}

/** Another user could redirect a link while it is copied. */
function assertNoLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new OperatorError(`${file} is a symbolic link. Name the backup itself.`, { fault: 'data_foreign' });
}

/** The user of the gateway could not open files that root has restored. */
function assertOwner(dataDir: string): void {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (found === undefined || found.uid === ROOT || process.getuid?.() !== ROOT) return;
  throw new OperatorError(
    `${dataDir} belongs to ${describeUser(found.uid)}. Put “${sudoAs(found.uid)}” in front of the command.`,
  );
}

async function copyFile({ file, bytes }: Source, path: string, onProgress?: OnProgress): Promise<void> {
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
  if (fault !== false)
    throw new OperatorError(`${file} is damaged: ${fault}. Look for another backup.`, { fault: 'data_damaged' });
}

/** Opens a copy that nobody uses yet. If it is lost, the backup is still there, so it needs no rollback journal on the disk. */
function openCopy(path: string): Connection {
  const db = new Database(path);
  db.pragma('trusted_schema = OFF');
  db.pragma('journal_mode = MEMORY');
  return db;
}

/** Migrates a checked copy, and takes the settings out of it. */
function adapt(
  path: string,
  archiveFolders: { readonly ofBackup: string; readonly set: string | undefined },
  onProgress?: OnProgress,
): Omit<CheckedBackup, 'bytes'> & Pick<CheckedCopy, 'upstreams'> {
  const db = openCopy(path);
  try {
    const schema = schemaVersion(db);
    if (schema < SCHEMA_VERSION) onProgress?.({ step: 'migrate' });
    migrate(db);
    assertSecrets(db);
    const madeAt = findBackupTime(db) ?? null;
    const archive = bringArchive(db, archiveFolders.ofBackup, archiveFolders.set);
    const settings = withoutTraces(db, () => takeSettings(db));
    return {
      ...readContent(db),
      archive,
      madeAt,
      schema,
      programSchema: SCHEMA_VERSION,
      settings,
      sealed: countSealed(db),
      upstreams: listUpstreams(db),
    };
  } finally {
    db.close();
  }
}

function readContent(
  db: Connection,
): Pick<CheckedBackup, 'records' | 'oldestReceivedAt' | 'newestReceivedAt' | 'newest'> {
  const records = db.prepare<[], number>('SELECT count(*) FROM records').pluck().get() ?? 0;
  const arrival = (order: 'ASC' | 'DESC'): number | null =>
    db.prepare<[], number>(`SELECT received_at FROM records ORDER BY id ${order} LIMIT 1`).pluck().get() ?? null;
  return {
    records,
    oldestReceivedAt: arrival('ASC'),
    newestReceivedAt: arrival('DESC'),
    newest: readNewestMark(db) ?? null,
  };
}

/**
 * Decrypts no key. Somebody who cannot decrypt the keys may have changed the addresses in the backup, and the gateway would send a
 * key to such an address.
 */
function listUpstreams(db: Connection): BackupUpstream[] {
  return listLaneSettings(db, openSeal(undefined), true).flatMap(
    ({ administration, mode, interface: by, upstream, isKeyUnreadable }) =>
      by === 'current' && (upstream !== null || isKeyUnreadable) ? [{ administration, mode, upstream }] : [],
  );
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
      fault: 'disk_full',
    });
  const explained = explainStart(dataDir, error);
  if (!(explained instanceof OperatorError)) return explained;
  const { message, fault } = explained;
  return new OperatorError(message.replaceAll(copy, file), { cause: error, fault });
}
