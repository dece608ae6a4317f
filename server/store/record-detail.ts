// One record with all there is to say of it: its body as it came, whether it is still that, and how a duplicate differs from
// the record it repeats.

import type { Difference, RecordDetail } from '../contract.ts';
import type { Connection } from './database.ts';
import { openSummaryReader, SUMMARY_SQL, summaryOf, type SummaryRow } from './record-summary.ts';
import { digestOf } from './record.ts';

/** How many repetitions of a record are listed. */
const MOST_REPEATS = 50;

interface StoredBody {
  readonly digest: Buffer;
  readonly body: Buffer;
}

export function openDetailReader(db: Connection): (recordId: number) => RecordDetail | undefined {
  const readSummary = openSummaryReader(db);
  const selectBody = db.prepare<[number], StoredBody>('SELECT digest, body FROM records WHERE id = ?');
  const selectRepeats = db.prepare<unknown[], SummaryRow>(
    `${SUMMARY_SQL} WHERE original_id = ? ORDER BY records.id DESC LIMIT ${MOST_REPEATS}`,
  );
  return (recordId) => {
    const record = readSummary(recordId);
    const stored = selectBody.get(recordId);
    if (record === undefined || stored === undefined) return undefined;
    const original = record.originalId === null ? undefined : readSummary(record.originalId);
    const originalBody = record.originalId === null ? undefined : selectBody.get(record.originalId);
    const differences: Difference[] = [];
    return {
      record,
      body: stored.body.toString('utf8'),
      isIntact: digestOf(stored.body).equals(stored.digest),
      original:
        original === undefined || originalBody === undefined
          ? null
          : { record: original, body: originalBody.body.toString('utf8') },
      differences,
      repeats: selectRepeats.all(recordId).map(summaryOf),
    };
  };
}

/** Reads the body of a record as it is on disk; undefined where there is no such record. */
export function openBodyReader(db: Connection): (recordId: number) => Uint8Array | undefined {
  const select = db.prepare<[number], Uint8Array>('SELECT body FROM records WHERE id = ?').pluck();
  return (recordId) => select.get(recordId);
}
