// Verdicts about store days. Verdicts are appended and never changed; the newest verdict of a day is in force.

import type { DayEntry } from '../../../contract/days.ts';
import type { Note, Reason } from '../../../contract/verdicts.ts';
import type { DatesQuery } from '../../days/ledger.ts';
import type { NewVerdict, StoredVerdict } from '../../verdicts/ledger.ts';
import type { Connection } from '../engine/database.ts';

interface Row extends Omit<StoredVerdict, 'journalId' | 'day' | 'isProvisional' | 'reasons' | 'notes'> {
  readonly date: string;
  readonly from: number;
  readonly to: number;
  readonly provisional: 0 | 1;
  readonly reasons: string;
  readonly notes: string;
}

const SELECT = `
  SELECT id, date, from_at AS "from", to_at AS "to", at, verdict, provisional, reasons, notes, basis, url, here, open,
    upstream, earlier, earlier_taken AS earlierTaken, declared
  FROM verdicts`;

/** Adds a verdict. Returns its id. */
export function addVerdict(db: Connection, verdict: NewVerdict): number {
  const { journalId, day, isProvisional, reasons, notes, ...rest } = verdict;
  const { lastInsertRowid } = db
    .prepare(`
    INSERT INTO verdicts (journal_id, date, from_at, to_at, at, verdict, provisional, reasons, notes, basis, url, here, open,
      upstream, earlier, earlier_taken, declared)
    VALUES (@journalId, @date, @from, @to, @at, @verdict, @provisional, @reasons, @notes, @basis, @url, @here, @open,
      @upstream, @earlier, @earlierTaken, @declared)`)
    .run({
      journalId,
      ...day,
      ...rest,
      provisional: Number(isProvisional),
      reasons: JSON.stringify(reasons),
      notes: JSON.stringify(notes),
    });
  return Number(lastInsertRowid);
}

/**
 * Selects the newest verdict of each day in a range of dates, both included. All SQL here is exported for tests of its query
 * plan.
 */
export const LATEST_SQL = `
  ${SELECT} WHERE id IN (
    SELECT max(id) FROM verdicts WHERE journal_id = @journalId AND date >= @from AND date <= @to GROUP BY date)`;
/** Selects for each day the newest verdict whose check compared every id. */
export const PASSES_SQL = `
  ${SELECT} WHERE id IN (
    SELECT max(id) FROM verdicts
    WHERE journal_id = @journalId AND date >= @from AND date <= @to AND basis = 'ids' GROUP BY date)`;
/** Selects the first date, from a date on, with a verdict; null without one. */
export const DATE_SQL = 'SELECT min(date) FROM verdicts WHERE journal_id = @journalId AND date >= @from';

/**
 * `verdicts` has the newest verdict of each date. `passes` has the newest verdict of each date whose check compared every id.
 */
export interface LatestVerdicts {
  readonly verdicts: ReadonlyMap<string, StoredVerdict>;
  readonly passes: ReadonlyMap<string, StoredVerdict>;
}

export function openVerdictReader(db: Connection): (query: DatesQuery) => LatestVerdicts {
  const selectLatest = db.prepare<unknown[], Row>(LATEST_SQL);
  const selectPasses = db.prepare<unknown[], Row>(PASSES_SQL);
  const byDate = ({ journalId }: DatesQuery, rows: readonly Row[]): ReadonlyMap<string, StoredVerdict> =>
    new Map(rows.map((row) => [row.date, verdictOf(journalId, row)]));
  return (query) => ({
    verdicts: byDate(query, selectLatest.all(query)),
    passes: byDate(query, selectPasses.all(query)),
  });
}

/** Finds the first date, from the date `from` on, with a verdict. */
export function findVerdictDate(db: Connection, journalId: number, from: string): string | undefined {
  return db.prepare<unknown[], string | null>(DATE_SQL).pluck().get({ journalId, from }) ?? undefined;
}

/** Lists all verdicts of a day, oldest first. */
export function listVerdictEntries(db: Connection, journalId: number, date: string): DayEntry[] {
  return db
    .prepare<[number, string], Row>(`${SELECT} WHERE journal_id = ? AND date = ? ORDER BY id`)
    .all(journalId, date)
    .map((row) => {
      const { at, verdict, isProvisional, reasons, basis, declared, ...found } = verdictOf(journalId, row);
      const { here, upstream, earlier, earlierTaken } = found;
      return {
        kind: 'verdict',
        at,
        verdict,
        isProvisional,
        reasons,
        basis,
        here: here + earlier,
        upstream: upstream === null ? null : upstream + earlierTaken,
        declared,
      };
    });
}

function verdictOf(journalId: number, { date, from, to, provisional, reasons, notes, ...rest }: Row): StoredVerdict {
  const day = { date, from, to };
  return {
    ...rest,
    journalId,
    day,
    isProvisional: provisional === 1,
    reasons: JSON.parse(reasons) as Reason[],
    notes: JSON.parse(notes) as Note[],
  };
}
