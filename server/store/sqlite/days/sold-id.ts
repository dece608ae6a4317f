// The ids of the sales in a range, by till. Only NEW records of the current interface.

import type { SoldIds } from '../../days/ledger.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { NEW_STREAM } from '../records/record-stream.ts';
import { SALES_WITH_RECORDS } from '../records/sale.ts';

/** Maximum ids that are read. Reading them takes a few milliseconds. */
const MAX_IDS = 50_000;

/** Exported for the test that asserts the query plan. */
export const SOLD_IDS_SQL = `
  SELECT external_id AS id, label FROM ${SALES_WITH_RECORDS}
  CROSS JOIN keys ON keys.id = key_id CROSS JOIN tills ON tills.id = till_id
  WHERE sales.journal_id = @journalId AND stream = ${NEW_STREAM.current} AND sales.sold_at >= @from AND sales.sold_at < @to
  ORDER BY sales.sold_at, record_id LIMIT ${MAX_IDS + 1}`;

export function openSoldIdReader(db: Connection): (journalId: number, range: Range) => SoldIds {
  const select = db.prepare<unknown[], { id: string; label: string }>(SOLD_IDS_SQL);
  return (journalId, { from, to }) => {
    const rows = select.all({ journalId, from, to });
    const tills = new Map<string, string[]>();
    for (const { id, label } of rows.slice(0, MAX_IDS)) {
      const ids = tills.get(label);
      if (ids === undefined) tills.set(label, [id]);
      else ids.push(id);
    }
    return { tills: [...tills].map(([label, ids]) => ({ label, ids })), isPartial: rows.length > MAX_IDS };
  };
}
