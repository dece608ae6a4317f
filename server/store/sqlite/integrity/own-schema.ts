// Refuses a database whose schema is not exactly ours. A file may be restored from anywhere, and its triggers or views would
// run in our transactions.

import Database from 'better-sqlite3';

import type { StartFault } from '../../../contract/desktop.ts';
import { OperatorError } from '../../../errors.ts';
import { type Connection, damageAdvice } from '../engine/database.ts';
import { assertKnownVersion, migrate, SCHEMA_VERSION, schemaVersion } from '../migrations.ts';

/** A row of `sqlite_schema`. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** The table that the object belongs to. For a table, its own name. */
  readonly table: string;
  readonly sql: string | null;
}

interface SchemaFaults {
  /** Objects that are not ours, or differ from ours. */
  readonly foreign: readonly string[];
  readonly missing: readonly string[];
}

/** Kinds of objects that run SQL automatically. */
const ACTING = new Set(['trigger', 'view']);
/** Maximum number of names in a message, and maximum length of a name in characters. */
const MAX_NAMED = 3;
const MAX_NAME_LENGTH = 60;

/** Throws an OperatorError that names the foreign, changed or missing objects. Changes nothing. */
export function assertOwnSchema(db: Connection): void {
  db.transaction(() => {
    assertKnownVersion(db);
    const { foreign, missing } = findFaults(db);
    if (foreign.length > 0)
      throw fault(db, 'data_foreign', `contains objects that Counterfoil did not create: ${listed(foreign)}`);
    // if a table is missing, its indexes are missing too, so only the table is named
    const tables = missing.filter((name) => name.startsWith('table '));
    const named = tables.length > 0 ? tables : missing;
    if (named.length > 0)
      throw fault(db, 'data_damaged', `is damaged: ${listed(named)} ${named.length > 1 ? 'are' : 'is'} missing`);
  })(); // in one transaction, because another process may be migrating
}

/** Throws an OperatorError if the secret that signs cursors is missing. Call it only on data of the newest schema. */
export function assertSecrets(db: Connection): void {
  if (db.prepare("SELECT 1 FROM secrets WHERE name = 'cursor'").get() === undefined)
    throw fault(db, 'data_damaged', 'is damaged: the secret that signs cursors is missing');
}

function fault({ name }: Connection, code: StartFault, what: string): OperatorError {
  return new OperatorError(
    `${name} ${what}. It was left as it is; ${code === 'data_damaged' ? damageAdvice(name) : 'restore a backup'}.`,
    { fault: code },
  );
}

function findFaults(db: Connection): SchemaFaults {
  const [actual, version] = [readSchema(db), schemaVersion(db)];
  if (version > SCHEMA_VERSION) {
    const newest = schemaAt(SCHEMA_VERSION);
    const { foreign, missing } = listSchemaFaults(actual, newest);
    const added = new Set(actual.filter((object) => isAddition(object, newest)).map(nameOf));
    return { foreign: foreign.filter((name) => !added.has(name)), missing };
  }
  const faults = listSchemaFaults(actual, schemaAt(version));
  if (faults.foreign.length > 0 && listSchemaFaults(actual, schemaAt(SCHEMA_VERSION)).foreign.length === 0)
    throw fault(db, 'data_damaged', `has the schema version ${version}, which does not fit its tables`);
  return faults;
}

/**
 * True if a newer version may have added this object, and this version can ignore it. The object is then a new table, an index
 * of a new table, or one of our tables with plain columns added at the end.
 */
function isAddition({ type, name, table, sql }: SchemaObject, newest: readonly SchemaObject[]): boolean {
  if (ACTING.has(type)) return false;
  const ours = newest.find((object) => object.type === 'table' && object.name === table);
  if (ours === undefined) return !/ REFERENCES /i.test(definitionOf({ sql }));
  if (type !== 'table' || name !== ours.name) return false;
  const [head, tail] = splitAtEnd(definitionOf(ours));
  const actual = definitionOf({ sql });
  return (
    actual.startsWith(head) && actual.endsWith(tail) && ADDED_COLUMNS.test(actual.slice(head.length, -tail.length))
  );
}

const ADDED_COLUMNS = /^( ?, ?\w+ (INTEGER|TEXT|BLOB|REAL)( NOT NULL)?( DEFAULT ('[^']*'|-?\d+|NULL))?)+ ?$/;

/** Splits a table's definition before its last bracket. */
function splitAtEnd(definition: string): readonly [string, string] {
  const end = definition.lastIndexOf(')');
  return [definition.slice(0, end).trimEnd(), definition.slice(end)];
}

/** Compares two schemas by the names and definitions of their objects. */
export function listSchemaFaults(actual: readonly SchemaObject[], expected: readonly SchemaObject[]): SchemaFaults {
  const wanted = new Map(expected.map((object) => [nameOf(object), object]));
  const found = new Set(actual.map(nameOf));
  const isOurs = (object: SchemaObject): boolean => {
    const ours = wanted.get(nameOf(object));
    // Almost all texts are equal, and normalising all of them would take milliseconds of each start.
    return ours !== undefined && (ours.sql === object.sql || definitionOf(ours) === definitionOf(object));
  };
  return {
    foreign: actual.filter((object) => !isOurs(object)).map(nameOf),
    missing: expected.map(nameOf).filter((name) => !found.has(name)),
  };
}

/** Schemas by version, as the migrations create them. */
const made = new Map<number, readonly SchemaObject[]>();

/** The schema of a version. */
export function schemaAt(version: number): readonly SchemaObject[] {
  const known = made.get(version);
  if (known !== undefined) return known;
  const fresh = new Database(':memory:');
  try {
    migrate(fresh, version);
    const schema = readSchema(fresh);
    made.set(version, schema);
    return schema;
  } finally {
    fresh.close();
  }
}

function readSchema(db: Connection): SchemaObject[] {
  return db.prepare<[], SchemaObject>('SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema').all();
}

/** Escapes the name, because a manipulated file may contain any name. */
function nameOf({ type, name }: SchemaObject): string {
  const escaped = JSON.stringify(String(name).slice(0, MAX_NAME_LENGTH)).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${type} ${escaped}`;
}

/** Matches a string, a quoted name, or a sequence of spaces and comments. */
const TOKEN = /('(?:[^']|'')*')|"(\w+)"|(?:\s|--[^\n]*)+/g;

/** Normalises quoted names, spaces and comments, which differ between versions of SQLite. Strings stay unchanged. */
export function definitionOf({ sql }: Pick<SchemaObject, 'sql'>): string {
  return (sql ?? '').replaceAll(TOKEN, (_all, text?: string, name?: string) => text ?? name ?? ' ');
}

function listed(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => `the ${name}`);
  const more = names.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}
