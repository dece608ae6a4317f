// Selects the newest records of an administration by type, to suggest rules from them.

import type { AmountSuggestion } from '../../../contract/amounts.ts';
import type { EarlierMethod } from '../../../contract/codes.ts';
import { type Sample, suggestRule } from '../../amounts/suggest.ts';
import type { Connection } from '../engine/database.ts';
import { NEW_STREAM } from '../records/record-stream.ts';

/**
 * `sales`: newest sales of a journal and interface that are searched for types. `samples`: maximum records of each type that
 * are read. `bytes`: records with larger bodies are skipped.
 */
const LIMITS = { sales: 10_000, samples: 50, bytes: 100_000 };

/** Exported for the test that asserts the query plan. */
export const SAMPLE_SQL = `
  SELECT record_id AS id, type FROM sales WHERE journal_id = @journalId AND stream = @stream
  ORDER BY sold_at DESC, record_id DESC LIMIT ${LIMITS.sales}`;

interface CallRow {
  readonly externalId: string;
  readonly method: EarlierMethod | null;
  readonly body: Buffer;
}

/**
 * Suggests rules for the types that have no rule, sorted by type. Uses test data only if production data give no suggestion for
 * a type.
 */
export function suggestAmounts(db: Connection, administration: string): AmountSuggestion[] {
  const selectCall = db.prepare<[number, number], CallRow>(
    'SELECT external_id AS externalId, method, body FROM records WHERE id = ? AND length(body) < ?',
  );
  const journals = db
    .prepare<[string], number>(`
    SELECT journals.id FROM journals JOIN administrations ON administrations.id = administration_id WHERE name = ? ORDER BY mode`)
    .pluck()
    .all(administration);
  const settled = db
    .prepare<[string], string>(`
    SELECT type FROM amount_rules JOIN administrations ON administrations.id = administration_id
    WHERE name = ? AND is_replaced = 0`)
    .pluck()
    .all(administration);
  const suggestions = new Map<string, AmountSuggestion>();
  for (const journalId of journals)
    for (const stream of Object.values(NEW_STREAM))
      for (const [type, ids] of newestByType(db, journalId, stream)) {
        if (settled.includes(type) || suggestions.has(type)) continue;
        const calls = ids.map((id) => selectCall.get(id, LIMITS.bytes)).filter((row) => row !== undefined);
        const samples = calls.map(({ externalId, ...call }): Sample => ({ externalId, call }));
        const suggestion = suggestRule(type, samples);
        if (suggestion !== undefined) suggestions.set(type, suggestion);
      }
  return [...suggestions.values()].toSorted((a, b) => a.rule.type.localeCompare(b.rule.type));
}

function newestByType(db: Connection, journalId: number, stream: number): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { id, type } of db
    .prepare<unknown[], { id: number; type: string }>(SAMPLE_SQL)
    .iterate({ journalId, stream })) {
    const ids = found.get(type) ?? [];
    found.set(type, ids);
    if (ids.length < LIMITS.samples) ids.push(id);
  }
  return found;
}
