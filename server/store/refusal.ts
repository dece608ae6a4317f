// The refusal log: calls that were not accepted, kept apart from records for thirty days so that a shop can see what
// was not taken and why. It is bounded, so that a flood of bad calls can't fill the disk.

import type { ErrorCode } from '../contract.ts';
import type { Connection } from './database.ts';

export interface Refusal {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The till's network address. */
  readonly address: string;
  /** The key that was presented, where it is known. */
  readonly keyId: number | null;
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  readonly code: ErrorCode;
  readonly detail: string;
  /** Enough of the call to recognise it, with values masked. */
  readonly excerpt: string;
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const MOST_KEPT = 100_000;

/** Adds refusals and drops what is too old or too much, within the caller's transaction. */
export function addRefusals(db: Connection, refusals: readonly Refusal[], now: number): void {
  const insert = db.prepare(`
    INSERT INTO refusals (at, address, key_id, method, path, code, detail, excerpt)
    VALUES (@at, @address, @keyId, @method, @path, @code, @detail, @excerpt)`);
  for (const refusal of refusals) insert.run(refusal);
  db.prepare('DELETE FROM refusals WHERE at < ?').run(now - KEPT_MS);
  db.prepare('DELETE FROM refusals WHERE id <= (SELECT max(id) FROM refusals) - ?').run(MOST_KEPT);
}

/** A refusal as it is listed: `label` is the till of its key. */
export type ListedRefusal = Refusal & { readonly id: number; readonly label: string | null };

/** Lists refusals, newest first. */
export function listRefusals(db: Connection, limit: number): ListedRefusal[] {
  return db
    .prepare(`
    SELECT refusals.id, at, address, key_id AS keyId, label, method, path, code, detail, excerpt
    FROM refusals LEFT JOIN keys ON keys.id = key_id LEFT JOIN tills ON tills.id = till_id
    ORDER BY refusals.id DESC LIMIT ?`)
    .all(limit) as ListedRefusal[];
}
