// A backup carries the settings file, so that the data can move to another machine. Certificates and keys that a setting names
// are not carried: another program renews them, and a private key does not belong on every disk with a backup.

import { lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { SETTINGS_FILE } from '../../../setting-sources.ts';
import { type Connection, syncFolder } from '../engine/database.ts';
import { syncFile } from './sync.ts';

/** Name of the secret that stores the settings file. They are a secret, because a proxy address may contain a password. */
const NAME = 'settings';
/** A larger file is not carried. */
const MAX_BYTES = 1_000_000;

/** Stores the settings file of a data directory in a backup, within the caller's transaction. */
export function carrySettings(backup: Connection, dataDir: string): void {
  const content = readSettingsFile(dataDir);
  if (content === undefined) backup.prepare('DELETE FROM secrets WHERE name = ?').run(NAME);
  else backup.prepare('INSERT OR REPLACE INTO secrets (name, value) VALUES (?, ?)').run(NAME, Buffer.from(content));
}

/** Removes the settings file from restored data and returns it; null if the backup has none. */
export function takeSettings(restored: Connection): string | null {
  const content = restored.prepare<[string], Buffer>('SELECT value FROM secrets WHERE name = ?').pluck().get(NAME);
  restored.prepare('DELETE FROM secrets WHERE name = ?').run(NAME);
  return content?.toString() ?? null;
}

/** Reads the settings file of a data directory. Undefined if there is none, or if it cannot be read. */
export function readSettingsFile(dataDir: string): string | undefined {
  const path = join(dataDir, SETTINGS_FILE);
  try {
    return lstatSync(path).size > MAX_BYTES ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined; // a backup without settings is better than none
  }
}

/** Writes the settings file. Returns the path to which the previous file was moved; null if there was none. */
export function placeSettings(dataDir: string, content: string, now: number): string | null {
  const path = join(dataDir, SETTINGS_FILE);
  const fresh = `${path}.new`;
  writeFileSync(fresh, content, { mode: 0o600 });
  syncFile(fresh);
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const aside = `${path}.before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  if (isThere) renameSync(path, aside);
  renameSync(fresh, path);
  syncFolder(dataDir);
  return isThere ? aside : null;
}
