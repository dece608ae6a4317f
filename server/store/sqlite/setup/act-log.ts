// The log of acts: who did what and when, kept for ever. Whoever changes something notes it in the same transaction.

import type { ActView } from '../../../contract/setup.ts';
import type { NewAct, ActPageQuery } from '../../setup/ledger.ts';
import type { Connection } from '../engine/database.ts';

/** Adds to the log within the caller's transaction, and returns the id of the entry. `now` is in epoch milliseconds. */
export function noteAct(db: Connection, act: NewAct, actor: string, now: number): number {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO acts (at, actor, act, administration, mode, interface, detail) VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(now, actor, act.act, act.administration ?? null, act.mode ?? null, act.interface ?? null, act.detail ?? '');
  return Number(lastInsertRowid);
}

/** Lists acts, newest first. */
export function listActs(db: Connection, { limit, aboutLanes = false, beforeId }: ActPageQuery): ActView[] {
  return db
    .prepare<unknown[], ActView>(`
    SELECT id, at, actor, act, administration, mode, interface, detail FROM acts
    WHERE id < @beforeId AND (NOT @aboutLanes OR interface IS NOT NULL) ORDER BY id DESC LIMIT @limit`)
    .all({ limit, aboutLanes: Number(aboutLanes), beforeId: beforeId ?? Number.MAX_SAFE_INTEGER });
}
