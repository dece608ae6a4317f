// Replaces the database of a data directory with a new file, and sets the previous files aside. A plan on the disk names the
// files before the first rename. After a crash, the next start completes the plan. So either the previous data or the new data
// are in place, never parts of both.

import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { z } from 'zod';

import { OperatorError } from '../../../errors.ts';
import { databasePath, syncFolder } from '../engine/database.ts';
import { syncFile } from './sync.ts';

const PLAN_FILE = 'counterfoil.replacement';
/** Suffixes of the files that belong to one database. */
const ENDS = ['', '-journal', '-wal', '-shm'] as const;
/** The name of a new file that is not in place yet. */
const NEW_NAME = /^counterfoil\.db\.new-[0-9a-f]{8}$/;
const plan = z.strictObject({
  newName: z.string().regex(NEW_NAME),
  /** The name of the previous database. Files that belong to it get the same suffix as before. */
  asideName: z.string().regex(/^counterfoil\.db\.before-restore-[\dTZ-]+$/),
});
type Plan = z.infer<typeof plan>;

/** What an earlier process left behind when it was interrupted. */
export type Interruption =
  /** The new file is in place now. `asidePath` is the path of the previous database. */
  | { readonly kind: 'completed'; readonly asidePath: string }
  /** The new file was not complete, so it was deleted. The previous data are unchanged. */
  | { readonly kind: 'abandoned' };

/** A path for a new file, which `replaceDatabase` can put in place. */
export function newPath(dataDir: string, random: string): string {
  return join(dataDir, `counterfoil.db.new-${random}`);
}

/**
 * Puts a complete and synced file in the place of the database. Call it only while holding the lock. Returns the path of the
 * previous database; null if there was none. If the first rename fails, everything is as before.
 */
export function replaceDatabase(dataDir: string, newFile: string, now: number): string | null {
  const chosen: Plan = { newName: basename(newFile), asideName: freeAsideName(dataDir, now) };
  const hadFiles = ENDS.some((end) => isThere(databasePath(dataDir) + end));
  writePlan(dataDir, chosen);
  try {
    complete(dataDir, chosen);
  } catch (error) {
    if (hadFiles && !ENDS.some((end) => isThere(join(dataDir, chosen.asideName) + end))) removePlan(dataDir);
    throw error;
  }
  return hadFiles ? join(dataDir, chosen.asideName) : null;
}

/** Whether an earlier process was interrupted while it replaced the database. */
export function isReplacementOpen(dataDir: string): boolean {
  return existsSync(join(dataDir, PLAN_FILE));
}

/**
 * Completes an interrupted replacement, and deletes new files that were never complete. Call it only while holding the lock.
 * Safe to call twice.
 */
export function settleReplacement(dataDir: string): Interruption | undefined {
  if (isReplacementOpen(dataDir)) {
    const found = readPlan(dataDir);
    complete(dataDir, found);
    return { kind: 'completed', asidePath: join(dataDir, found.asideName) };
  }
  const left = readdirSync(dataDir).filter((name) => NEW_NAME.test(name.replace(/-journal$/, '')));
  for (const name of left) rmSync(join(dataDir, name), { force: true });
  return left.length > 0 ? { kind: 'abandoned' } : undefined;
}

function complete(dataDir: string, { newName, asideName }: Plan): void {
  const [newFile, database, aside] = [join(dataDir, newName), databasePath(dataDir), join(dataDir, asideName)];
  // Once the new file is in place, the files beside it belong to it.
  if (isThere(newFile)) {
    for (const end of ENDS) if (isThere(database + end)) renameSync(database + end, freePath(aside + end));
    syncFolder(dataDir); // no power cut may leave the new database beside the previous log
    renameSync(newFile, database);
    syncFolder(dataDir);
  }
  if (!isThere(database)) {
    throw new OperatorError(
      `A restore was interrupted, and its new file ${newFile} is missing. The previous data are in ${aside}: restore the backup again.`,
      { fault: 'data_damaged' },
    );
  }
  removePlan(dataDir);
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
function freeAsideName(dataDir: string, now: number): string {
  const at = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  const name = `counterfoil.db.before-restore-${at}`;
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
