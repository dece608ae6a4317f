// Stores when this machine slept: tills could not send, and nothing could be forwarded.

import type { Sleep } from '../../../contract/machine.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';

export function noteSleep(db: Connection, { from, to }: Sleep): void {
  db.prepare('INSERT INTO sleeps (from_at, to_at) VALUES (?, ?)').run(from, to);
}

/**
 * Lists the sleeps that touch a range of epoch seconds, in order. Sleeps do not overlap, so the order of their ends is that of
 * their beginnings.
 */
export function openSleepReader(db: Connection): (range: Range) => Sleep[] {
  const select = db.prepare<Range, Sleep>(`
    SELECT from_at AS "from", to_at AS "to" FROM sleeps WHERE to_at > @from * 1000 AND from_at < @to * 1000 ORDER BY to_at`);
  return (range) => select.all(range);
}
