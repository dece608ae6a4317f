// Exports the filtered records as CSV. By default, exports only sales, without repeats and conflicts. Reads one page at a time.

import { z } from 'zod';

import { causeSentence } from '../cause.ts';
import type { Amount, RecordAmount } from '../contract/amounts.ts';
import { STATUSES } from '../contract/codes.ts';
import type { RecordSummary } from '../contract/records.ts';
import { storeDayAt } from '../store-day.ts';
import type { BodyExcerpt, RecordLedger, SearchPosition } from '../store/records/ledger.ts';
import { formatParameter, MAX_CELL_LENGTH, timeColumns } from './csv.ts';
import type { Columns, SendExport } from './export.ts';
import { administrationOfJournal } from './journal.ts';
import type { ConsoleParts } from './parts.ts';
import { recordFilter, searchOf } from './record-query.ts';
import { readQuery } from './request.ts';
import type { Routes } from './rights.ts';

const PAGE_SIZE = 500;
/** Number of records whose bodies are read in one step. */
const BATCH = 20;

/**
 * Exports only NEW records by default, because a bookkeeper adds up all rows. The status `all` also exports repeats and
 * conflicts.
 */
const exportQuery = recordFilter.extend({ ...formatParameter, status: z.enum([...STATUSES, 'all']).default('NEW') });

export function bindRecordExport(routes: Routes, { store, clock }: ConsoleParts, sendExport: SendExport): void {
  routes.forClerks.get('/api/records.csv', async (req, res) => {
    const { format, status, ...rest } = readQuery(req, exportQuery);
    const filter = { ...rest, ...(status !== 'all' && { status }) };
    const { name, timeZone, dayRules } = administrationOfJournal(store, filter.journal);
    const { date } = storeDayAt(filter.from === undefined ? clock.now() : filter.from * 1000, dayRules);
    const read = (after?: SearchPosition): Promise<Page> => store.records.search(searchOf(filter, PAGE_SIZE, after));
    await sendExport(res, async () => ({
      name: [name, date, status === 'NEW' ? undefined : status, filter.delivery],
      columns: columnsIn(timeZone),
      rows: readRows(store.records, await read(), read),
      format,
    }));
  });
}

type Page = Awaited<ReturnType<RecordLedger['search']>>;
interface Row extends RecordSummary {
  /** The part of the body that fits into a cell. Null if the body is damaged. */
  readonly excerpt: BodyExcerpt | 'unreadable' | null | undefined;
}

async function* readRows(
  ledger: Pick<RecordLedger, 'getExcerpts'>,
  first: Page,
  read: (after: SearchPosition) => Promise<Page>,
): AsyncGenerator<Row, void> {
  let page = first;
  for (;;) {
    for (let at = 0; at < page.records.length; at += BATCH) {
      const records = page.records.slice(at, at + BATCH);
      const excerpts = await ledger.getExcerpts(
        records.map(({ recordId }) => recordId),
        MAX_CELL_LENGTH,
      );
      for (const record of records) yield { ...record, excerpt: excerpts.get(record.recordId) };
    }
    if (page.next === undefined) return;
    page = await read(page.next);
  }
}

/** The columns of the export. The headings are the words that integrators use. */
function columnsIn(timeZone: string): Columns<Row> {
  const times = (name: string, atOf: (row: Row) => number | null | undefined) => timeColumns(name, timeZone, atOf);
  const text = (value: string | number | null | undefined): string => (value == null ? '' : String(value));
  return {
    record_id: ({ recordId }) => text(recordId),
    external_id: ({ externalId }) => externalId,
    type: ({ type }) => type,
    till: ({ till }) => till,
    interface: ({ interface: by }) => by,
    status: ({ status }) => status,
    original_record_id: ({ originalId }) => text(originalId),
    ...times('sold_at', ({ soldAt }) => soldAt * 1000),
    ...times('received_at', ({ receivedAt }) => receivedAt),
    amount: ({ amount }) => (isAmount(amount) ? { amount: amount.value } : ''),
    currency: ({ amount }) => (isAmount(amount) ? (amount.currency ?? '') : ''),
    payment: ({ excerpt }) => (excerpt === 'unreadable' ? '' : text(excerpt?.payment)),
    amount_fault: ({ amount }) => (typeof amount === 'string' ? amount : ''),
    bytes: ({ bytes }) => text(bytes),
    delivery: ({ delivery }) => delivery?.state ?? 'not forwarded',
    attempts: ({ delivery }) => text(delivery?.attempts),
    ...times('answered_at', ({ delivery }) => delivery?.answeredAt),
    answer_status: ({ delivery }) => text(delivery?.answerStatus),
    answer: ({ delivery }) => text(delivery?.answer ?? (delivery?.cause && causeSentence(delivery.cause))),
    upstream_status: ({ delivery }) => text(delivery?.upstreamStatus),
    reason: ({ delivery }) => text(delivery?.reason),
    damaged: ({ excerpt }) => (excerpt === null ? 'yes' : excerpt === 'unreadable' ? 'archive file unreadable' : ''),
    content: ({ excerpt, bytes }) =>
      excerpt == null || excerpt === 'unreadable'
        ? ''
        : beginningOf(excerpt.head) + (bytes > MAX_CELL_LENGTH ? '…' : ''),
  };
}

function isAmount(amount: RecordAmount): amount is Amount {
  return typeof amount === 'object' && amount !== null;
}

/** Decodes the start of a body. Drops a last character that is cut in the middle. */
function beginningOf(head: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, { stream: true });
}
