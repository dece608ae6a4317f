/**
 * Measures the disk space of a record after its delivery. A gateway receives sales of the bakery over HTTP, forwards them to
 * the stand-in, and ends. The measurement uses a copy of the gateway's database, after a checkpoint of the write-ahead log. It
 * compares each table and index with the database before the first record. Then it packs the bodies, as the gateway does after a
 * day, and measures again.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';

import { openStore } from '../../server/store/open-store.ts';
import { databasePath } from '../../server/store/sqlite/engine/database.ts';
import { laterMs } from './disk-archive.ts';
import { readWhenQuiet } from './disk-sale.ts';
import { countWaiting, createTillKeys, setUpstream, startGateway } from './gateway.ts';
import { runLoad } from './load.ts';
import { gatewayBeforeName, gatewayName } from './subjects.ts';
import { startUpstream, upstreamToken } from './upstream.ts';
import { tryFor, type Workspace } from './workspace.ts';

/** Bytes per record. */
export type RestReport = {
  name: string;
  records: number;
  /** Growth of the database file. */
  file: number;
  /** The database file before the first record. */
  empty: number;
  /** Growth of each table and index, largest first. */
  parts: Part[];
  /** Growth of the database pages that are free or manage the file. */
  rest: number;
  /** Growth of the database without free pages, when all bodies that fill packs are packed; null for an earlier version. */
  packed: number | null;
  /** Bytes written to disk until all records were received, delivered and stored as delivered; null except on Linux. */
  written: number | null;
};

type Part = { name: string; kind: 'table' | 'index'; bytes: number };

const connections = 16;
const settleSeconds = 60;

/** Measures this gateway, and the gateway of the checkout in `before`. */
export async function measureRest(
  workspace: Workspace,
  records: number,
  before: string | undefined,
): Promise<RestReport[]> {
  const own = await measureDelivered(workspace, gatewayName, records, undefined);
  return before === undefined ? [own] : [own, await measureDelivered(workspace, gatewayBeforeName, records, before)];
}

async function measureDelivered(
  workspace: Workspace,
  name: string,
  records: number,
  checkout: string | undefined,
): Promise<RestReport> {
  process.stderr.write(`${name}: delivering ${records} sales of the bakery\n`);
  const upstream = await startUpstream(workspace);
  const data = workspace.makeFolder('rest');
  const tokens = await createTillKeys(workspace, data, checkout);
  await setUpstream(workspace, data, upstream.url, upstreamToken, checkout);
  await (await startGateway(workspace, data, checkout)).stop(); // the first start may add rows, which must not count as growth
  const empty = measureFile(workspace, data);

  const gateway = await startGateway(workspace, data, checkout);
  const writtenBefore = await readWhenQuiet(gateway.pid);
  const delivered = upstream.expect([records]);
  const { errors } = await runLoad(workspace, {
    target: { wire: 'http', ...gateway.address, tokens },
    connections,
    records: 'bakery',
    until: { kind: 'count', count: records, limitSeconds: Math.max(60, records / 100) },
    watchPid: gateway.pid,
  });
  if (Object.keys(errors).length > 0) throw new Error(`not all sales were accepted: ${JSON.stringify(errors)}`);
  await delivered;
  await tryFor(settleSeconds, async () => {
    const waiting = await countWaiting(workspace, data, checkout);
    if (waiting !== 0) throw new Error(`${waiting} records still wait`);
  });
  const writtenAfter = await readWhenQuiet(gateway.pid);
  await gateway.stop();
  await upstream.stop();

  const full = measureFile(workspace, data);
  const parts = [...full.parts]
    .map(([part, { kind, bytes }]) => ({
      name: part,
      kind,
      bytes: (bytes - (empty.parts.get(part)?.bytes ?? 0)) / records,
    }))
    .filter(({ bytes }) => bytes !== 0)
    .toSorted((a, b) => b.bytes - a.bytes);
  const file = (full.bytes - empty.bytes) / records;
  if (checkout === undefined) await packLater(data);
  return {
    name,
    records,
    file,
    empty: empty.bytes / records,
    parts,
    rest: file - parts.reduce((sum, { bytes }) => sum + bytes, 0),
    packed: checkout === undefined ? (measureFile(workspace, data).used - empty.used) / records : null,
    written: writtenAfter === null || writtenBefore === null ? null : (writtenAfter - writtenBefore) / records,
  };
}

async function packLater(data: string): Promise<void> {
  const store = await openStore({ dataDir: data, role: 'gateway', now: () => Date.now() + laterMs });
  try {
    while (await store.archive.packSlice());
  } finally {
    await store.close();
  }
}

/** The size of the database file, of its tables and of its indexes. No gateway may be running on the data folder. */
function measureFile(workspace: Workspace, data: string) {
  const copy = join(workspace.makeFolder('copy'), 'data');
  cpSync(data, copy, { recursive: true });
  const database = new Database(databasePath(copy), { fileMustExist: true });
  try {
    const [checkpoint] = database.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
    if (checkpoint.busy !== 0) throw new Error('the write-ahead log could not be emptied');
    const rows = database
      .prepare(
        `SELECT name, sum(pgsize) AS bytes, name IN (SELECT name FROM sqlite_schema WHERE type = 'index') AS isIndex
           FROM dbstat GROUP BY name`,
      )
      .all() as { name: string; bytes: number; isIndex: number }[];
    const kindOf = (isIndex: number): Part['kind'] => (isIndex === 1 ? 'index' : 'table');
    const [pages = 0, free = 0, pageSize = 0] = ['page_count', 'freelist_count', 'page_size'].map(
      (name) => database.pragma(name, { simple: true }) as number,
    );
    return {
      bytes: pages * pageSize,
      used: (pages - free) * pageSize,
      parts: new Map(rows.map(({ name, bytes, isIndex }) => [name, { kind: kindOf(isIndex), bytes }])),
    };
  } finally {
    database.close();
  }
}
