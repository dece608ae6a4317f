// The turn to ask the upstream of a journal: one process at a time has the turn.

import type { Connection } from '../engine/database.ts';

/**
 * Takes or extends the turn of a journal until `until`, in epoch milliseconds. Returns false while another holder has the turn.
 */
export function takeCheckTurn(db: Connection, journalId: number, holder: string, now: number, until: number): boolean {
  const { changes } = db
    .prepare(`
    INSERT INTO check_turns (journal_id, holder, until) VALUES (@journalId, @holder, @until)
    ON CONFLICT DO UPDATE SET holder = @holder, until = @until
      WHERE holder = @holder OR until <= @now OR until > @now + 2 * (@until - @now)`) // after the clock was set back, `until` is too far in the future; the turn is then free
    .run({ journalId, holder, now, until });
  return changes === 1;
}

/** Gives up all turns of a holder. */
export function leaveCheckTurns(db: Connection, holder: string): void {
  db.prepare('DELETE FROM check_turns WHERE holder = ?').run(holder);
}
