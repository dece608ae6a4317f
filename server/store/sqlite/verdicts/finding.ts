// Findings: the records that explain a verdict, such as missing records.

import type { DeliveryState } from '../../../contract/codes.ts';
import type { Finding } from '../../../contract/days.ts';
import type { FindingsQuery, NewFinding } from '../../verdicts/ledger.ts';
import type { Connection } from '../engine/database.ts';

/** Adds findings to a verdict. Skips records that the verdict already has. */
export function addFindings(db: Connection, verdictId: number, findings: readonly NewFinding[]): void {
  const insert = db.prepare(`
    INSERT INTO findings (verdict_id, kind, external_id, record_id, type, sold_at)
    VALUES (@verdictId, @kind, @externalId, @recordId, @type, @soldAt) ON CONFLICT DO NOTHING`);
  db.transaction(() => {
    for (const finding of findings) insert.run({ verdictId, ...finding });
  }).immediate();
}

const findingsSql = (start: string): string => `
  SELECT kind, findings.external_id AS externalId, findings.type, findings.sold_at AS soldAt, findings.record_id AS recordId,
    label AS till, state AS delivery
  FROM findings LEFT JOIN records ON records.id = findings.record_id LEFT JOIN keys ON keys.id = key_id
  LEFT JOIN tills ON tills.id = till_id LEFT JOIN deliveries ON deliveries.record_id = findings.record_id
  WHERE verdict_id = @verdictId AND kind = @kind ${start} ORDER BY findings.external_id LIMIT @limit`;
/** Exported for the test that asserts the query plans. An upstream may send an empty id, so `first` has no start. */
export const FINDINGS_SQL = { first: findingsSql(''), next: findingsSql('AND findings.external_id > @after') };

/** Lists one page of the findings of a verdict of one kind. */
export function openFindingReader(db: Connection): (query: FindingsQuery) => Finding[] {
  type Row = Omit<Finding, 'record'> & { recordId: number | null; till: string | null; delivery: DeliveryState | null };
  const selectFirst = db.prepare<unknown[], Row>(FINDINGS_SQL.first);
  const selectNext = db.prepare<unknown[], Row>(FINDINGS_SQL.next);
  return (query) =>
    (query.after === undefined ? selectFirst : selectNext)
      .all(query)
      .map(({ recordId, till, delivery, ...finding }) => ({
        ...finding,
        record: recordId === null || till === null ? null : { recordId, till, delivery },
      }));
}
