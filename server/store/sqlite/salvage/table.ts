// The tables and indexes of our schema, as SQLite stores their rows. A row of a damaged file is used only if it fits them.

import type { Connection } from '../engine/database.ts';
import type { Row, Value } from './page.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Whether the column is the rowid, which a row stores as null. */
  readonly isRowId: boolean;
  /** Whether older rows may lack the column, because a migration added it. */
  readonly hasDefault: boolean;
}

export interface Table {
  readonly name: string;
  readonly kind: 'table' | 'index';
  /** In the order in which a row stores them. */
  readonly columns: readonly Column[];
  /** Whether the table has rules beyond the types of its columns. */
  readonly hasCheck: boolean;
}

/** Lists the tables of a database with our schema. */
export function listTables(db: Connection): Table[] {
  const names = db
    .prepare<[], { name: string; wr: 0 | 1; sql: string }>(`
      SELECT tables.name, wr, sql FROM pragma_table_list AS tables JOIN sqlite_schema ON sqlite_schema.name = tables.name
      WHERE schema = 'main' AND tables.type = 'table' AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
    .all();
  return names.map(({ name, wr, sql }) => ({
    name,
    kind: wr === 1 ? 'index' : 'table',
    columns: listColumns(db, name, wr === 1),
    hasCheck: sql.includes('CHECK'),
  }));
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: 0 | 1;
  readonly dflt: string | null;
  readonly pk: number;
  readonly hidden: number;
}

/** Values of `hidden` for columns that SQLite computes and does not store. */
const COMPUTED = 2;

function listColumns(db: Connection, table: string, isWithoutRowId: boolean): Column[] {
  const rows = db
    .prepare<[string], ColumnRow>(
      'SELECT name, type, "notnull", dflt_value AS dflt, pk, hidden FROM pragma_table_xinfo(?)',
    )
    .all(table)
    .filter(({ hidden }) => hidden !== COMPUTED);
  const keys = rows.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  const stored = isWithoutRowId ? [...keys, ...rows.filter(({ pk }) => pk === 0)] : rows;
  return stored.map(({ name, type, notnull, dflt, pk }) => {
    const isRowId = !isWithoutRowId && pk === 1 && keys.length === 1 && type === 'INTEGER';
    const hasDefault = dflt !== null || notnull === 0;
    return { name, type, isRequired: notnull === 1 || (isWithoutRowId && pk > 0), isRowId, hasDefault };
  });
}

/** Whether a row may belong to a table. */
export function fits({ columns, kind }: Table, { rowId, values }: Row): boolean {
  if ((kind === 'table') !== (rowId !== null) || values.length > columns.length) return false;
  if (!columns.slice(values.length).every(({ hasDefault, isRowId }) => hasDefault && !isRowId)) return false;
  return values.every((value, index) => {
    const column = columns[index];
    if (column === undefined || column.isRowId) return value === null;
    return value === null ? !column.isRequired : isOfType(value, column.type);
  });
}

function isOfType(value: Value, type: string): boolean {
  switch (type) {
    case 'TEXT':
      return typeof value === 'string';
    case 'BLOB':
      return Buffer.isBuffer(value);
    case 'INTEGER':
      return typeof value === 'bigint' || Number.isInteger(value);
    default:
      return typeof value === 'number' || typeof value === 'bigint';
  }
}

/** Returns the values of a row in the order of its columns, with its rowid. */
export function valuesOf({ columns }: Table, { rowId, values }: Row): Value[] {
  return values.map((value, index) => (columns[index]?.isRowId === true ? rowId : value));
}
