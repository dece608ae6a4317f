// Requested checks of store days, with their progress.

import { formatCause, parseCause } from '../../../cause.ts';
import type { OpenCheck, CheckProgress, NewCheck } from '../../checks/ledger.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';

interface Row extends Omit<OpenCheck, 'byIds' | 'resend' | 'cause'> {
  readonly byIds: 0 | 1;
  readonly resend: 0 | 1;
  readonly cause: string | null;
}

const SELECT = `
  SELECT id, journal_id AS journalId, from_date AS "from", to_date AS "to", by_ids AS byIds, resend, actor,
    asked_at AS askedAt, next_date AS next, stalled_at AS stalledAt, cause FROM checks`;

/** Requests a check. If an equal check was requested before and has not begun, returns that check instead. */
export function requestCheck(db: Connection, check: NewCheck): OpenCheck {
  const wanted = { ...check, byIds: Number(check.byIds), resend: Number(check.resend) };
  return db
    .transaction(() => {
      const insert = db.prepare(`
        INSERT INTO checks (journal_id, from_date, to_date, by_ids, resend, actor, asked_at, next_date)
        SELECT @journalId, @from, @to, @byIds, @resend, @actor, @askedAt, @from WHERE NOT EXISTS (
          SELECT 1 FROM checks WHERE journal_id = @journalId AND ended_at IS NULL AND from_date = @from AND to_date = @to
            AND by_ids = @byIds AND resend = @resend AND next_date = @from AND requests = 0)`);
      insert.run(wanted);
      const row = db
        .prepare<unknown[], Row>(`
        ${SELECT} WHERE journal_id = @journalId AND ended_at IS NULL AND from_date = @from AND to_date = @to AND by_ids = @byIds
          AND resend = @resend ORDER BY id DESC LIMIT 1`)
        .get(wanted);
      if (row === undefined) throw new Error('a check was not made');
      return checkOf(row);
    })
    .immediate();
}

/** Lists the checks that have not ended, oldest first. */
export function listOpenChecks(db: Connection): OpenCheck[] {
  return db.prepare<[], Row>(`${SELECT} WHERE ended_at IS NULL ORDER BY id`).all().map(checkOf);
}

function checkOf({ byIds, resend, cause, ...row }: Row): OpenCheck {
  return { ...row, byIds: byIds === 1, resend: resend === 1, cause: parseCause(cause) };
}

/** Stores the progress of a check. */
export function noteCheck(db: Connection, id: number, { cause, ...progress }: CheckProgress): void {
  assertOneRow(
    db
      .prepare(`
      UPDATE checks SET next_date = @next, stalled_at = @stalledAt, cause = @cause, requests = requests + @requests,
        bytes = bytes + @bytes WHERE id = @id`)
      .run({ id, ...progress, cause: cause && formatCause(cause) }),
  );
}

/** Ends a check. `at` is in epoch milliseconds. */
export function endCheck(db: Connection, id: number, at: number): void {
  assertOneRow(db.prepare('UPDATE checks SET ended_at = ?, stalled_at = NULL, cause = NULL WHERE id = ?').run(at, id));
}
