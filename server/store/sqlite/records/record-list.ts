// Lists records for the command line: newest first, filtered, of every journal.

import type { RecordSummary } from '../../../contract/records.ts';
import type { RecordFilter } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { SUMMARY_SQL, summaryOf, type SummaryRow } from './record-summary.ts';

export function listRecords(db: Connection, filter: RecordFilter): RecordSummary[] {
  const conditions = [
    filter.administration !== undefined && 'administrations.name = @administration',
    filter.mode !== undefined && 'mode = @mode',
    filter.interface !== undefined && 'records.interface = @interface',
    filter.status !== undefined && 'status = @status',
    filter.externalId !== undefined && 'external_id = @externalId',
    filter.delivery !== undefined && 'deliveries.state = @delivery',
    filter.beforeId !== undefined && 'records.id < @beforeId',
  ].filter((condition) => condition !== false);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return db
    .prepare<[RecordFilter], SummaryRow>(`${SUMMARY_SQL} ${where} ORDER BY records.id DESC LIMIT @limit`)
    .all(filter)
    .map(summaryOf);
}
