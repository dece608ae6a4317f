// Journals as a whole: all records of one administration in one mode.

import type { Mode, StatusCounts } from '../contract.ts';
import { DAY } from './count.ts';
import type { Connection } from './database.ts';

/** How many records of each status a journal holds. */
export interface JournalCounts {
  readonly administration: string;
  readonly mode: Mode;
  readonly records: StatusCounts;
}

/** Sums the day buckets of every journal; journals without records are listed too. */
export function countStatuses(db: Connection): JournalCounts[] {
  const rows = db
    .prepare(`
    SELECT administrations.name AS administration, mode,
      coalesce(sum(records) FILTER (WHERE status = 'NEW'), 0) AS NEW,
      coalesce(sum(records) FILTER (WHERE status = 'IGNORED'), 0) AS IGNORED,
      coalesce(sum(records) FILTER (WHERE status = 'ERROR'), 0) AS ERROR
    FROM journals JOIN administrations ON administrations.id = administration_id
    LEFT JOIN counts ON counts.journal_id = journals.id AND width = ${DAY}
    GROUP BY journals.id ORDER BY administration, mode`)
    .all() as ({ administration: string; mode: Mode } & StatusCounts)[];
  return rows.map(({ administration, mode, ...records }) => ({ administration, mode, records }));
}
