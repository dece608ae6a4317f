// Copies everything that can be read from a damaged database into a new one. It never changes the damaged files, and it reads
// their pages itself, because SQLite stops at the first damaged page. Every record is verified by its SHA-256. Everything that
// follows from records is derived again. The new database is a backup, so it forwards nothing before a person confirms it.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import Database from 'better-sqlite3';
import { z } from 'zod';

import type { Mode } from '../../../contract/codes.ts';
import { OperatorError } from '../../../errors.ts';
import { parseInstant, restorePlus } from '../../../lib/instant.ts';
import { textOfBody } from '../../records/content.ts';
import { forgetUnusedFiles, keepArchiveFolder } from '../archive/archive-file.ts';
import { ARCHIVE_FOLDER } from '../archive/body.ts';
import { APPLICATION_ID, type Connection, databasePath, syncFolder } from '../engine/database.ts';
import { classifyStorageError, errorCode } from '../engine/fault.ts';
import { assertRoom } from '../files/backup.ts';
import { isOwned, LOCK_FILE } from '../files/lock.ts';
import { createPrivateFile } from '../files/private-file.ts';
import { newPath } from '../files/replacement.ts';
import { syncFile } from '../files/sync.ts';
import { checkFile } from '../integrity/check-file.ts';
import { noteAsBackup } from '../integrity/known-file.ts';
import { definitionOf, schemaAt } from '../integrity/own-schema.ts';
import { migrate, SCHEMA_VERSION } from '../migrations.ts';
import { digestOf } from '../records/record.ts';
import { type Derived, deriveAll, EMPTY_AT_FIRST } from './derive.ts';
import { type IdRange, type IdSet, openIdSet } from './id-set.ts';
import { type Evidence, findEvidence, type MissingRecord } from './missing.ts';
import { type LogState, openPageFile, type PageFile } from './page-file.ts';
import type { Row, Value } from './page.ts';
import { type Replaced, repairReferences } from './reference.ts';
import { listSchemaRows, openScan, type Scan, type SchemaRow, type Tree } from './scan.ts';
import { fits, listTables, namedValues, type Table } from './table.ts';

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

/** Tables whose rows follow from others, or are about the damaged file. */
const NOT_COPIED = new Set([
  ...EMPTY_AT_FIRST,
  'fold',
  'oldest_program',
  'log_marks',
  'damaged_records',
  'index_faults',
  'scrubs',
  'check_turns',
  'links',
]);
/** Indexes from which rows of a damaged table can be read. The last value of an entry is the id. */
const COMPLETE_INDEXES = {
  administrations: { index: 'sqlite_autoindex_administrations_1', columns: ['name', 'id'] },
  journals: { index: 'sqlite_autoindex_journals_1', columns: ['administration_id', 'mode', 'id'] },
  tills: { index: 'sqlite_autoindex_tills_1', columns: ['journal_id', 'label', 'id'] },
} as const;
/** The first schema whose records have all columns of this version. */
const OLDEST_SCHEMA = 2;
/** Rows that are copied in one transaction. */
const BATCH_ROWS = 20_000;

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
  if (isNew) mkdirSync(toDir, { recursive: false, mode: 0o700 });
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

/** Returns the path of the database itself: SQLite follows a symbolic link, and keeps the log beside the file it leads to. */
function findSource(name: string, dataDir: string | undefined): string {
  const found = statSync(name, { throwIfNoEntry: false });
  if (found === undefined) throw new OperatorError(`The file ${name} does not exist.`);
  if (!found.isFile())
    throw new OperatorError(`${name} is not a file. Name the database itself, or give its directory with --data.`);
  const path = realpathSync(name);
  const folders = foldersOf(path, dataDir);
  for (const beside of [`${path}-wal`, ...folders.map((folder) => join(folder, LOCK_FILE))]) assertFile(beside);
  const inUse = folders.find(isInUse);
  if (inUse !== undefined) throw new OperatorError(`A gateway is running on ${inUse}. Stop it, then salvage again.`);
  return path;
}

/** The folders in which the lock and the archive may be. */
function foldersOf(path: string, dataDir: string | undefined): string[] {
  return dataDir === undefined ? [dirname(path)] : [dataDir, dirname(path)];
}

/** Throws if the path is something else than a missing or regular file, such as a pipe: reading it could wait permanently. */
function assertFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new OperatorError(`${path} is not a regular file. Move it to another folder, then salvage again.`);
}

function findArchiveFolder(path: string, dataDir: string | undefined): string {
  const folders = foldersOf(path, dataDir).map((folder) => join(folder, ARCHIVE_FOLDER));
  return folders.find((folder) => existsSync(folder)) ?? join(dirname(path), ARCHIVE_FOLDER);
}

/** Makes no lock file, because nothing may change beside the damaged data. */
function isInUse(dataDir: string): boolean {
  if (!existsSync(join(dataDir, LOCK_FILE))) return false;
  try {
    return isOwned(dataDir);
  } catch {
    return false; // a disk that is read-only has no running gateway
  }
}

/** Returns whether the directory is missing. */
function assertTarget(toDir: string): boolean {
  if (!existsSync(toDir)) {
    if (existsSync(dirname(toDir))) return true;
    throw new OperatorError(`The folder ${dirname(toDir)} does not exist. Make it first, or choose another place.`);
  }
  if (!statSync(toDir).isDirectory() || readdirSync(toDir).length > 0)
    throw new OperatorError(`${toDir} is not an empty folder. Choose a new one: salvage never overwrites anything.`);
  return false;
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
    db.pragma(`application_id = ${APPLICATION_ID}`);
    migrate(db, version);
    db.pragma('foreign_keys = OFF');
    const trees = findTrees(db, schemaRows, version);
    const copied = copyRows(db, { file, scan, trees }, now, onProgress);
    if (copied.records.size === 0 && trees.size === 0)
      throw new OperatorError(`${path} has no data of Counterfoil that can be read.`);
    onProgress?.({ step: 'derive' });
    const evidence = findEvidence(db, { scan, trees }, copied.records.ids);
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

interface Copied {
  readonly records: { size: number; readonly ids: IdSet };
  readonly changed: readonly number[];
  readonly corrected: readonly number[];
  /** The newest record whose delivery was stored; undefined if unknown. */
  readonly foldedUntil: number | undefined;
  /** Names of the tables of which a page is damaged or cannot be found. */
  readonly incomplete: ReadonlySet<string>;
  readonly copied: ReadonlyMap<string, number>;
  /** Number of rows that were not copied, by table. */
  readonly lost: Map<string, number>;
}

interface Source {
  readonly file: PageFile;
  readonly scan: Scan;
  readonly trees: ReadonlyMap<string, Tree>;
}

function copyRows(db: Connection, { file, scan, trees }: Source, now: number, onProgress?: OnProgress): Copied {
  const tables = listTables(db);
  const records = { size: 0, ids: openIdSet() };
  const changed: number[] = [];
  const corrected: number[] = [];
  const [copied, lost] = [new Map<string, number>(), new Map<string, number>()];
  const inserter = openInserter(db);
  let [rows, pages] = [0, 0];
  let foldedUntil: number | undefined;

  function copyRow(table: Table, row: Row, isReached: boolean): void {
    const named = namedValues(table, row);
    if (table.name === 'records' && !isUnchanged(named)) {
      if (row.rowId !== null) changed.push(row.rowId);
      return;
    }
    const isCorrected = table.name === 'records' && correctRecord(named);
    const result = inserter(table, named);
    rows += 1;
    if (rows % BATCH_ROWS === 0) db.exec('COMMIT; BEGIN');
    if (result === 'inserted') {
      copied.set(table.name, (copied.get(table.name) ?? 0) + 1);
      if (table.name === 'records' && row.rowId !== null) {
        records.size += 1;
        records.ids.add(row.rowId);
        if (isCorrected) corrected.push(row.rowId);
      }
    } else if (isReached) lost.set(table.name, (lost.get(table.name) ?? 0) + 1);
  }
  const showPage = (): void => {
    pages += 1;
    if (pages % 1000 === 0) onProgress?.({ step: 'copy', done: pages * 4096, total: file.pageCount * 4096 });
  };

  db.exec('BEGIN');
  for (const table of tables) {
    const tree = trees.get(table.name);
    if (tree === undefined) continue;
    for (const page of scan.pagesOf(tree)) {
      showPage();
      if (table.name === 'fold') foldedUntil = Number(page.rows[0]?.values[1]);
      if (!NOT_COPIED.has(table.name)) for (const row of page.rows) copyRow(table, row, true);
    }
  }
  const incomplete = new Set(tables.map(({ name }) => name).filter((name) => !trees.has(name) || scan.isDamaged(name)));
  if (incomplete.size > 0 || file.log === 'damaged') {
    const wanted = tables.filter(({ name }) => incomplete.has(name) || (file.log === 'damaged' && name === 'records'));
    for (const tree of trees.values())
      if (!tables.some(({ name }) => name === tree.name)) for (const _ of scan.pagesOf(tree)) showPage(); // finds the pages of the index
    for (const { kind, rows: found } of scan.hiddenPages()) {
      const table = chooseTable(
        wanted.filter((each) => each.kind === kind && found.every((row) => fits(each, row))),
        (each) => found.every((row) => isAllowed(db, inserter, each, row)),
      );
      if (table !== undefined && !NOT_COPIED.has(table.name)) for (const row of found) copyRow(table, row, false);
    }
    for (const [name, { index, columns }] of Object.entries(COMPLETE_INDEXES)) {
      const [tree, table] = [trees.get(index), tables.find((each) => each.name === name)];
      if (!incomplete.has(name) || tree === undefined || table === undefined) continue;
      for (const page of scan.pagesOf(tree))
        for (const { values } of page.rows) {
          const named = Object.fromEntries(columns.map((column, i) => [column, values[i] ?? null]));
          if (values.length === columns.length)
            inserter(table, name === 'administrations' ? { ...named, created_at: now } : named);
        }
    }
  }
  db.exec('COMMIT');
  return { records, changed, corrected, foldedUntil, incomplete, copied, lost };
}

/** Finds the only table to which a page may belong. A table with a CHECK that all rows meet is more likely than one without. */
function chooseTable(fitting: readonly Table[], areAllowed: (table: Table) => boolean): Table | undefined {
  const [first, second] = fitting;
  if (second === undefined) return first;
  const allowed = fitting.filter(areAllowed);
  const checked = allowed.filter(({ hasCheck }) => hasCheck);
  const likely = checked.length > 0 ? checked : allowed;
  return likely.length === 1 ? likely[0] : undefined;
}

/** Whether a table accepts a row. Stores nothing. */
function isAllowed(db: Connection, insert: Inserter, table: Table, row: Row): boolean {
  db.exec('SAVEPOINT trial');
  const result = insert(table, namedValues(table, row));
  db.exec('ROLLBACK TO trial; RELEASE trial');
  return result === 'inserted';
}

/** The scrub checks the body of an archived record, when the archive is beside the data again. */
function isUnchanged({ body, digest, archive_block: block }: Readonly<Record<string, Value>>): boolean {
  if (!Buffer.isBuffer(body) || !Buffer.isBuffer(digest)) return false;
  if (typeof block === 'number') return digest.byteLength === 32 && /^\d{1,7}$/.test(body.toString('latin1'));
  return digestOf(body).equals(digest);
}

/**
 * Reads the id, the type and the time of sale of a record of the current interface from its bytes, which the SHA-256 proves.
 * Returns whether one of them was wrong.
 */
function correctRecord(record: Record<string, Value>): boolean {
  const { interface: by, body } = record;
  if (by !== 'current' || !Buffer.isBuffer(body)) return false;
  const sent = sentFields.safeParse(parseJson(textOfBody(body)));
  if (!sent.success) return false;
  const { external_id, type, timestamp } = sent.data;
  const right = { external_id, type, sold_at: parseInstant(restorePlus(timestamp)) ?? record['sold_at'] ?? null };
  const isWrong = Object.entries(right).some(([name, value]) => record[name] !== value);
  Object.assign(record, right);
  return isWrong;
}

const sentFields = z.object({ external_id: z.string(), type: z.string(), timestamp: z.string() });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Inserter = (table: Table, row: Record<string, Value>) => 'inserted' | 'rejected';

/** Returns a function that inserts a row. A secret that the new schema has is replaced. */
function openInserter(db: Connection): Inserter {
  const statements = new Map<string, Database.Statement>();
  return (table, row) => {
    const names = Object.keys(row);
    const key = `${table.name} ${names.length}`;
    const verb = table.name === 'secrets' ? 'INSERT OR REPLACE' : 'INSERT';
    const statement =
      statements.get(key) ??
      db.prepare(`${verb} INTO ${table.name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`);
    statements.set(key, statement);
    try {
      statement.run(Object.values(row));
      return 'inserted';
    } catch (error) {
      if (/^SQLITE_(CONSTRAINT|MISMATCH|ERROR)/.test(errorCode(error) ?? '')) return 'rejected';
      throw error;
    }
  };
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
