// When this machine slept: tills could send nothing then, and nothing could leave.

import type { Sleep } from '../../../contract/machine.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';

/** Adds to the diary; epoch milliseconds. */
export function noteSleep(db: Connection, { from, to }: Sleep): void {
  db.prepare('INSERT INTO sleeps (from_at, to_at) VALUES (?, ?)').run(from, to);
}

/** Lists what touches a range, in the order it began; sleeps do not overlap, so that is the order of their ends. */
export function openSleepReader(db: Connection): (range: Range) => Sleep[] {
  const select = db.prepare<Range, Sleep>(`
    SELECT from_at AS "from", to_at AS "to" FROM sleeps WHERE to_at > @from * 1000 AND from_at < @to * 1000 ORDER BY to_at`);
  return (range) => select.all(range);
}
