// Makes the files of a killed gateway: the database, and a write-ahead log with pages that are not in the database yet.

import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';

import { openStore } from '../../server/store/open-store.ts';
import { APPLICATION_ID } from '../../server/store/sqlite/engine/database.ts';
import { LOCK_FILE } from '../../server/store/sqlite/files/lock.ts';
import type { Store } from '../../server/store/store.ts';
import { arrivalOf, makeKey, temporaryFolder } from './temp-store.ts';

/** Size of a frame in the write-ahead log: its header and one page. */
export const FRAME_BYTES = 24 + 4096;
export const DATABASE = 'counterfoil.db';
export const WAL = 'counterfoil.db-wal';

export interface Killed {
  readonly dataDir: string;
  readonly wal: string;
  /** The number of frames in the write-ahead log. */
  readonly frames: number;
}

/**
 * Makes sales one by one, so that each sale is one commit, and then copies the files. If `isOld`, the write-ahead log
 * contains only sales. Otherwise it also contains the set-up.
 */
export async function killGatewayAfter(
  sales: number,
  { size = 200, isOld = false, work = async (_: Store) => {}, makeFolder = () => temporaryFolder() } = {},
): Promise<Killed> {
  const live = makeFolder();
  let store = await openStore({ dataDir: live, role: 'gateway' });
  try {
    const key = await makeKey(store);
    if (isOld) {
      await store.close();
      store = await openStore({ dataDir: live, role: 'gateway' });
    }
    await work(store);
    for (let i = 0; i < sales; i++)
      await store.records.append(arrivalOf(key, { externalId: `T-${i}`, object: { text: 'x'.repeat(size) } }));
    return copyKilled(live, makeFolder());
  } finally {
    await store.close();
  }
}

/** Copies the files into another folder. */
export function copyKilled(from: string, folder = temporaryFolder()): Killed {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  for (const name of [DATABASE, WAL]) copyFileSync(join(from, name), join(dataDir, name));
  writeFileSync(join(dataDir, LOCK_FILE), '');
  const wal = join(dataDir, WAL);
  return { dataDir, wal, frames: Math.floor((readFileSync(wal).byteLength - 32) / FRAME_BYTES) };
}

/**
 * Replaces the files by those that a power cut may leave while SQLite makes the database: a rollback journal that undoes the WAL
 * mode, beside a write-ahead log without frames.
 */
export function interruptCreation(dataDir: string): void {
  const [from, to] = [join(temporaryFolder(), DATABASE), join(dataDir, DATABASE)];
  const db = new Database(from);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma('cache_size = 1'); // SQLite then syncs the journal and writes pages before the commit
  db.exec('BEGIN; CREATE TABLE pages (body)');
  for (let i = 0; i < 20; i++) db.prepare('INSERT INTO pages VALUES (zeroblob(4000))').run();
  for (const end of ['', '-journal']) copyFileSync(from + end, to + end);
  db.close();
  truncateSync(join(dataDir, WAL), 32);
}

export function flipBit(path: string, byte: number, bit = 3): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(byte) ^ (1 << bit), byte);
  writeFileSync(path, bytes);
}

export function overwrite(path: string, byte: number, length: number, value = 0xa5): void {
  const bytes = readFileSync(path);
  bytes.fill(value, byte, byte + length);
  writeFileSync(path, bytes);
}
