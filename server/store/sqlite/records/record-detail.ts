// Reads one record in detail: its body, whether the body is intact, and its repeats. For a duplicate, also reads how it differs
// from its original.

import { type Difference, MAX_REPEATS, type RecordDetail, type RecordSummary } from '../../../contract/records.ts';
import { listDifferences } from '../../records/comparison.ts';
import { contentOf, type KeptCall } from '../../records/content.ts';
import type { BodyExcerpt } from '../../records/ledger.ts';
import { textsAt } from '../../records/text-at-pointer.ts';
import { openPaymentReader } from '../amounts/record-amount.ts';
import { bodyColumns, type BodyRow, openBodies, unlessUnreadable } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import { openSummaryReader, SUMMARY_SQL, summaryOf, type SummaryRow } from './record-summary.ts';
import { digestOf, RecordDamagedError } from './record.ts';

/**
 * Lists the newest repeats of an id. Reads one repeat more than is shown, to find out whether there are more. Exported for the
 * test of its query plan.
 */
export const REPEATS_SQL = `
  ${SUMMARY_SQL}
  WHERE records.journal_id = @journalId AND external_id = @externalId AND status != 'NEW' AND original_id = @recordId
  ORDER BY records.id DESC LIMIT ${MAX_REPEATS + 1}`;

interface StoredCall extends KeptCall {
  readonly body: Buffer;
  readonly journalId: number;
}

type CallRow = BodyRow & Pick<StoredCall, 'method' | 'journalId'>;

interface Kept {
  readonly summary: RecordSummary;
  readonly call: StoredCall;
  readonly isIntact: boolean;
  /** Whether the body is in an archive file that cannot be read. It is then empty here. */
  readonly isUnreadable: boolean;
}

/** Reads a record in detail; undefined if there is none. */
export function openDetailReader(db: Connection): (recordId: number) => RecordDetail | undefined {
  const readSummary = openSummaryReader(db);
  const selectCall = db.prepare<[number], CallRow>(
    `SELECT method, ${bodyColumns(db)}, journal_id AS journalId FROM records WHERE id = ?`,
  );
  const bodyOf = openBodies(db);
  const readPaymentOf = openPaymentReader(db);
  const selectRepeats = db.prepare<unknown[], SummaryRow>(REPEATS_SQL);

  function read(recordId: number): Kept | undefined {
    const summary = readSummary(recordId);
    const row = selectCall.get(recordId);
    if (summary === undefined || row === undefined) return undefined;
    const read = unlessUnreadable(() => bodyOf(recordId, row));
    const body = read ?? Buffer.alloc(0);
    const isIntact = digestOf(body).equals(row.digest);
    return { summary, call: { ...row, body }, isIntact, isUnreadable: read === undefined };
  }

  return (recordId: number): RecordDetail | undefined => {
    const kept = read(recordId);
    if (kept === undefined) return undefined;
    const { summary, call, isIntact } = kept;
    const original = summary.originalId === null ? undefined : read(summary.originalId);
    const { journalId } = call;
    const repeats = selectRepeats.all({ journalId, externalId: summary.externalId, recordId }).map(summaryOf);
    return {
      record: summary,
      body: textOf(call),
      payment: isIntact ? readPaymentOf(journalId, summary.type, call) : null,
      isIntact: [kept, original].every((each) => each === undefined || each.isIntact || each.isUnreadable),
      isUnreadable: kept.isUnreadable || original?.isUnreadable === true,
      original: original === undefined ? null : { record: original.summary, body: textOf(original.call) },
      differences: original === undefined ? [] : describeDifferences(original, kept),
      repeats: repeats.slice(0, MAX_REPEATS),
      hasMoreRepeats: repeats.length > MAX_REPEATS,
    };
  };
}

function textOf({ body }: StoredCall): string {
  return body.toString('utf8');
}

/** Lists the differences between two calls; empty if one of the bodies is damaged or cannot be read. */
function describeDifferences(original: Kept, resent: Kept): Difference[] {
  if (resent.summary.status === 'IGNORED' || !original.isIntact || !resent.isIntact) return [];
  const pointers = listDifferences(contentOf(original.call), contentOf(resent.call));
  const [before, after] = [textsAt(original.call, pointers), textsAt(resent.call, pointers)];
  return pointers.map((pointer) => ({
    pointer,
    original: before.get(pointer) ?? null,
    resent: after.get(pointer) ?? null,
  }));
}

/**
 * Reads an excerpt of each body, by record id. Null for a damaged body, 'unreadable' if its archive file cannot be read. Leaves out
 * unknown records.
 */
export function openExcerptReader(
  db: Connection,
): (recordIds: readonly number[], maxBytes: number) => Map<number, BodyExcerpt | 'unreadable' | null> {
  const select = db.prepare<unknown[], CallRow & { readonly id: number; readonly type: string }>(`
    SELECT id, journal_id AS journalId, type, method, ${bodyColumns(db)}
    FROM records WHERE id IN (SELECT value FROM json_each(?))`);
  const readPaymentOf = openPaymentReader(db);
  const bodyOf = openBodies(db);
  return (recordIds, maxBytes) => {
    const excerpts = new Map<number, BodyExcerpt | 'unreadable' | null>();
    for (const { id, journalId, type, method, ...row } of select.iterate(JSON.stringify(recordIds))) {
      const body = unlessUnreadable(() => bodyOf(id, row));
      if (body === undefined) {
        excerpts.set(id, 'unreadable');
        continue;
      }
      const call = { method, body };
      if (!digestOf(call.body).equals(row.digest)) {
        excerpts.set(id, null);
        continue;
      }
      // A copy is necessary: if a view is posted to another thread, the whole buffer behind it is cloned.
      const head = Uint8Array.from(call.body.subarray(0, maxBytes));
      excerpts.set(id, { head, payment: readPaymentOf(journalId, type, call) });
    }
    return excerpts;
  };
}

/**
 * Reads a body exactly as it is on disk; undefined if there is no such record. Throws a RecordDamagedError if damage has left nothing of
 * the body, and an ArchiveUnreadableError if its archive file cannot be read.
 */
export function openBodyReader(db: Connection): (recordId: number) => Uint8Array | undefined {
  const select = db.prepare<[number], BodyRow>(`SELECT ${bodyColumns(db)} FROM records WHERE id = ?`);
  const bodyOf = openBodies(db);
  return (recordId) => {
    const row = select.get(recordId);
    const body = row && bodyOf(recordId, row);
    if (body?.byteLength === 0) throw new RecordDamagedError(recordId);
    return body;
  };
}
