// Declared totals in SQLite: the totals in force. Of all totals with the same day, type and till, the newest is in force.

import type { Amount } from '../../../contract/amounts.ts';
import type { DatesQuery } from '../../days/ledger.ts';
import type { DeclaredTotal } from '../../declared/ledger.ts';
import type { Connection } from '../engine/database.ts';

const SELECT = `
  SELECT declared_totals.id, date, type, till_id AS tillId, label AS till, records, has_ids AS hasIds, source, actor, at
  FROM declared_totals LEFT JOIN tills ON tills.id = till_id`;
/** Exported for the test that asserts the query plans. */
export const DECLARED_TOTAL_SQL = {
  one: `${SELECT} WHERE declared_totals.id = @declaredId AND records IS NOT NULL`,
  inForce: `
    ${SELECT}
    WHERE declared_totals.id IN (
      SELECT max(id) FROM declared_totals WHERE journal_id = @journalId AND date >= @from AND date <= @to
      GROUP BY date, type, till_id) AND records IS NOT NULL
    ORDER BY date, type, label`,
  date: `
    SELECT date FROM declared_totals AS total
    WHERE journal_id = @journalId AND date >= @from AND records IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM declared_totals AS newer
      WHERE newer.journal_id = @journalId AND newer.date = total.date AND newer.type IS total.type
        AND newer.till_id IS total.till_id AND newer.id > total.id)
    ORDER BY date LIMIT 1`,
};

export interface DeclaredTotalReader {
  /** Lists the totals in force, sorted by date, type and till. Null means all types or tills, and comes first. */
  list(dates: DatesQuery): DeclaredTotal[];
  /** Gets one total, even if a newer one is in force. */
  get(declaredId: number): DeclaredTotal | undefined;
  /** Finds the first date, from the date `from` on, with a total in force. */
  findDate(journalId: number, from: string): string | undefined;
}

export function openDeclaredTotalReader(db: Connection): DeclaredTotalReader {
  type Row = Omit<DeclaredTotal, 'hasIds' | 'amounts'> & { readonly hasIds: 0 | 1 };
  const listAmounts = openAmountReader(db);
  const selectOne = db.prepare<unknown[], Row>(DECLARED_TOTAL_SQL.one);
  const selectInForce = db.prepare<unknown[], Row>(DECLARED_TOTAL_SQL.inForce);
  const selectDate = db.prepare<unknown[], string>(DECLARED_TOTAL_SQL.date).pluck();
  const totalOf = (row: Row): DeclaredTotal => ({ ...row, hasIds: row.hasIds === 1, amounts: listAmounts(row.id) });
  return {
    list: (dates) => selectInForce.all(dates).map(totalOf),
    get(declaredId) {
      const row = selectOne.get({ declaredId });
      return row && totalOf(row);
    },
    findDate: (journalId, from) => selectDate.get({ journalId, from }),
  };
}

/** Returns a reader of the declared amounts of an entry, sorted by currency. */
export function openAmountReader(db: Connection): (declaredId: number) => Amount[] {
  const select = db.prepare<[number], Amount>(`
    SELECT nullif(currency, '') AS currency, value FROM declared_amounts WHERE declared_id = ? ORDER BY declared_amounts.currency`);
  return (declaredId) => select.all(declaredId);
}
