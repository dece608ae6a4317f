// Journals as a whole: all records of one administration in one mode.

import type { Interface, JournalView, Mode, Status, StatusCounts } from '../contract.ts';
import { DAY } from './count.ts';
import type { Connection } from './database.ts';

/** A journal as people choose it; `timeZone` is null for the machine's own. */
export type Journal = Omit<JournalView, 'timeZone'> & { readonly timeZone: string | null };

/** How many records of each interface and status a journal holds. */
export interface JournalCounts {
  readonly administration: string;
  readonly mode: Mode;
  readonly records: Readonly<Record<Interface, StatusCounts>>;
}

interface Sum {
  readonly journalId: number;
  readonly administration: string;
  readonly mode: Mode;
  /** Null, as is the rest, for a journal without records. */
  readonly interface: Interface | null;
  readonly status: Status | null;
  readonly records: number | null;
}

/** Sums the day buckets of every journal; journals without records are listed too. */
export function countStatuses(db: Connection): JournalCounts[] {
  const sums = db
    .prepare<[], Sum>(`
    SELECT journals.id AS journalId, administrations.name AS administration, mode, interface, status, sum(records) AS records
    FROM journals JOIN administrations ON administrations.id = administration_id
    LEFT JOIN counts ON counts.journal_id = journals.id AND width = ${DAY}
    GROUP BY journals.id, interface, status ORDER BY administration, mode`)
    .all();
  const journals = new Map<number, JournalCounts>();
  for (const { journalId, administration, mode, interface: by, status, records } of sums) {
    const journal = journals.get(journalId) ?? { administration, mode, records: { current: none(), earlier: none() } };
    journals.set(journalId, journal);
    if (by !== null && status !== null) journal.records[by][status] = records ?? 0;
  }
  return [...journals.values()];
}

/** Lists every journal in the order administration, mode. */
export function listJournals(db: Connection): Journal[] {
  const rows = db
    .prepare<[], Omit<Journal, 'records'>>(`
    SELECT journals.id, administrations.name AS administration, mode, time_zone AS timeZone, day_starts_at AS dayStartsAt
    FROM journals JOIN administrations ON administrations.id = administration_id ORDER BY administration, mode`)
    .all();
  const counts = countStatuses(db);
  return rows.map((row) => {
    const found = counts.find(({ administration, mode }) => administration === row.administration && mode === row.mode);
    const { current, earlier } = found?.records ?? { current: none(), earlier: none() };
    const records = {
      NEW: current.NEW + earlier.NEW,
      IGNORED: current.IGNORED + earlier.IGNORED,
      ERROR: current.ERROR + earlier.ERROR,
    };
    return { ...row, records };
  });
}

const none = (): StatusCounts => ({ NEW: 0, IGNORED: 0, ERROR: 0 });
