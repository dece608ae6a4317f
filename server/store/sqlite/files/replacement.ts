// Replaces the database of a data directory with a new file, and sets the previous files aside. A plan on the disk names the
// files before the first rename. The next start carries out a plan that is still open. So either the previous data or the new
// data are in place, never parts of both.

import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { z } from 'zod';

import { OperatorError } from '../../../errors.ts';
import type { SettledRestore } from '../../restores/ledger.ts';
import { databasePath, syncFolder } from '../engine/database.ts';
import { syncFile } from './sync.ts';

const PLAN_FILE = 'counterfoil.replacement';
/** Suffixes of the files that belong to one database. */
const ENDS = ['', '-journal', '-wal', '-shm'] as const;
/** The name of a new file that is not in place yet. */
const NEW_NAME = /^counterfoil\.db\.new-[0-9a-f]{8}$/;
/** The name of a database that was set aside: the previous one, or a restored one that could not be opened. */
const ASIDE_NAME = /^counterfoil\.db\.(before|failed)-restore-[\dTZ-]+$/;
const plan = z.strictObject({
  newName: z.string().regex(new RegExp(`${NEW_NAME.source}|${ASIDE_NAME.source}`)),
  /** The name of the previous database. Files that belong to it get the same suffix as before. */
  asideName: z.string().regex(ASIDE_NAME),
});
type Plan = z.infer<typeof plan>;

/** A path for a new file, which `replaceDatabase` can put in place. */
export function newPath(dataDir: string, random: string): string {
  return join(dataDir, `counterfoil.db.new-${random}`);
}

/**
 * Puts a complete and synced file in the place of the database. Call it only while holding the lock. Returns the path of the
 * previous database; null if there was none. If a rename fails, everything is as before.
 */
export function replaceDatabase(dataDir: string, newFile: string, now: number): string | null {
  const hadFiles = ENDS.some((end) => isThere(databasePath(dataDir) + end));
  const asidePath = planReplacement(dataDir, newFile, now);
  const settled = settleReplacement(dataDir);
  if (settled?.kind === 'abandoned' && settled.cause !== undefined) throw settled.cause;
  return hadFiles ? asidePath : null;
}

/**
 * Makes the next start put a complete and synced file in the place of the database. Returns the path to which the start moves
 * the present database.
 */
export function planReplacement(dataDir: string, newFile: string, now: number): string {
  const chosen: Plan = { newName: basename(newFile), asideName: freeAsideName(dataDir, 'before', now) };
  writePlan(dataDir, chosen);
  return join(dataDir, chosen.asideName);
}

/**
 * Makes the next start return to a database that was set aside, because the restored one cannot be opened. Returns false if that
 * database was not closed properly: its log must stay beside it, and only one file can replace the database.
 */
export function planReturn(dataDir: string, asidePath: string, now: number): boolean {
  if (!isThere(asidePath) || (lstatSync(`${asidePath}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
  writePlan(dataDir, { newName: basename(asidePath), asideName: freeAsideName(dataDir, 'failed', now) });
  return true;
}

/** Whether a replacement is planned that no start has carried out. */
export function isReplacementOpen(dataDir: string): boolean {
  return existsSync(join(dataDir, PLAN_FILE));
}

/**
 * Carries out an open plan, and deletes new files that were never complete. Call it only while holding the lock. If the previous
 * files cannot be moved, the previous data stay in use. Safe to call twice.
 */
export function settleReplacement(dataDir: string): SettledRestore | undefined {
  let settled: SettledRestore | undefined;
  if (isReplacementOpen(dataDir)) {
    const found = readPlan(dataDir);
    settled = complete(dataDir, found);
    if (settled.kind === 'completed') return settled;
  }
  const hadNewFiles = deleteNewFiles(dataDir);
  return settled ?? (hadNewFiles ? { kind: 'abandoned' } : undefined);
}

/** Deletes the new files of a data directory. Call it only without an open plan. Returns whether there were any. */
export function deleteNewFiles(dataDir: string): boolean {
  const found = readdirSync(dataDir).filter((name) => NEW_NAME.test(name.replace(/-journal$/, '')));
  for (const name of found) rmSync(join(dataDir, name), { force: true });
  return found.length > 0;
}

function complete(dataDir: string, { newName, asideName }: Plan): SettledRestore {
  const [newFile, database, aside] = [join(dataDir, newName), databasePath(dataDir), join(dataDir, asideName)];
  // Once the new file is in place, the files beside it belong to it.
  if (isThere(newFile)) {
    try {
      for (const end of ENDS) if (isThere(database + end)) renameSync(database + end, freePath(aside + end));
      syncFolder(dataDir); // no power cut may leave the new database beside the previous log
      renameSync(newFile, database);
    } catch (cause) {
      takeBack(database, aside);
      syncFolder(dataDir);
      removePlan(dataDir);
      return { kind: 'abandoned', cause: cause as Error };
    }
    syncFolder(dataDir);
  }
  if (!isThere(database)) {
    throw new OperatorError(
      `A restore was interrupted, and its new file ${newFile} is missing. The previous data are in ${aside}: restore the backup again.`,
      { fault: 'data_damaged' },
    );
  }
  removePlan(dataDir);
  return { kind: 'completed', asidePath: aside };
}

/** Moves the files that were set aside back to their place. The database comes last, so that it never lacks its log. */
function takeBack(database: string, aside: string): void {
  for (const end of ENDS.toReversed()) {
    if (!isThere(database + end) && isThere(aside + end)) renameSync(aside + end, database + end);
  }
}

/** Returns the path, or a longer one if the path is taken. A rename would replace that file. */
function freePath(path: string): string {
  return isThere(path) ? freePath(`${path}.again`) : path;
}

/** Unlike existsSync, also true for a broken link. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A name that says when the files were set aside, such as `counterfoil.db.before-restore-2026-11-26T10-15-00Z`. */
function freeAsideName(dataDir: string, why: 'before' | 'failed', now: number): string {
  const at = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  const name = `counterfoil.db.${why}-restore-${at}`;
  for (let i = 1; ; i++) {
    const free = i === 1 ? `${name}Z` : `${name}-${i}Z`;
    if (!ENDS.some((end) => isThere(join(dataDir, free + end)))) return free;
  }
}

function writePlan(dataDir: string, chosen: Plan): void {
  const path = join(dataDir, PLAN_FILE);
  writeFileSync(`${path}.new`, JSON.stringify(chosen), { mode: 0o600 });
  syncFile(`${path}.new`);
  renameSync(`${path}.new`, path);
  syncFolder(dataDir);
}

function removePlan(dataDir: string): void {
  rmSync(join(dataDir, PLAN_FILE), { force: true });
  syncFolder(dataDir);
}

function readPlan(dataDir: string): Plan {
  const path = join(dataDir, PLAN_FILE);
  try {
    return plan.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new OperatorError(
      `${path} should name the files of an interrupted restore, but cannot be read. Restore the backup again after you have moved this file to another folder. Nothing was changed.`,
      { cause: error, fault: 'data_damaged' },
    );
  }
}
