// Copies the rows that can be read from the pages of a damaged database. A record stays in the copy only if its SHA-256 is right. A
// page to which no b-tree leads belongs to the only table that its rows fit.

import type Database from 'better-sqlite3';
import { z } from 'zod';

import { parseInstant, restorePlus } from '../../../lib/instant.ts';
import { textOfBody } from '../../records/content.ts';
import { isInPack, openBodies } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import { errorCode } from '../engine/fault.ts';
import { digestOf } from '../records/record.ts';
import { EMPTY_AT_FIRST } from './derive.ts';
import { type IdSet, openIdSet } from './id-set.ts';
import type { PageFile } from './page-file.ts';
import type { Row, Value } from './page.ts';
import type { Scan, Tree } from './scan.ts';
import { fits, listTables, type Table, valuesOf } from './table.ts';

/** Tables whose rows follow from others, or are about the damaged file. */
export const NOT_COPIED = new Set([
  ...EMPTY_AT_FIRST,
  'amounts', // only in schemas 20 to 30
  'fold',
  'oldest_program',
  'log_marks',
  'damaged_records',
  'index_faults',
  'scrubs',
  'check_turns',
  'links',
]);
interface CompleteIndex {
  readonly index: string;
  readonly columns: readonly string[];
}

/** Indexes from which rows of a damaged table can be read. The last value of an entry is the id. */
const COMPLETE_INDEXES: Readonly<Record<string, CompleteIndex>> = {
  administrations: { index: 'sqlite_autoindex_administrations_1', columns: ['name', 'id'] },
  journals: { index: 'sqlite_autoindex_journals_1', columns: ['administration_id', 'mode', 'id'] },
  tills: { index: 'sqlite_autoindex_tills_1', columns: ['journal_id', 'label', 'id'] },
};
/** Rows that are copied in one transaction. */
const BATCH_ROWS = 20_000;

export interface Copied {
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

/** Where the rows are read. */
export interface Source {
  readonly file: PageFile;
  readonly scan: Scan;
  readonly trees: ReadonlyMap<string, Tree>;
}

/**
 * Copies the rows of all tables into a database with the same schema. `now` replaces a lost time, in epoch milliseconds. `onPages`
 * is called with the number of pages that have been read.
 */
export function copyRows(
  db: Connection,
  { file, scan, trees }: Source,
  now: number,
  onPages?: (done: number) => void,
): Copied {
  const tables = listTables(db);
  const records = { size: 0, ids: openIdSet() };
  const changed: number[] = [];
  const corrected: number[] = [];
  const [copied, lost] = [new Map<string, number>(), new Map<string, number>()];
  const inserter = openInserter(db);
  const recordTable = tables.find(({ name }) => name === 'records');
  const places = placesOf(recordTable);
  let [rows, pages] = [0, 0];
  let foldedUntil: number | undefined;

  function copyRow(table: Table, row: Row, isReached: boolean): void {
    const values = valuesOf(table, row);
    const isRecord = table.name === 'records';
    if (isRecord && !mayBeUnchanged(values, places)) {
      if (row.rowId !== null) changed.push(row.rowId);
      return;
    }
    if (isRecord && isPacked(values)) return; // `copyPacked` copies it
    insertRow(table, values, row.rowId, isReached, isRecord && correctRecord(values, places, values[places.body]));
  }
  function isPacked(values: readonly Value[]): boolean {
    const block = values[places.archive_block];
    return typeof block === 'number' && isInPack(block);
  }
  function insertRow(
    table: Table,
    values: readonly Value[],
    rowId: number | null,
    isReached: boolean,
    isCorrected: boolean,
  ): void {
    const result = inserter(table, values);
    rows += 1;
    if (rows % BATCH_ROWS === 0) db.exec('COMMIT; BEGIN');
    if (result === 'rejected') {
      if (isReached) countUp(lost, table);
      return;
    }
    countUp(copied, table);
    if (table.name !== 'records' || rowId === null) return;
    records.size += 1;
    records.ids.add(rowId);
    if (isCorrected) corrected.push(rowId);
  }
  const showPage = (): void => {
    pages += 1;
    if (pages % 1000 === 0) onPages?.(pages);
  };

  function copyTrees(): void {
    for (const table of tables) {
      const tree = trees.get(table.name);
      if (tree === undefined) continue;
      for (const page of scan.pagesOf(tree)) {
        showPage();
        if (table.name === 'fold') foldedUntil = Number(page.rows[0]?.values[1]);
        if (!NOT_COPIED.has(table.name)) for (const row of page.rows) copyRow(table, row, true);
      }
    }
  }

  /** Copies the rows of pages to which no b-tree leads. */
  function copyHiddenPages(wanted: readonly Table[]): void {
    for (const tree of trees.values())
      if (!tables.some(({ name }) => name === tree.name)) for (const _ of scan.pagesOf(tree)) showPage(); // finds the pages of the index
    for (const { kind, rows: found } of scan.hiddenPages()) {
      const table = chooseTable(
        wanted.filter((each) => each.kind === kind && found.every((row) => fits(each, row))),
        (each) => found.every((row) => isAllowed(db, inserter, each, row)),
      );
      if (table !== undefined && !NOT_COPIED.has(table.name)) for (const row of found) copyRow(table, row, false);
    }
  }

  function copyFromIndex(name: string, { index, columns }: CompleteIndex): void {
    const [tree, table] = [trees.get(index), tables.find((each) => each.name === name)];
    if (tree === undefined || table === undefined) return;
    for (const { values } of [...scan.pagesOf(tree)].flatMap((page) => page.rows)) {
      if (values.length !== columns.length) continue;
      if (name === 'administrations') inserter(table, [...values, now], [...columns, 'created_at']);
      else inserter(table, values, columns);
    }
  }

  /**
   * Copies the records whose bodies are in packs, when all packs are copied. A wrong id must be corrected before its row is inserted,
   * or it could take the place of another record.
   */
  function copyPacked(table: Table, withHidden: boolean): void {
    const tree = trees.get(table.name);
    const bodyOf = openBodies(db);
    function copyOne(row: Row, isReached: boolean): void {
      const values = valuesOf(table, row);
      const id = row.rowId;
      if (id === null || records.ids.has(id) || !isPacked(values) || !mayBeUnchanged(values, places)) return;
      const [stored, digest] = [values[places.body] as Buffer, values[places.digest] as Buffer]; // `mayBeUnchanged` has looked
      const body = bodyOf(id, { body: stored, digest, archiveBlock: Number(values[places.archive_block]) });
      if (!digestOf(body).equals(digest)) changed.push(id);
      else insertRow(table, values, id, isReached, correctRecord(values, places, body));
    }
    if (tree !== undefined) for (const page of scan.pagesOf(tree)) for (const row of page.rows) copyOne(row, true);
    if (!withHidden) return;
    for (const { kind, rows: found } of scan.hiddenPages())
      if (kind === table.kind) for (const row of found) if (fits(table, row)) copyOne(row, false);
  }

  db.exec('BEGIN');
  copyTrees();
  const incomplete = new Set(tables.map(({ name }) => name).filter((name) => !trees.has(name) || scan.isDamaged(name)));
  if (incomplete.size > 0 || file.log === 'damaged') {
    copyHiddenPages(
      tables.filter(({ name }) => incomplete.has(name) || (file.log === 'damaged' && name === 'records')),
    );
    for (const [name, index] of Object.entries(COMPLETE_INDEXES)) if (incomplete.has(name)) copyFromIndex(name, index);
  }
  if (recordTable !== undefined && tables.some(({ name }) => name === 'packs'))
    copyPacked(recordTable, incomplete.has('records') || file.log === 'damaged');
  db.exec('COMMIT');
  return { records, changed, corrected, foldedUntil, incomplete, copied, lost };
}

function countUp(counts: Map<string, number>, { name }: Table): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
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
  const result = insert(table, valuesOf(table, row));
  db.exec('ROLLBACK TO trial; RELEASE trial');
  return result === 'inserted';
}

const RECORD_COLUMNS = ['body', 'digest', 'archive_block', 'interface', 'external_id', 'type', 'sold_at'] as const;

/** The places of some columns among the values of a record; -1 for a column that the schema does not have. */
type Places = Readonly<Record<(typeof RECORD_COLUMNS)[number], number>>;

function placesOf(records: Table | undefined): Places {
  const placeOf = (wanted: string): number => records?.columns.findIndex(({ name }) => name === wanted) ?? -1;
  return Object.fromEntries(RECORD_COLUMNS.map((name) => [name, placeOf(name)])) as Places;
}

/** A body in a pack is checked later by `copyPacked`, and a body in a file by the scrub, when the archive is beside the data. */
function mayBeUnchanged(values: readonly Value[], places: Places): boolean {
  const [body, digest, block] = [values[places.body], values[places.digest], values[places.archive_block]];
  if (!Buffer.isBuffer(body) || !Buffer.isBuffer(digest)) return false;
  if (typeof block === 'number') return digest.byteLength === 32 && /^\d{1,7}$/.test(body.toString('latin1'));
  return digestOf(body).equals(digest);
}

/**
 * Corrects the id, the type and the time of sale of a record of the current interface from its bytes, which the SHA-256 proves.
 * Returns whether one of them was wrong.
 */
function correctRecord(values: Value[], places: Places, body: Value | undefined): boolean {
  if (values[places.interface] !== 'current' || !Buffer.isBuffer(body)) return false;
  const sent = sentFields.safeParse(parseJson(textOfBody(body)));
  if (!sent.success) return false;
  const { external_id, type, timestamp } = sent.data;
  const soldAt = parseInstant(restorePlus(timestamp)) ?? values[places.sold_at] ?? null;
  const right = [
    [places.external_id, external_id],
    [places.type, type],
    [places.sold_at, soldAt],
  ] as const;
  let isWrong = false;
  for (const [place, value] of right) {
    isWrong ||= values[place] !== value;
    values[place] = value;
  }
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

/** Inserts the values of a row. They belong to the first columns of the table, unless `names` has others. */
type Inserter = (table: Table, values: readonly Value[], names?: readonly string[]) => 'inserted' | 'rejected';

/** Returns a function that inserts a row. A secret that the new schema has is replaced. */
function openInserter(db: Connection): Inserter {
  const statements = new Map<string, Database.Statement>();
  return (table, values, names) => {
    const key = names === undefined ? `${table.name} ${values.length}` : `${table.name} ${names.join()}`;
    let statement = statements.get(key);
    if (statement === undefined) {
      const columns = names ?? table.columns.slice(0, values.length).map(({ name }) => name);
      const verb = table.name === 'secrets' ? 'INSERT OR REPLACE' : 'INSERT';
      const slots = columns.map(() => '?').join(', ');
      statement = db.prepare(`${verb} INTO ${table.name} (${columns.join(', ')}) VALUES (${slots})`);
      statements.set(key, statement);
    }
    try {
      statement.run(values);
      return 'inserted';
    } catch (error) {
      if (/^SQLITE_(CONSTRAINT|MISMATCH|ERROR)/.test(errorCode(error) ?? '')) return 'rejected';
      throw error;
    }
  };
}
