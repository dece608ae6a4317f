// Verdicts about store days with the records behind them, and who signed. Both are appended and never overwritten: the newest
// is in force.

import type { Basis, DayEntry, DeliveryState, Finding, FindingKind, Reason, StoreDay, Verdict } from '../contract.ts';
import { noteAct } from './act-log.ts';
import { assertOneRow, type Connection } from './database.ts';
import { getJournalName } from './journal.ts';

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

/** A record behind a verdict. */
export interface NewFinding {
  readonly kind: FindingKind;
  readonly externalId: string;
  /** Null for what only the upstream has. */
  readonly recordId: number | null;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
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

/** Adds records behind a verdict; one that is there already is not added again. */
export function addFindings(db: Connection, verdictId: number, findings: readonly NewFinding[]): void {
  const insert = db.prepare(`
    INSERT INTO findings (verdict_id, kind, external_id, record_id, type, sold_at)
    VALUES (@verdictId, @kind, @externalId, @recordId, @type, @soldAt) ON CONFLICT DO NOTHING`);
  db.transaction(() => {
    for (const finding of findings) insert.run({ verdictId, ...finding });
  }).immediate();
}

/** The newest verdict about each of the days from one date to another, both included. Exported SQL is for tests of its plan. */
export const LATEST_SQL = `
  ${SELECT} WHERE id IN (
    SELECT max(id) FROM verdicts WHERE journal_id = @journalId AND date >= @from AND date <= @to GROUP BY date)`;
const PASSES_SQL = `
  SELECT date, max(at) AS at FROM verdicts
  WHERE journal_id = @journalId AND date >= @from AND date <= @to AND basis = 'ids' GROUP BY date`;

export interface DatesQuery {
  readonly journalId: number;
  /** YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
}

/** By date: the newest verdict, when every id was last compared, and the signature in force. */
export interface KnownDay {
  readonly verdict: StoredVerdict | undefined;
  readonly passedAt: number | undefined;
  readonly signOff: StoredSignOff | undefined;
}

export function openVerdictReader(db: Connection): (query: DatesQuery) => ReadonlyMap<string, KnownDay> {
  const selectLatest = db.prepare<unknown[], Row>(LATEST_SQL);
  const selectPasses = db.prepare<unknown[], { date: string; at: number }>(PASSES_SQL);
  const selectSignOffs = db.prepare<unknown[], SignOffRow>(SIGN_OFFS_SQL);
  return db.transaction((query: DatesQuery): ReadonlyMap<string, KnownDay> => {
    const { journalId } = query;
    const verdicts = new Map(selectLatest.all(query).map((row) => [row.date, verdictOf(journalId, row)]));
    const passes = new Map(selectPasses.all(query).map(({ date, at }) => [date, at]));
    const signOffs = new Map(
      selectSignOffs
        .all(query)
        .map(({ date, reasons, ...signOff }) => [date, { ...signOff, reasons: JSON.parse(reasons) as Reason[] }]),
    );
    const dates = new Set([...verdicts.keys(), ...signOffs.keys()]);
    return new Map(
      [...dates].map((date): [string, KnownDay] => [
        date,
        { verdict: verdicts.get(date), passedAt: passes.get(date), signOff: signOffs.get(date) },
      ]),
    );
  });
}

function verdictOf(journalId: number, { date, from, to, provisional, reasons, ...rest }: Row): StoredVerdict {
  const day = { date, from, to };
  return { ...rest, journalId, day, isProvisional: provisional === 1, reasons: JSON.parse(reasons) as Reason[] };
}

/** A signature, and the state of the day that it is for. */
export interface StoredSignOff {
  readonly at: number;
  readonly actor: string;
  readonly name: string;
  readonly note: string;
  readonly verdict: Verdict;
  readonly here: number;
  readonly declared: number | null;
  readonly reasons: readonly Reason[];
}

interface SignOffRow extends Omit<StoredSignOff, 'reasons'> {
  readonly date: string;
  readonly reasons: string;
}

/** A signature that was taken back is none. */
const SIGN_OFFS_SQL = `
  SELECT date, at, actor, name, note, verdict, here, declared, reasons FROM sign_offs
  WHERE is_undone = 0 AND id IN (
    SELECT max(id) FROM sign_offs WHERE journal_id = @journalId AND date >= @from AND date <= @to GROUP BY date)`;

export interface NewSignOff {
  readonly journalId: number;
  readonly date: string;
  readonly kind: 'sign off' | 'take back';
  /** Who signs. */
  readonly name: string;
  readonly note: string;
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** What is true of the day. */
  readonly verdict: Verdict;
  readonly here: number;
  readonly declared: number | null;
  readonly reasons: readonly Reason[];
}

/** Adds a signature, or takes the one in force back, and notes who did. */
export function addSignOff(db: Connection, { kind, ...signOff }: NewSignOff): void {
  const { journalId, date, name, note, actor, at } = signOff;
  const insert = db.prepare(`
    INSERT INTO sign_offs (journal_id, date, is_undone, verdict, here, declared, reasons, name, note, actor, at)
    VALUES (@journalId, @date, @isUndone, @verdict, @here, @declared, @reasons, @name, @note, @actor, @at)`);
  db.transaction(() => {
    assertOneRow(
      insert.run({ ...signOff, reasons: JSON.stringify(signOff.reasons), isUndone: Number(kind === 'take back') }),
    );
    const act = kind === 'take back' ? 'take back signature' : 'sign off day';
    const detail = `${date}: ${name}${note === '' ? '' : `, ${note}`}`;
    noteAct(db, { act, ...getJournalName(db, journalId), detail }, actor, at);
  }).immediate();
}

/** Everything that happened to the verdict about a day, the newest first. */
export function listDayEntries(db: Connection, journalId: number, date: string): DayEntry[] {
  const verdicts = db
    .prepare<[number, string], Row>(`${SELECT} WHERE journal_id = ? AND date = ? ORDER BY id`)
    .all(journalId, date)
    .map((row): DayEntry => {
      const { id: _, journalId: __, day: ___, open: ____, url: _____, ...entry } = verdictOf(journalId, row);
      return { kind: 'verdict', ...entry };
    });
  const signOffs = db
    .prepare<[number, string], SignOffEntry & { isUndone: 0 | 1 }>(`
    SELECT at, actor, name, note, is_undone AS isUndone FROM sign_offs WHERE journal_id = ? AND date = ? ORDER BY id`)
    .all(journalId, date)
    .map(({ isUndone, ...entry }): DayEntry => ({
      kind: isUndone === 1 ? 'signature taken back' : 'signed off',
      ...entry,
    }));
  return [...verdicts, ...signOffs].toSorted((a, b) => a.at - b.at).toReversed();
}

type SignOffEntry = Omit<Extract<DayEntry, { readonly kind: 'signed off' | 'signature taken back' }>, 'kind'>;

/** Exported for the test that asserts the query plan. */
export const FINDINGS_SQL = `
  SELECT kind, findings.external_id AS externalId, findings.type, findings.sold_at AS soldAt, findings.record_id AS recordId,
    label AS till, state AS delivery
  FROM findings LEFT JOIN records ON records.id = findings.record_id LEFT JOIN keys ON keys.id = key_id
  LEFT JOIN tills ON tills.id = till_id LEFT JOIN deliveries ON deliveries.record_id = findings.record_id
  WHERE verdict_id = @verdictId AND kind = @kind ORDER BY findings.external_id LIMIT @limit`;

/** The records behind a verdict, `limit` of each kind at the most. */
export function openFindingReader(
  db: Connection,
): (query: { verdictId: number; kind: FindingKind; limit: number }) => Finding[] {
  const select = db.prepare<
    unknown[],
    Omit<Finding, 'record'> & { recordId: number | null; till: string | null; delivery: DeliveryState | null }
  >(FINDINGS_SQL);
  return (query) =>
    select.all(query).map(({ recordId, till, delivery, ...finding }) => ({
      ...finding,
      record: recordId === null || till === null ? null : { recordId, till, delivery },
    }));
}
