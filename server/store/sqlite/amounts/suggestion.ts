// Suggests rules from the newest records of an administration. Tills choose types and sizes freely. So each type is a separate
// query with a limit of bytes, and the reader answers other queries in between.

import type { AmountSuggestion } from '../../../contract/amounts.ts';
import type { EarlierMethod } from '../../../contract/codes.ts';
import { type Sample, suggestRule } from '../../amounts/suggest.ts';
import { BODY_BYTES_SQL, bodyColumns, type BodyRow, IS_IN_DATABASE_SQL, openBodies } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import { NEW_STREAM } from '../records/record-stream.ts';

/**
 * `sales`: newest sales of a journal and interface that are searched. `types`: maximum types of an administration. `samples`:
 * maximum records of each type in a journal and interface. `bytes`: no further record of them is read once this many bytes of
 * bodies were read. `bodyBytes`: records with larger bodies, or with bodies in archive files, are skipped.
 */
const LIMITS = { sales: 10_000, types: 30, samples: 50, bytes: 200_000, bodyBytes: 100_000 };

const NEWEST_SQL = `
  SELECT type, sold_at, record_id FROM sales WHERE journal_id = @journalId AND stream = @stream
  ORDER BY sold_at DESC, record_id DESC LIMIT ${LIMITS.sales}`;

/** Exported for the test that asserts the query plans. */
export const SUGGESTION_SQL = {
  types: `
    SELECT type, count(*) AS sales FROM (${NEWEST_SQL}) AS newest
    WHERE type NOT IN (
      SELECT type FROM amount_rules
      WHERE administration_id = (SELECT administration_id FROM journals WHERE id = @journalId) AND is_replaced = 0)
    GROUP BY type ORDER BY sales DESC, max(sold_at) DESC LIMIT ${LIMITS.types}`,
  samples: `
    SELECT record_id FROM (${NEWEST_SQL}) AS newest WHERE type = @type
    ORDER BY sold_at DESC, record_id DESC LIMIT ${LIMITS.samples}`,
};

interface CallRow extends BodyRow {
  readonly externalId: string;
  readonly method: EarlierMethod | null;
}

/** Lists the most frequent types that have no rule. The types of production come before types that only test data have. */
export function listTypesWithoutRule(db: Connection, administration: string): string[] {
  const selectTypes = db.prepare<unknown[], { type: string; sales: number }>(SUGGESTION_SQL.types);
  const found = listJournalIds(db, administration).flatMap((journalId) => {
    const sales = new Map<string, number>();
    for (const stream of Object.values(NEW_STREAM))
      for (const row of selectTypes.all({ journalId, stream }))
        sales.set(row.type, (sales.get(row.type) ?? 0) + row.sales);
    return [...sales].toSorted(([, one], [, other]) => other - one).map(([type]) => type);
  });
  return [...new Set(found)].slice(0, LIMITS.types);
}

/** Suggests the rule of a type. Uses test data only if production data give no suggestion. */
export function suggestAmount(db: Connection, administration: string, type: string): AmountSuggestion | undefined {
  const selectIds = db.prepare<unknown[], number>(SUGGESTION_SQL.samples).pluck();
  const selectCall = db.prepare<[number, number], CallRow>(`
    SELECT external_id AS externalId, method, ${bodyColumns(db)} FROM records
    WHERE id = ? AND ${BODY_BYTES_SQL} < ? AND ${IS_IN_DATABASE_SQL}`);
  const bodyOf = openBodies(db);
  for (const journalId of listJournalIds(db, administration))
    for (const stream of Object.values(NEW_STREAM)) {
      const samples: Sample[] = [];
      let bytes = 0;
      for (const id of selectIds.all({ journalId, stream, type })) {
        if (bytes >= LIMITS.bytes) break;
        const row = selectCall.get(id, LIMITS.bodyBytes);
        if (row === undefined) continue;
        const body = bodyOf(id, row);
        bytes += body.byteLength;
        samples.push({ externalId: row.externalId, call: { method: row.method, body } });
      }
      const suggestion = suggestRule(type, samples);
      if (suggestion !== undefined) return suggestion;
    }
  return undefined;
}

/** Lists the journal for production first. */
function listJournalIds(db: Connection, administration: string): number[] {
  return db
    .prepare<[string], number>(`
    SELECT journals.id FROM journals JOIN administrations ON administrations.id = administration_id WHERE name = ? ORDER BY mode`)
    .pluck()
    .all(administration);
}
