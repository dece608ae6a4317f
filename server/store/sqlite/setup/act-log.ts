// The log of acts: who did what and when, kept permanently. A change by a person is logged in the same transaction.

import type { ActEntry } from '../../../contract/acts.ts';
import { actText } from '../../setup/act-text.ts';
import type { ActPageQuery, NewAct } from '../../setup/ledger.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';

/** A stored act: `act` and `detail` describe it in words, and `data` is the act as JSON. */
export interface ActRow extends Omit<ActEntry, 'act'> {
  readonly act: string;
  readonly detail: string;
  /** The act as JSON. Null if an earlier version wrote the act, and its words could not be converted to JSON. */
  readonly data: string | null;
}

/** Adds an act to the log within the caller's transaction, and returns the id of the entry. `now` is in epoch milliseconds. */
export function noteAct(db: Connection, { act, ...about }: NewAct, actor: string, now: number): number {
  const { administration = null, mode = null, interface: by = null } = about;
  const { name, detail } = actText(act);
  const { lastInsertRowid } = db
    .prepare(
      'INSERT INTO acts (at, actor, act, administration, mode, interface, detail, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(now, actor, name, administration, mode, by, detail, JSON.stringify(act));
  return Number(lastInsertRowid);
}

/** Updates the log entry of an act that is still running, within the caller's transaction. */
export function updateAct(db: Connection, id: number, act: NewAct['act']): void {
  const update = db.prepare('UPDATE acts SET detail = ?, data = ? WHERE id = ?');
  assertOneRow(update.run(actText(act).detail, JSON.stringify(act), id));
}

/** Lists acts, newest first. */
export function listActs(db: Connection, { limit, aboutLanes = false, beforeId }: ActPageQuery): ActRow[] {
  return db
    .prepare<unknown[], ActRow>(`
    SELECT id, at, actor, act, administration, mode, interface, detail, data FROM acts
    WHERE id < @beforeId AND (NOT @aboutLanes OR interface IS NOT NULL OR act IN ('restore', 'confirm restore')) ORDER BY id DESC LIMIT @limit`)
    .all({ limit, aboutLanes: Number(aboutLanes), beforeId: beforeId ?? Number.MAX_SAFE_INTEGER });
}
