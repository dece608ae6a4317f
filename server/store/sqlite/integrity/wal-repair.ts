// Repairs a damaged write-ahead log (WAL) before SQLite opens it: keeps copies, salvages all that can be read, and writes a
// report. People see the report until they move the copies away.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import Database from 'better-sqlite3';
import { z } from 'zod';

import { WAL_DAMAGE_KINDS, type WalDamage } from '../../../contract/machine.ts';
import { OperatorError } from '../../../errors.ts';
import { databasePath, syncFolder } from '../engine/database.ts';
import { classifyStorageError } from '../engine/fault.ts';
import { type BrokenWal, type Finding, judge } from './wal-finding.ts';
import {
  assertOwnData,
  importRecords,
  readKept,
  readRecordsAfter,
  type Verified,
  verifyCopy,
  withCopy,
} from './wal-salvage.ts';
import { scanWal, type WalScan } from './wal-scan.ts';
import { writeWal } from './wal-write.ts';

const FOLDER = /^damaged-log-\d{8}-\d{6}$/;
const UNFINISHED = '.unfinished';
const REPORT = 'report.json';
/**
 * The name of the kept copy of a damaged WAL. It must not be a WAL's name: SQLite would use such a file with the database copy
 * beside it.
 */
const DAMAGED_LOG = 'counterfoil.db-wal.damaged';
/** Bytes of the disk that must stay free after the copies are made. */
const SPARE_BYTES = 32 * 1024 * 1024;
const PROBE_BYTES = 64 * 1024;
/** Pause between two scans of a WAL that a command may be writing. */
const LOOK_AGAIN_MS = 100;

const report = z.object({
  kind: z.enum(WAL_DAMAGE_KINDS),
  foundAt: z.number(),
  missingRecords: z.number().nullable(),
});

function findDamage(dataDir: string): { readonly scan: BrokenWal; readonly finding: Finding } | undefined {
  const file = databasePath(dataDir);
  const look = (): WalScan => scanWal(`${file}-wal`, file);
  if (look().kind === 'sound') return undefined;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
  const scan = look();
  return scan.kind === 'sound' ? undefined : { scan, finding: judge(scan) };
}

/** Throws an OperatorError if the WAL is damaged. Changes nothing. Commands call it, because only the gateway repairs a WAL. */
export function assertWalSound(dataDir: string): void {
  if (findDamage(dataDir) === undefined) return;
  throw new OperatorError(
    `The write-ahead log in ${dataDir}, which holds the last sales, is damaged. Start the gateway: it keeps copies and saves what can be read. Nothing was changed.`,
    { fault: 'data_damaged' },
  );
}

/**
 * Repairs the WAL of a data directory without a running gateway. Safe to repeat after a crash. In these cases, throws an
 * OperatorError and changes nothing: the disk has no room for the copies, the disk does not keep written bytes, another program
 * has the data open, or this program cannot use the data.
 */
export function repairWal(dataDir: string, now: number): void {
  const found = findDamage(dataDir);
  if (found === undefined) return;
  const { scan, finding } = found;
  const name = `damaged-log-${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
  const folder = join(dataDir, name);
  const draft = folder + UNFINISHED;
  removeUnfinished(dataDir);
  mkdirSync(draft, { mode: 0o700 });
  try {
    whileAlone(dataDir, draft, () => {});
    keepCopies(dataDir, draft, finding.kind !== 'cut_off');
    const salvaged = finding.kind === 'cut_off' ? undefined : salvage(dataDir, draft, scan, finding);
    probeDisk(dataDir, draft);
    const outcome: WalDamage = { folder: name, foundAt: now, ...summarize(finding, salvaged) };
    writeSynced(join(draft, REPORT), JSON.stringify(outcome));
    syncFolder(draft);
    renameSync(draft, folder);
    syncFolder(dataDir);
    if (salvaged?.isUsed !== true) return;
    const file = databasePath(dataDir);
    whileAlone(dataDir, folder, () => {
      rmSync(`${file}-shm`, { force: true }); // this index belongs to the previous WAL
      renameSync(join(folder, basename(`${file}-wal`)), `${file}-wal`);
    });
    syncFolder(dataDir);
  } catch (error) {
    for (const made of [draft, folder]) rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Runs `work` while no other process has the database open or can open it. Such a process would continue with the old WAL, and
 * would overwrite newer database pages when it ends. Throws an OperatorError if there is such a process. Locks a hard link to
 * the database and not the database itself, because SQLite finds no WAL beside the link. On a file system without hard links,
 * takes no lock.
 */
function whileAlone(dataDir: string, folder: string, work: () => void): void {
  const database = databasePath(dataDir);
  const link = join(folder, 'lock.db');
  if (!makeLink(database, link)) return work();
  try {
    const db = new Database(link, { timeout: 0 });
    try {
      // Otherwise SQLite refuses a database that is shorter than its header says. Without the WAL, it may be: a power cut during
      // a checkpoint leaves it so.
      db.unsafeMode();
      db.pragma('writable_schema = ON');
      db.pragma('locking_mode = EXCLUSIVE');
      db.exec('BEGIN EXCLUSIVE');
      work();
    } catch (error) {
      if (classifyStorageError(error) !== 'busy') throw error;
      throw new OperatorError(
        `The write-ahead log in ${dataDir}, which holds the last sales, is damaged, and another program has ${database} open. End that program, then start again. Nothing was changed.`,
        { cause: error, fault: 'data_in_use' },
      );
    } finally {
      db.close();
    }
  } finally {
    for (const suffix of ['', '-wal']) rmSync(link + suffix, { force: true });
  }
}

function makeLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

interface Salvage {
  /** Whether a new WAL was written to replace the damaged one. */
  readonly isUsed: boolean;
  /** Number of acknowledged records that could not be saved; null if unknown. */
  readonly missing: number | null;
}

function summarize(finding: Finding, salvaged: Salvage | undefined): Pick<WalDamage, 'kind' | 'missingRecords'> {
  if (finding.kind === 'cut_off') return { kind: 'cut_off', missingRecords: null };
  if (finding.kind === 'repaired') return { kind: 'repaired', missingRecords: 0 };
  return salvaged?.isUsed === true
    ? { kind: 'salvaged', missingRecords: salvaged.missing }
    : { kind: 'lost', missingRecords: null };
}

/** Copies the WAL. With `withDatabase`, also copies the database, because the repaired WAL will change the database. */
function keepCopies(dataDir: string, draft: string, withDatabase: boolean): void {
  const file = databasePath(dataDir);
  const wal = `${file}-wal`;
  const bytes = statSync(wal).size + (withDatabase ? statSync(file).size : 0);
  const { bavail, bsize } = statfsSync(dataDir);
  // The salvaged WAL needs room too.
  const wanted = bytes + (withDatabase ? statSync(wal).size : 0) + SPARE_BYTES;
  if (bavail * bsize < wanted) {
    throw new OperatorError(
      `The write-ahead log in ${dataDir}, which holds the last sales, is damaged, and the disk has no room to keep copies. Free ${Math.ceil(wanted / 1e6)} MB, then start again. Nothing was changed.`,
      { fault: 'disk_full' },
    );
  }
  copySynced(wal, join(draft, DAMAGED_LOG));
  if (withDatabase) copySynced(file, join(draft, basename(file)));
}

/**
 * Writes all that can be read into a new WAL beside the copy of the database. Keeps that WAL only if it can replace the damaged
 * one.
 */
function salvage(
  dataDir: string,
  draft: string,
  { header, frames, readable }: BrokenWal,
  finding: Exclude<Finding, { readonly kind: 'cut_off' }>,
): Salvage {
  const file = join(draft, basename(databasePath(dataDir)));
  const { end } = finding;
  const write = (count: number): void => {
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    writeWal(`${file}-wal`, join(draft, DAMAGED_LOG), header, frames.slice(0, count));
  };
  write(end);
  withCopy(file, 'read', (db) => assertOwnData(db, databasePath(dataDir)));
  if (finding.kind === 'repaired') return { isUsed: true, missing: 0 };

  write(readable);
  const before = withCopy(file, 'read', readKept);
  if (before === undefined || end === 0) return giveUp(file);
  const used = (missing: number | null): Salvage => ({ isUsed: true, missing: finding.hasLostEnd ? null : missing });
  const verify = (): Verified | undefined => {
    write(end);
    return verifyCopy(file, before);
  };
  const whole = verify();
  if (whole?.fits === true) return used(whole.missing);

  const rows = withCopy(file, 'read', (db) => readRecordsAfter(db, before.newestId));
  write(readable);
  const lost = rows && withCopy(file, 'write', (db) => importRecords(db, rows));
  // Saving more records is more important than correct counts. A later check reports wrong counts.
  if (whole !== undefined && (lost === undefined || lost > whole.missing)) return verify() ? used(null) : giveUp(file);
  return lost === undefined ? giveUp(file) : used(lost);
}

function giveUp(file: string): Salvage {
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  return { isUsed: false, missing: null };
}

function copySynced(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  syncFile(to);
}

function writeSynced(file: string, content: string | Buffer): void {
  writeFileSync(file, content, { mode: 0o600 });
  syncFile(file);
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes the folders of repairs that were interrupted. */
function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name.endsWith(UNFINISHED) && FOLDER.test(name.slice(0, -UNFINISHED.length)))
      rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

/**
 * Tests the disk before tills are served: it must accept a write and a sync, and return the bytes. The bytes may come from the
 * disk's cache, so this finds only immediate failures. Throws an OperatorError.
 */
function probeDisk(dataDir: string, draft: string): void {
  const file = join(draft, 'disk.probe');
  const written = randomBytes(PROBE_BYTES);
  try {
    writeSynced(file, written);
    if (readFileSync(file).equals(written)) return;
  } finally {
    rmSync(file, { force: true });
  }
  throw new OperatorError(
    `The disk of ${dataDir} does not keep what is written to it, and the write-ahead log is damaged. Replace the disk. Nothing was changed.`,
    { fault: 'data_damaged' },
  );
}

/** Reads the report of the newest damage whose copies are still in a data directory; null if there are no copies. */
export async function findWalDamage(dataDir: string): Promise<WalDamage | null> {
  const folders = (await readdir(dataDir).catch(() => [])).filter((name) => FOLDER.test(name)).toSorted();
  for (const folder of folders.toReversed()) {
    try {
      return { folder, ...report.parse(JSON.parse(await readFile(join(dataDir, folder, REPORT), 'utf8'))) };
    } catch {
      // Ignored: a folder with such a name but without our report.
    }
  }
  return null;
}
