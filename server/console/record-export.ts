// Exports the filtered records as CSV. By default, exports only sales, without repeats and conflicts. Reads one page at a time,
// only as fast as the client receives it. Stops if the client disconnects or the session ends. No cell can run as a formula in
// a spreadsheet.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { stringify } from 'csv-stringify';
import type { Response } from 'express';
import { z } from 'zod';

import { causeSentence } from '../cause.ts';
import type { Amount, RecordAmount } from '../contract/amounts.ts';
import { STATUSES } from '../contract/codes.ts';
import type { CsvFormat } from '../contract/exports.ts';
import type { RecordSummary } from '../contract/records.ts';
import { ConsoleError } from '../errors.ts';
import { storeDayAt } from '../store-day.ts';
import type { BodyExcerpt, RecordLedger, SearchPosition } from '../store/records/ledger.ts';
import type { Administration } from '../store/setup/ledger.ts';
import { type Cell, cellOf, csvOptions, formatParameter, headFile, MAX_CELL_LENGTH, timeColumns } from './csv.ts';
import { administrationOfJournal } from './journal.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { recordFilter, searchOf } from './record-query.ts';
import { readQuery } from './request.ts';
import type { Routes } from './rights.ts';
import { openShares } from './shares.ts';

const PAGE_SIZE = 500;
/** Number of records whose bodies are read in one step. */
const BATCH = 20;
/** Maximum exports at one time. An export reads the disk, and tills must come first. */
const LIMITS = { max: 4, maxPerPerson: 2 };

/**
 * Exports only NEW records by default, because a bookkeeper adds up all rows. The status `all` also exports repeats and
 * conflicts.
 */
const exportQuery = recordFilter.extend({ ...formatParameter, status: z.enum([...STATUSES, 'all']).default('NEW') });

export function bindRecordExport(routes: Routes, parts: ConsoleParts): void {
  const shares = openShares(LIMITS);
  routes.forClerks.get('/api/records.csv', async (req, res) => {
    const { format, status, ...rest } = readQuery(req, exportQuery);
    const filter = { ...rest, ...(status !== 'all' && { status }) };
    const administration = administrationOfJournal(parts.store, filter.journal);
    const share = shares.take(sessionOf(res).person);
    if (share.kind === 'refused') {
      throw new ConsoleError('export_limited', {
        detail: `${share.count} exports${share.isOwn ? ' of yours' : ''} are already running: wait until one has ended.`,
        retryAfterSeconds: 10,
      });
    }
    try {
      await sendFile(res, { filter, format, administration }, parts);
    } finally {
      share.release();
    }
  });
}

interface WantedFile {
  readonly filter: z.infer<typeof recordFilter>;
  readonly format: CsvFormat;
  readonly administration: Administration;
}

/**
 * Sends the export. Rejects if the first page cannot be read. If a later page fails, the connection breaks in the middle of the
 * file.
 */
async function sendFile(
  res: Response,
  { filter, format, administration }: WantedFile,
  { store, clock, log }: ConsoleParts,
): Promise<void> {
  const read = (after?: SearchPosition): Promise<Page> => store.records.search(searchOf(filter, PAGE_SIZE, after));
  const first = await read();
  if (res.destroyed) return; // the client has left
  const { date } = storeDayAt(filter.from === undefined ? clock.now() : filter.from * 1000, administration.dayRules);
  headFile(res, [
    administration.name,
    date,
    filter.status === 'NEW' ? undefined : (filter.status ?? 'all'),
    filter.delivery,
  ]);
  const rows = Readable.from(readRows(store.records, first, read), { highWaterMark: 1 });
  const columns = columnsIn(administration.timeZone);
  const csv = stringify(csvOptions(Object.keys(columns), format));
  const cells = rows.map((row: Row) => Object.values(columns).map((cell) => cellOf(cell(row), format)));
  try {
    await pipeline(cells, csv, res, { signal: sessionOf(res).ended });
  } catch (error) {
    // The broken connection tells the client that the file is cut off.
    const { code } = error as NodeJS.ErrnoException;
    const isExpected = code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR';
    if (!isExpected) log.error({ err: error }, 'an export failed');
  }
}

type Page = Awaited<ReturnType<RecordLedger['search']>>;
interface Row extends RecordSummary {
  /** The part of the body that fits into a cell. Null if the body is damaged. */
  readonly excerpt: BodyExcerpt | null | undefined;
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

/**
 * The columns of the export: a function by the heading of the column. The function makes the cell of a record. The headings are
 * the words that integrators use.
 */
function columnsIn(timeZone: string): Readonly<Record<string, (row: Row) => Cell>> {
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
    payment: ({ excerpt }) => text(excerpt?.payment),
    amount_fault: ({ amount }) => (typeof amount === 'string' ? amount : ''),
    bytes: ({ bytes }) => text(bytes),
    delivery: ({ delivery }) => delivery?.state ?? 'not forwarded',
    attempts: ({ delivery }) => text(delivery?.attempts),
    ...times('answered_at', ({ delivery }) => delivery?.answeredAt),
    answer_status: ({ delivery }) => text(delivery?.answerStatus),
    answer: ({ delivery }) => text(delivery?.answer ?? (delivery?.cause && causeSentence(delivery.cause))),
    upstream_status: ({ delivery }) => text(delivery?.upstreamStatus),
    reason: ({ delivery }) => text(delivery?.reason),
    damaged: ({ excerpt }) => (excerpt === null ? 'yes' : ''),
    content: ({ excerpt, bytes }) =>
      excerpt == null ? '' : beginningOf(excerpt.head) + (bytes > MAX_CELL_LENGTH ? '…' : ''),
  };
}

function isAmount(amount: RecordAmount): amount is Amount {
  return typeof amount === 'object' && amount !== null;
}

/** Decodes the start of a body. Drops a last character that is cut in the middle. */
function beginningOf(head: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, { stream: true });
}
