// Verdicts about store days. They are appended and never overwritten: the newest is in force.

import type { Basis, DayEntry, Reason, StoreDay, Verdict } from '../contract.ts';
import type { Connection } from './database.ts';
import type { DatesQuery } from './day.ts';

/** What was found out about a day. */
export interface NewVerdict {
  readonly journalId: number;
  /** As it is by the rule of its time. */
  readonly day: StoreDay;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly verdict: Verdict;
  readonly isProvisional: boolean;
  readonly reasons: readonly Reason[];
  readonly basis: Basis | null;
  /** The base address of the upstream that it is about; null where none was set. */
  readonly url: string | null;
  /** NEW records of the current interface, there and here. */
  readonly here: number;
  /** Of those here, so many were on their way. */
  readonly open: number;
  readonly upstream: number | null;
  readonly declared: number | null;
}

export interface StoredVerdict extends NewVerdict {
  readonly id: number;
}

interface Row extends Omit<StoredVerdict, 'journalId' | 'day' | 'isProvisional' | 'reasons'> {
  readonly date: string;
  readonly from: number;
  readonly to: number;
  readonly provisional: 0 | 1;
  readonly reasons: string;
}

const SELECT = `
  SELECT id, date, from_at AS "from", to_at AS "to", at, verdict, provisional, reasons, basis, url, here, open, upstream, declared
  FROM verdicts`;

/** Adds a verdict. Returns its id. */
export function addVerdict(db: Connection, verdict: NewVerdict): number {
  const { journalId, day, isProvisional, reasons, ...rest } = verdict;
  const { lastInsertRowid } = db
    .prepare(`
    INSERT INTO verdicts (journal_id, date, from_at, to_at, at, verdict, provisional, reasons, basis, url, here, open, upstream, declared)
    VALUES (@journalId, @date, @from, @to, @at, @verdict, @provisional, @reasons, @basis, @url, @here, @open, @upstream, @declared)`)
    .run({ journalId, ...day, ...rest, provisional: Number(isProvisional), reasons: JSON.stringify(reasons) });
  return Number(lastInsertRowid);
}

/** The newest verdict about each of the days from one date to another, both included. Exported SQL is for tests of its plan. */
export const LATEST_SQL = `
  ${SELECT} WHERE id IN (
    SELECT max(id) FROM verdicts WHERE journal_id = @journalId AND date >= @from AND date <= @to GROUP BY date)`;
/** When every id of each of them was last compared. */
export const PASSES_SQL = `
  SELECT date, max(at) AS at FROM verdicts
  WHERE journal_id = @journalId AND date >= @from AND date <= @to AND basis = 'ids' GROUP BY date`;

/** By date: the newest verdict, and when every id was last compared. */
export interface LatestVerdicts {
  readonly verdicts: ReadonlyMap<string, StoredVerdict>;
  readonly passes: ReadonlyMap<string, number>;
}

export function openVerdictReader(db: Connection): (query: DatesQuery) => LatestVerdicts {
  const selectLatest = db.prepare<unknown[], Row>(LATEST_SQL);
  const selectPasses = db.prepare<unknown[], { date: string; at: number }>(PASSES_SQL);
  return (query) => ({
    verdicts: new Map(selectLatest.all(query).map((row) => [row.date, verdictOf(query.journalId, row)])),
    passes: new Map(selectPasses.all(query).map(({ date, at }) => [date, at])),
  });
}

/** All verdicts about a day, the oldest first. */
export function listVerdictEntries(db: Connection, journalId: number, date: string): DayEntry[] {
  return db
    .prepare<[number, string], Row>(`${SELECT} WHERE journal_id = ? AND date = ? ORDER BY id`)
    .all(journalId, date)
    .map((row) => {
      const { id: _, journalId: __, day: ___, open: ____, url: _____, ...entry } = verdictOf(journalId, row);
      return { kind: 'verdict', ...entry };
    });
}

function verdictOf(journalId: number, { date, from, to, provisional, reasons, ...rest }: Row): StoredVerdict {
  const day = { date, from, to };
  return { ...rest, journalId, day, isProvisional: provisional === 1, reasons: JSON.parse(reasons) as Reason[] };
}
