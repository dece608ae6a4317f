// Declares totals of store days in SQLite. A newer total of the same day, type and till replaces an older one.

import type { NotedAct } from '../../../contract/acts.ts';
import type { Amount } from '../../../contract/amounts.ts';
import { readDecimal } from '../../../lib/decimal.ts';
import type { Declarer, DeclareResult, NewDeclaredTotal } from '../../declared/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';
import { getJournalName } from '../setup/journal.ts';
import { openAmountReader } from './declared-total.ts';

/** Exported for the test that asserts the query plans. */
export const IN_FORCE_SQL = `
  SELECT id, records, has_ids AS hasIds FROM declared_totals
  WHERE journal_id = @journalId AND date = @date AND type IS @type AND till_id IS @tillId ORDER BY id DESC LIMIT 1`;

/**
 * Adds all totals, or none if one of them names an unknown till. Notes the act, unless a till declares the totals. Skips a
 * total that is already in force with the same ids and amounts. `at` is in epoch milliseconds.
 */
export function declareTotals(
  db: Connection,
  journalId: number,
  totals: readonly NewDeclaredTotal[],
  { actor, source, at }: Declarer & { readonly at: number },
): DeclareResult {
  const findInForce = db.prepare<unknown[], InForce>(IN_FORCE_SQL);
  const hasId = db.prepare('SELECT 1 FROM declared_ids WHERE declared_id = ? AND external_id = ?');
  const insert = db.prepare(`
    INSERT INTO declared_totals (journal_id, date, type, till_id, records, has_ids, source, actor, at)
    VALUES (@journalId, @date, @type, @tillId, @records, @hasIds, @source, @actor, @at)`);
  const insertId = db.prepare('INSERT INTO declared_ids (declared_id, external_id) VALUES (?, ?)');

  const insertAmount = db.prepare('INSERT INTO declared_amounts (declared_id, currency, value) VALUES (?, ?, ?)');
  const listAmounts = openAmountReader(db);

  const saysTheSame = (entry: InForce | undefined, { records, ids, amounts = [] }: NewDeclaredTotal): boolean => {
    if (records !== (entry?.records ?? null)) return false;
    if (entry !== undefined && !areSame(listAmounts(entry.id), amounts)) return false;
    if (entry === undefined || ids === undefined) return entry === undefined || entry.hasIds === 0;
    return entry.hasIds === 1 && ids.every((id) => hasId.get(entry.id, id) !== undefined);
  };
  const add = ({ date, type, tillId, records, ids, amounts = [] }: NewDeclaredTotal): number => {
    if (ids !== undefined && ids.length !== records)
      throw new Error('a total was declared with other ids than it counts');
    const hasIds = Number(ids !== undefined);
    const { lastInsertRowid } = insert.run({ journalId, date, type, tillId, records, hasIds, source, actor, at });
    for (const id of ids?.toSorted() ?? []) insertId.run(lastInsertRowid, id);
    for (const { currency, value } of amounts) insertAmount.run(lastInsertRowid, currency ?? '', value);
    return Number(lastInsertRowid);
  };

  return db
    .transaction((): DeclareResult => {
      const tills = new Set(totals.map(({ tillId }) => tillId).filter((tillId) => tillId !== null));
      const getTill = db.prepare('SELECT 1 FROM tills WHERE id = ? AND journal_id = ?');
      for (const tillId of tills) if (getTill.get(tillId, journalId) === undefined) return { kind: 'unknown till' };
      const added: NewDeclaredTotal[] = [];
      const ids = totals.map((total) => {
        const { date, type, tillId } = total;
        const entry = findInForce.get({ journalId, date, type, tillId });
        if (saysTheSame(entry, total)) return entry?.id ?? null;
        added.push(total);
        return add(total);
      });
      if (added.length > 0 && source !== 'till') {
        noteAct(db, { act: declaration(db, added), ...getJournalName(db, journalId) }, actor, at);
      }
      return { kind: 'declared', added: added.length, ids };
    })
    .immediate();
}

interface InForce {
  readonly id: number;
  readonly records: number | null;
  readonly hasIds: 0 | 1;
}

function areSame(some: readonly Amount[], others: readonly Amount[]): boolean {
  const isIn = ({ currency, value }: Amount): boolean =>
    others.some((other) => other.currency === currency && readDecimal(other.value) === readDecimal(value));
  return some.length === others.length && some.every(isIn);
}

/** Makes one act for the log that covers all these totals. There must be at least one total. */
function declaration(db: Connection, totals: readonly NewDeclaredTotal[]): NotedAct {
  const dates = totals.map(({ date }) => date).toSorted();
  const [from = '', to = from] = [dates[0], dates.at(-1)];
  const [only, ...more] = totals;
  if (only === undefined || more.length > 0) return { kind: 'import totals', from, to, totals: totals.length };
  const { date, type, tillId, records, amounts = [] } = only;
  const till = db.prepare<[number | null], string>('SELECT label FROM tills WHERE id = ?').pluck().get(tillId) ?? null;
  return { kind: 'declare total', date, type, till, records, ...(amounts.length > 0 && { amounts }) };
}
