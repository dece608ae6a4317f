/**
 * Measures the disk space of a delivered record: with its body in its row, in a pack, and in an archive file. It uses the store without
 * a gateway, and packs and archives as the gateway does, block by block.
 */
import { join } from 'node:path';

import Database from 'better-sqlite3';

import { backUp } from '../../server/store/data-directory.ts';
import { openStore } from '../../server/store/open-store.ts';
import type { Settlement } from '../../server/store/outbox/ledger.ts';
import { databasePath } from '../../server/store/sqlite/engine/database.ts';
import type { Store } from '../../server/store/store.ts';
import { createBakerySource } from './bakery-records.ts';
import { appendRecords } from './fill.ts';
import { median } from './machine.ts';
import type { BenchRecord } from './records.ts';
import type { Workspace } from './workspace.ts';

/** Bytes per record, except `records` and the times. */
export type ArchiveReport = {
  name: string;
  records: number;
  /** The database without free pages: before, when all bodies that fill packs are packed, and after archiving. */
  before: number;
  packed: number;
  after: number;
  /** The archive files. */
  files: number;
  /** The size of the database file after archiving, with its free pages. */
  file: number;
  /** A backup of the database after archiving, without the archive files. */
  backup: number;
  /** The time that the writer needed for one pack, and for one block of a file. */
  packMs: Times;
  blockMs: Times;
};

export type Times = { median: number; longest: number };

/** Then every body is old enough to be packed. */
export const laterMs = 2 * 24 * 3_600_000;

/** Sales with a body of one kB. Each has nine items with a random number and price. */
function createLargeSource(): () => BenchRecord {
  let n = 0;
  return () => {
    n += 1;
    const id = `large-${String(n).padStart(8, '0')}`;
    const timestamp = new Date(Date.UTC(2025, 0, 1) + n * 60_000).toISOString().slice(0, 19) + 'Z';
    const lines = Array.from({ length: 9 }, (_, i) => ({
      sku: Math.random().toString(36).slice(2, 14),
      name: ['Bread', 'Coffee', 'Tea', 'Cake'][(n + i) % 4],
      quantity: (n % 3) + 1,
      price: (Math.random() * 20).toFixed(2),
      vat: '9.00',
    }));
    const body = JSON.stringify({ type: 'sale', external_id: id, timestamp, object: { lines, total: '12.50' } });
    return { id, type: 'sale', timestamp, body: body.slice(0, -1) + ' '.repeat(Math.max(0, 999 - body.length)) + '}' };
  };
}

export async function measureArchive(workspace: Workspace, records: number): Promise<ArchiveReport[]> {
  return [
    await measure(workspace, 'sales of the bakery', records, await createBakerySource()),
    await measure(workspace, 'bodies of 1 kB', records, createLargeSource()),
  ];
}

async function measure(
  workspace: Workspace,
  name: string,
  records: number,
  next: () => BenchRecord,
): Promise<ArchiveReport> {
  process.stderr.write(`archiving ${records} ${name}\n`);
  const dataDir = workspace.makeFolder('archive');
  let passedMs = 0;
  const store = await openStore({ dataDir, role: 'gateway', now: () => Date.now() + passedMs });
  try {
    const secret = 'prod_bench-archive-0123456789';
    const wanted = { administration: 'Bench', mode: 'production', label: 'Till 1', interface: 'both' } as const;
    const key = await store.setup.createKey({ ...wanted, secret, isAdopted: false }, 'bench');
    if (key === undefined) throw new Error('the store has a key already');
    const empty = readPages(dataDir).used;
    await appendRecords(store, records, next);
    await deliverAll(store);
    const before = readPages(dataDir).used - empty;
    passedMs = laterMs;
    const packMs = await timeSlices(() => store.archive.packSlice());
    const packed = readPages(dataDir).used - empty;
    const all = { journalId: key.journalId, date: '2025-01-01', from: 0, to: 4_000_000_000, signedAt: 1 };
    await store.archive.write('2025-01', [all]);
    await store.archive.moveSlice(); // also reads the whole file back
    const blockMs = await timeSlices(() => store.archive.moveSlice());
    const { records: archived, fileBytes } = await store.archive.readSummary();
    if (archived !== records) throw new Error(`${archived} of ${records} records are archived`);
    const after = readPages(dataDir);
    const backup = await backUp(dataDir, join(workspace.makeFolder('backup'), 'a.db'));
    return {
      name,
      records,
      before: before / records,
      packed: packed / records,
      after: (after.used - empty) / records,
      files: fileBytes / records,
      file: after.file / records,
      backup: (backup.bytes - empty) / records,
      packMs,
      blockMs,
    };
  } finally {
    await store.close();
  }
}

async function timeSlices(work: () => Promise<boolean>): Promise<Times> {
  const times: number[] = [];
  for (let hasMore = true; hasMore;) {
    const startedAt = performance.now();
    hasMore = await work();
    times.push(performance.now() - startedAt);
  }
  return { median: median(times), longest: Math.max(...times) };
}

async function deliverAll(store: Store): Promise<void> {
  await store.records.countStatuses(); // folds
  for (const { id } of store.outbox.lanes())
    for (;;) {
      const { records } = await store.outbox.listWaiting(id, 0);
      if (records.length === 0) break;
      const outcome = { attempts: 1, answeredAt: Date.now(), answerStatus: 201, answer: null, upstreamStatus: null };
      await store.outbox.settle(
        id,
        records.map(({ recordId, status, soldAt }): Settlement => ({
          recordId,
          status,
          soldAt,
          state: 'delivered',
          ...outcome,
        })),
      );
    }
}

/** Bytes of the pages in use, and of the database with the pages of its write-ahead log. */
function readPages(dataDir: string): { readonly used: number; readonly file: number } {
  const db = new Database(databasePath(dataDir), { readonly: true });
  try {
    const [pages, free] = ['page_count', 'freelist_count'].map((name) => db.pragma(name, { simple: true }) as number);
    return { used: ((pages ?? 0) - (free ?? 0)) * 4096, file: (pages ?? 0) * 4096 };
  } finally {
    db.close();
  }
}
