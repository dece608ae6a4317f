// Stores when this machine slept. During a sleep, tills could not send, and nothing could be forwarded.

import type { Sleep } from '../../../contract/machine.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';

export function noteSleep(db: Connection, { from, to }: Sleep): void {
  db.prepare('INSERT INTO sleeps (from_at, to_at) VALUES (?, ?)').run(from, to);
}

/**
 * Lists the sleeps that overlap a range of epoch seconds, in order of time. Two sleeps never overlap, so their ends are in the
 * same order as their beginnings.
 */
export function openSleepReader(db: Connection): (range: Range) => Sleep[] {
  const select = db.prepare<Range, Sleep>(`
    SELECT from_at AS "from", to_at AS "to" FROM sleeps WHERE to_at > @from * 1000 AND from_at < @to * 1000 ORDER BY to_at`);
  return (range) => select.all(range);
}
