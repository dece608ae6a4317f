// Journals. A journal has all records of one administration in one mode.

import {
  type Interface,
  INTERFACES,
  type Mode,
  type Status,
  type StatusCounts,
  STATUSES,
} from '../../../contract/codes.ts';
import type { Journal } from '../../../contract/setup.ts';
import type { JournalCounts } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { DAY } from '../records/count.ts';
import { listAdministrations } from './administration.ts';

interface Sum {
  readonly journalId: number;
  readonly administration: string;
  readonly mode: Mode;
  readonly interface: Interface;
  readonly status: Status;
  readonly records: number;
}

/** Reads one range of buckets for each journal, interface and status. Exported for the query-plan test. */
export const STATUSES_SQL = `
  SELECT journals.id AS journalId, administrations.name AS administration, mode, interfaces.value AS interface,
    statuses.value AS status, (
      SELECT coalesce(sum(records), 0) FROM counts
      WHERE journal_id = journals.id AND interface = interfaces.value AND status = statuses.value AND width = ${DAY}
    ) AS records
  FROM journals JOIN administrations ON administrations.id = administration_id
  CROSS JOIN json_each('${JSON.stringify(INTERFACES)}') AS interfaces CROSS JOIN json_each('${JSON.stringify(STATUSES)}') AS statuses
  ORDER BY administration, mode`;

/** Sums the day buckets of every journal, including journals without records. */
export function countStatuses(db: Connection): JournalCounts[] {
  const journals = new Map<number, JournalCounts>();
  for (const sum of db.prepare<[], Sum>(STATUSES_SQL).iterate()) {
    const { journalId, administration, mode, records } = sum;
    const journal = journals.get(journalId) ?? { administration, mode, records: { current: none(), earlier: none() } };
    journals.set(journalId, journal);
    journal.records[sum.interface][sum.status] = records;
  }
  return [...journals.values()];
}

/** Lists all journals, sorted by administration and mode, from one snapshot of the database. */
export function listJournals(db: Connection): Journal[] {
  type Row = Omit<Journal, 'hasRecords' | 'timeZone' | 'dayRules'> & { readonly hasRecords: 0 | 1 };
  const select = db.prepare<[], Row>(`
    SELECT journals.id, administrations.name AS administration, mode,
      EXISTS (SELECT 1 FROM counts WHERE journal_id = journals.id AND records > 0) AS hasRecords
    FROM journals JOIN administrations ON administrations.id = administration_id ORDER BY administration, mode`);
  return db.transaction(() => {
    const administrations = new Map(listAdministrations(db).map((each) => [each.name, each]));
    return select.all().map(({ hasRecords, ...row }): Journal => {
      const administration = administrations.get(row.administration);
      if (administration === undefined)
        throw new Error(`journal ${row.id} belongs to the unknown administration ${row.administration}`);
      const { timeZone, dayRules } = administration;
      return { ...row, timeZone, dayRules, hasRecords: hasRecords === 1 };
    });
  })();
}

/** Returns the names of a journal. Throws if the journal does not exist. */
export function getJournalName(db: Connection, journalId: number): { administration: string; mode: Mode } {
  const row = db
    .prepare<[number], { administration: string; mode: Mode }>(`
    SELECT name AS administration, mode FROM journals JOIN administrations ON administrations.id = administration_id
    WHERE journals.id = ?`)
    .get(journalId);
  if (row === undefined) throw new Error(`no journal has the id ${journalId}`);
  return row;
}

const none = (): StatusCounts => ({ NEW: 0, IGNORED: 0, ERROR: 0 });
