// Stores that the data come from a backup. The gateway that made the backup may still run and forward the same records. So
// restored data forward nothing until a person confirms that it has stopped. The gateway then gets a new identity. Each lane
// also asks the upstream for the records of the backup that still wait, because the other gateway may have sent them.

import { randomBytes } from 'node:crypto';

import type { Restore } from '../../outbox/ledger.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';
import { findBackupTime, noteAsMoved } from '../integrity/known-file.ts';
import { noteAct } from '../setup/act-log.ts';

/** Name of the secret that identifies this gateway to other gateways. Data that were never restored do not have it. */
const IDENTITY = 'gateway';
const IDENTITY_BYTES = 32;

/** Stores that these data were restored, within the caller's transaction. `madeAt` is the time of the backup; null if unknown. */
export function noteRestore(db: Connection, madeAt: number | null, actor: string, now: number): void {
  db.prepare(`
    INSERT INTO restores (restored_at, made_at, newest_record_id)
    VALUES (?, ?, (SELECT coalesce(max(id), 0) FROM records))`).run(now, madeAt);
  noteAct(db, { act: { kind: 'restore', madeAt } }, actor, now);
}

/** Finds the restore that nobody has confirmed yet; null without one. Also finds a backup that no gateway has opened yet. */
export function findOpenRestore(db: Connection): Restore | null {
  const backupTime = findBackupTime(db);
  if (backupTime !== undefined) return { madeAt: backupTime };
  const row = db
    .prepare<[], Restore & { readonly isOpen: 0 | 1 }>(
      'SELECT made_at AS madeAt, confirmed_at IS NULL AS isOpen FROM restores ORDER BY id DESC LIMIT 1',
    )
    .get();
  return row?.isOpen === 1 ? { madeAt: row.madeAt } : null;
}

/** When the data of the open restore were restored; null if no gateway has opened the backup yet. */
export function findRestoreTime(db: Connection): number | null {
  if (findBackupTime(db) !== undefined) return null;
  const newest = db.prepare<[], number>('SELECT restored_at FROM restores ORDER BY id DESC LIMIT 1').pluck().get();
  return newest ?? null;
}

/**
 * Stores that a person confirmed the restore, and makes the new identity. Returns false if there is no open restore; it then
 * changes nothing.
 */
export function confirmRestore(db: Connection, actor: string, now: number): boolean {
  return db
    .transaction((): boolean => {
      const restore = findOpenRestore(db);
      if (restore === null) return false;
      if (findBackupTime(db) !== undefined) {
        noteRestore(db, restore.madeAt, actor, now);
        noteAsMoved(db);
      }
      const newest = 'SELECT max(id) FROM restores';
      assertOneRow(db.prepare(`UPDATE restores SET confirmed_at = ? WHERE id = (${newest})`).run(now));
      // On the earlier interface, an upstream cannot be asked. It recognises the ids of records that it gets twice.
      db.prepare(`
        UPDATE lanes SET asks_up_to = (SELECT newest_record_id FROM restores WHERE id = (${newest}))
        WHERE interface = 'current' AND url IS NOT NULL`).run();
      db.prepare(
        'INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
      ).run(IDENTITY, randomBytes(IDENTITY_BYTES));
      noteAct(db, { act: { kind: 'confirm restore' } }, actor, now);
      return true;
    })
    .immediate();
}

/** Reads the secret that identifies this gateway to other gateways. */
export function readIdentity(db: Connection): Uint8Array {
  const found = db
    .prepare<[string], Buffer>("SELECT value FROM secrets WHERE name IN (?, 'cursor') ORDER BY name = 'cursor' LIMIT 1")
    .pluck()
    .get(IDENTITY);
  if (found === undefined) throw new Error('the data have no secret that identifies the gateway');
  return found;
}
