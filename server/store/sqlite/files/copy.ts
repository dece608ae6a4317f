// Parts of making a copy of the database, for every kind of backup.

import { rmSync } from 'node:fs';

import Database from 'better-sqlite3';

import { forgetUnusedFiles } from '../archive/archive-file.ts';
import type { Connection } from '../engine/database.ts';
import { noteAsBackup } from '../integrity/known-file.ts';
import { carrySettings } from './carried-settings.ts';

/** The size of the database with its free pages, in bytes. A copy needs at most this size. */
export function countBytes(db: Connection): number {
  const pragma = (name: string): number => db.pragma(name, { simple: true }) as number;
  return pragma('page_count') * pragma('page_size');
}

/**
 * Stores in the copy that it is a backup, and the settings file. A gateway then reads the whole copy before it uses the data, and
 * forwards nothing before a person confirms it. Removes archive files that only the copied data may complete.
 */
export function makeUnknown(path: string, dataDir: string, madeAt: number): void {
  const copy = new Database(path);
  try {
    copy.pragma('journal_mode = MEMORY'); // an unfinished copy needs no rollback journal
    copy.transaction(() => {
      noteAsBackup(copy, madeAt);
      forgetUnusedFiles(copy);
      carrySettings(copy, dataDir);
    })();
  } finally {
    copy.close();
  }
}

/** Removes a partial backup. Never throws, because the reason of a failed backup matters more. */
export function removePartial(path: string): void {
  for (const end of ['', '-journal']) {
    try {
      rmSync(path + end, { force: true });
    } catch {
      // Ignored: the failure of the backup itself is reported.
    }
  }
}
