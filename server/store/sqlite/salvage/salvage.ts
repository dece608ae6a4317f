// Copies everything that can be read from a damaged database into a new one. It never changes the damaged files, and it reads
// their pages itself, because SQLite stops at the first damaged page. Every record is verified by its SHA-256. Everything that
// follows from records is derived again. The new database is a backup, so it forwards nothing before a person confirms it.

import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import Database from 'better-sqlite3';

import type { Mode } from '../../../contract/codes.ts';
import { OperatorError } from '../../../errors.ts';
import { forgetUnusedFiles, keepArchiveFolder } from '../archive/archive-file.ts';
import { APPLICATION_ID, type Connection, databasePath, syncFolder } from '../engine/database.ts';
import { classifyStorageError } from '../engine/fault.ts';
import { assertRoom } from '../files/backup.ts';
import { createPrivateFile } from '../files/private-file.ts';
import { newPath } from '../files/replacement.ts';
import { syncFile } from '../files/sync.ts';
import { checkFile } from '../integrity/check-file.ts';
import { noteAsBackup } from '../integrity/known-file.ts';
import { definitionOf, schemaAt } from '../integrity/own-schema.ts';
import { migrate, SCHEMA_VERSION } from '../migrations.ts';
import { type Copied, copyRows, NOT_COPIED } from './copy.ts';
import { type Derived, deriveAll } from './derive.ts';
import type { IdRange, IdSet } from './id-set.ts';
import { type Evidence, findEvidence, type MissingRecord } from './missing.ts';
import { type LogState, openPageFile, type PageFile } from './page-file.ts';
import { assertTarget, findArchiveFolder, findSource } from './place.ts';
import { type Replaced, repairReferences } from './reference.ts';
import { listSchemaRows, openScan, type SchemaRow, type Tree } from './scan.ts';
import { fits, listTables } from './table.ts';

export interface TableLoss {
  readonly table: string;
  /** Rows that were copied. */
  readonly rows: number;
  /** Rows that were read, but do not fit the schema or refer to rows that are lost. */
  readonly rejected: number;
}

/** Consecutive ids without a record. */
export interface Gap extends IdRange {
  /** When the records before and after the gap arrived, in epoch milliseconds; null without such a record. */
  readonly afterArrival: number | null;
  readonly beforeArrival: number | null;
}

export interface NamedRecord extends Omit<MissingRecord, 'journalId'> {
  readonly administration: string | null;
  readonly mode: Mode | null;
}

export interface Salvaged extends Replaced, Derived {
  /** Number of records in the new database. */
  readonly records: number;
  /** The records whose id, type or time of sale was damaged, and was read from their bytes again. */
  readonly corrected: readonly number[];
  /** Number of ids, up to the newest known one, that have no record. */
  readonly missing: number;
  readonly gaps: readonly Gap[];
  /** The missing records about which an index has data. */
  readonly known: readonly NamedRecord[];
  /** The missing records whose bytes can be read, but do not match their SHA-256. */
  readonly changed: readonly number[];
  /** Whether records may be lost that are newer than every known id. */
  readonly mayLackNewest: boolean;
  /** The tables of which rows are lost. `records` is not one of them. */
  readonly tables: readonly TableLoss[];
  readonly damagedPages: readonly number[];
  /** Number of pages that the file does not have any more. */
  readonly missingPages: number;
  readonly log: LogState;
}

export type SalvageProgress =
  | { readonly step: 'copy'; readonly done: number; readonly total: number }
  | { readonly step: 'derive' | 'check' };

type OnProgress = (progress: SalvageProgress) => void;

/** The first schema whose records have all columns of this version. */
const OLDEST_SCHEMA = 2;
/**
 * Salvages the database at `path` into `toDir`, which must be missing or empty. `dataDir` is the data directory of the
 * database; undefined if it is a single file. Rejects with an OperatorError that says what to do; no file then remains.
 */
export async function salvage(
  { path: name, dataDir }: { readonly path: string; readonly dataDir: string | undefined },
  toDir: string,
  now: number,
  onProgress?: OnProgress,
): Promise<Salvaged> {
  const path = findSource(name, dataDir);
  const isNew = assertTarget(toDir);
  const file = openPageFile(path);
  if (isNew) {
    mkdirSync(toDir, { recursive: false, mode: 0o700 });
    syncFolder(dirname(toDir));
  }
  const copy = newPath(toDir, randomBytes(4).toString('hex'));
  try {
    assertRoom(statSync(path).size, toDir);
    const salvaged = await fill(file, { path, archiveFolder: findArchiveFolder(path, dataDir) }, copy, now, onProgress);
    onProgress?.({ step: 'check' });
    assertSound(copy);
    syncFile(copy);
    renameSync(copy, databasePath(toDir));
    syncFolder(toDir);
    return salvaged;
  } catch (error) {
    for (const end of ['', '-journal']) rmSync(copy + end, { force: true });
    if (isNew) rmdirSync(toDir);
    if (classifyStorageError(error) !== 'full' || error instanceof OperatorError) throw error;
    throw new OperatorError(`The disk of ${toDir} became full. Free some space, or choose a folder on another disk.`, {
      cause: error,
    });
  } finally {
    file.close();
  }
}

async function fill(
  file: PageFile,
  { path, archiveFolder }: { readonly path: string; readonly archiveFolder: string },
  copy: string,
  now: number,
  onProgress?: OnProgress,
): Promise<Salvaged> {
  const scan = openScan(file);
  const schemaRows = listSchemaRows(file, scan);
  const version = findVersion(path, file, schemaRows);
  createPrivateFile(copy);
  const db = new Database(copy);
  try {
    db.pragma('journal_mode = MEMORY'); // an unfinished copy is deleted
    db.pragma('synchronous = OFF');
    db.pragma('cache_size = -65536'); // 64 MiB, because records come in another order than the entries of their index
    db.pragma(`application_id = ${APPLICATION_ID}`);
    migrate(db, version);
    db.pragma('foreign_keys = OFF');
    const trees = findTrees(db, schemaRows, version);
    const copied = copyRows(db, { file, scan, trees }, now, (pages) =>
      onProgress?.({ step: 'copy', done: pages * 4096, total: file.pageCount * 4096 }),
    );
    if (copied.records.size === 0 && trees.size === 0)
      throw new OperatorError(`${path} has no data of Counterfoil that can be read.`);
    onProgress?.({ step: 'derive' });
    const evidence = db.transaction(() => findEvidence(db, { scan, trees }, copied.records.ids))();
    const replaced = repairReferences(db, now, copied.lost);
    migrate(db);
    forgetUnusedFiles(db);
    keepArchiveFolder(db, archiveFolder); // amounts of archived records are read from there
    db.pragma('foreign_keys = OFF');
    const derived = deriveAll(db, {
      areDeliveriesWhole: !copied.incomplete.has('deliveries') && (file.log === 'none' || file.log === 'sound'),
      foldedUntil: copied.foldedUntil,
      promoted: replaced.promoted,
    });
    db.transaction(() => noteAsBackup(db, null))();
    assertReferences(db);
    const { missing, gaps } = listGaps(db, copied.records.ids, evidence);
    return {
      ...replaced,
      ...derived,
      records: copied.records.size,
      corrected: copied.corrected,
      missing,
      gaps,
      known: nameJournals(db, evidence.records),
      changed: copied.changed.filter((id) => !copied.records.ids.has(id)),
      mayLackNewest:
        file.log === 'damaged' ||
        file.log === 'foreign' ||
        file.missingPages > 0 ||
        (copied.incomplete.has('records') && !evidence.areIndexesWhole),
      tables: listLosses(copied),
      damagedPages: scan.damagedPages(),
      missingPages: file.missingPages,
      log: file.log,
    };
  } finally {
    db.close();
  }
}

/** Finds the version to which most of the schema fits, because the number in the header may be damaged. */
function findVersion(path: string, { schema }: PageFile, rows: readonly SchemaRow[]): number {
  const found = new Map(rows.map(({ name, sql }) => [name, definitionOf({ sql })]));
  const fitting = (version: number): number =>
    schemaAt(version).filter((object) => found.get(object.name) === definitionOf(object)).length;
  const newest = { version: SCHEMA_VERSION, count: fitting(SCHEMA_VERSION) };
  if (schema !== undefined && schema > SCHEMA_VERSION && found.size > newest.count) {
    throw new OperatorError(
      `${path} was written by a newer Counterfoil (schema ${schema}, this one knows ${SCHEMA_VERSION}). Salvage it with the newer version.`,
      { fault: 'data_newer' },
    );
  }
  let best = newest;
  for (let version = SCHEMA_VERSION - 1; version >= 1; version--) {
    const count = fitting(version);
    if (count > best.count || (count === best.count && version === schema)) best = { version, count };
  }
  if (best.version >= OLDEST_SCHEMA) return best.version;
  throw new OperatorError(`${path} was written by a version of Counterfoil that is too old to be salvaged.`);
}

/** Finds our tables and indexes in the file. */
function findTrees(db: Connection, rows: readonly SchemaRow[], version: number): Map<string, Tree> {
  const tables = new Map(listTables(db).map((table) => [table.name, table]));
  const ours = new Map(schemaAt(version).map((object) => [object.name, object]));
  const trees = new Map<string, Tree>();
  for (const { name, root, sql } of rows) {
    const object = ours.get(name);
    if (object === undefined || trees.has(name) || definitionOf(object) !== definitionOf({ sql })) continue;
    const table = tables.get(name);
    if (table !== undefined) trees.set(name, { name, root, kind: table.kind, fits: (row) => fits(table, row) });
    else if (object.type === 'index')
      trees.set(name, { name, root, kind: 'index', fits: ({ values }) => typeof values.at(-1) === 'number' });
  }
  return trees;
}

/** Lists the gaps in the ids of the records. */
function listGaps(db: Connection, ids: IdSet, { newestId }: Evidence): Pick<Salvaged, 'missing' | 'gaps'> {
  const last = Math.max(newestId, db.prepare<[], number | null>('SELECT max(id) FROM records').pluck().get() ?? 0);
  const before = db
    .prepare<[number], number>('SELECT received_at FROM records WHERE id < ? ORDER BY id DESC LIMIT 1')
    .pluck();
  const after = db
    .prepare<[number], number>('SELECT received_at FROM records WHERE id > ? ORDER BY id LIMIT 1')
    .pluck();
  const gaps = ids.missingUpTo(last).map(({ from, to }) => ({
    from,
    to,
    afterArrival: before.get(from) ?? null,
    beforeArrival: after.get(to) ?? null,
  }));
  return { missing: gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0), gaps };
}

function nameJournals(db: Connection, records: readonly MissingRecord[]): NamedRecord[] {
  const find = db.prepare<[number | null], Pick<NamedRecord, 'administration' | 'mode'>>(`
    SELECT name AS administration, mode FROM journals JOIN administrations ON administrations.id = administration_id
    WHERE journals.id = ?`);
  return records.map(({ journalId, ...record }) => ({
    ...record,
    ...(find.get(journalId) ?? { administration: null, mode: null }),
  }));
}

function listLosses({ incomplete, copied, lost }: Copied): TableLoss[] {
  const names = new Set([...incomplete, ...lost.keys()]);
  return [...names]
    .filter((name) => name !== 'records' && !NOT_COPIED.has(name))
    .toSorted()
    .map((table) => ({ table, rows: copied.get(table) ?? 0, rejected: lost.get(table) ?? 0 }));
}

function assertReferences(db: Connection): void {
  const [fault] = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  if (fault !== undefined) throw new Error(`a salvaged row of ${fault.table} has no row of ${fault.parent}`);
}

/** Reads the new database completely, as `restore` does. */
function assertSound(path: string): void {
  const { areCountsChecked: _, records: __, ...faults } = checkFile(path);
  const found = Object.entries(faults).find(([, list]) => list.length > 0);
  if (found !== undefined) throw new Error(`the salvaged data are not sound: ${JSON.stringify(found)}`);
}
