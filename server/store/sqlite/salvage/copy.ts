// Copies the rows that can be read from the pages of a damaged database. A record is copied only if its SHA-256 is right. A page to
// which no b-tree leads belongs to the only table that its rows fit.

import type Database from 'better-sqlite3';
import { z } from 'zod';

import { parseInstant, restorePlus } from '../../../lib/instant.ts';
import { textOfBody } from '../../records/content.ts';
import type { Connection } from '../engine/database.ts';
import { errorCode } from '../engine/fault.ts';
import { digestOf } from '../records/record.ts';
import { EMPTY_AT_FIRST } from './derive.ts';
import { type IdSet, openIdSet } from './id-set.ts';
import type { PageFile } from './page-file.ts';
import type { Row, Value } from './page.ts';
import type { Scan, Tree } from './scan.ts';
import { fits, listTables, namedValues, type Table } from './table.ts';

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
      const named = Object.fromEntries(columns.map((column, i) => [column, values[i] ?? null]));
      inserter(table, name === 'administrations' ? { ...named, created_at: now } : named);
    }
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
