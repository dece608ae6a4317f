// Signatures of store days: who signed what, and who withdrew a signature. Signatures are only appended; the newest of a day is
// in force.

import type { Amount } from '../../../contract/amounts.ts';
import type { DayEntry } from '../../../contract/days.ts';
import type { Reason } from '../../../contract/verdicts.ts';
import type { DatesQuery } from '../../days/ledger.ts';
import type { NewSignOff, StoredSignOff } from '../../verdicts/ledger.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';
import { getJournalName } from '../setup/journal.ts';

interface SignOffRow extends Omit<StoredSignOff, 'reasons' | 'declaredAmounts'> {
  readonly date: string;
  readonly reasons: string;
  readonly amounts: string | null;
}

/** Selects the signatures in force, without withdrawn ones. Exported for the test of its query plan. */
export const SIGN_OFFS_SQL = `
  SELECT date, at, actor, name, note, verdict, here, earlier, declared, amounts, reasons FROM sign_offs
  WHERE is_undone = 0 AND id IN (
    SELECT max(id) FROM sign_offs WHERE journal_id = @journalId AND date >= @from AND date <= @to GROUP BY date)`;

/** Signs a day off, or withdraws the signature in force. Logs the act. */
export function addSignOff(db: Connection, { kind, ...signOff }: NewSignOff): void {
  const { journalId, date, name, note, actor, at } = signOff;
  const insert = db.prepare(`
    INSERT INTO sign_offs (journal_id, date, is_undone, verdict, here, earlier, declared, amounts, reasons, name, note, actor, at)
    VALUES (@journalId, @date, @isUndone, @verdict, @here, @earlier, @declared, @amounts, @reasons, @name, @note, @actor, @at)`);
  db.transaction(() => {
    assertOneRow(
      insert.run({
        ...signOff,
        amounts: JSON.stringify(signOff.declaredAmounts),
        reasons: JSON.stringify(signOff.reasons),
        isUndone: Number(kind === 'take back'),
      }),
    );
    const act = { kind: kind === 'take back' ? 'take back signature' : 'sign off day', date, name, note } as const;
    noteAct(db, { act, ...getJournalName(db, journalId) }, actor, at);
  }).immediate();
}

/** Reads the signatures in force, by date. */
export function openSignOffReader(db: Connection): (query: DatesQuery) => ReadonlyMap<string, StoredSignOff> {
  const select = db.prepare<unknown[], SignOffRow>(SIGN_OFFS_SQL);
  return (query) =>
    new Map(
      select.all(query).map(({ date, reasons, amounts, ...signOff }) => [
        date,
        {
          ...signOff,
          declaredAmounts: JSON.parse(amounts ?? '[]') as Amount[],
          reasons: JSON.parse(reasons) as Reason[],
        },
      ]),
    );
}

/** Lists all signatures of a day, including withdrawn ones, oldest first. */
export function listSignOffEntries(db: Connection, journalId: number, date: string): DayEntry[] {
  return db
    .prepare<[number, string], SignOffEntry & { isUndone: 0 | 1 }>(`
    SELECT at, actor, name, note, is_undone AS isUndone FROM sign_offs WHERE journal_id = ? AND date = ? ORDER BY id`)
    .all(journalId, date)
    .map(({ isUndone, ...entry }) => ({ kind: isUndone === 1 ? 'signature taken back' : 'signed off', ...entry }));
}

type SignOffEntry = Omit<Extract<DayEntry, { readonly kind: 'signed off' | 'signature taken back' }>, 'kind'>;
