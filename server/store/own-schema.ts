// Refuses a database whose schema is not exactly ours: a file may be restored from anywhere, and a trigger or view in it would
// act inside our own transactions.

import Database from 'better-sqlite3';

import { OperatorError } from '../errors.ts';
import type { Connection } from './database.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrations.ts';

/** A row of `sqlite_schema`. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

interface SchemaFaults {
  /** What is not ours, or not as we make it. */
  readonly foreign: readonly string[];
  readonly missing: readonly string[];
}

/** What acts without being asked. */
const ACTING = new Set(['trigger', 'view']);
/** As much of a message as a person reads. */
const MAX_NAMED = 3;
const MAX_NAME_LENGTH = 60;

/** Throws an OperatorError that names what is foreign, changed or missing. Changes nothing. */
export function assertOwnSchema(db: Connection): void {
  const { foreign, missing } = db.transaction(() => findFaults(db))(); // another process may be migrating
  if (foreign.length > 0) {
    throw new OperatorError(
      `${db.name} holds what Counterfoil did not make: ${listed(foreign)}. It was left as it is; restore a backup.`,
      { fault: 'data_foreign' },
    );
  }
  if (missing.length > 0) {
    throw new OperatorError(
      `${db.name} is damaged: ${listed(missing)} is missing. It was left as it is; restore a backup.`,
      {
        fault: 'data_damaged',
      },
    );
  }
}

function findFaults(db: Connection): SchemaFaults {
  const actual = readSchema(db);
  const version = schemaVersion(db);
  if (version <= SCHEMA_VERSION) return listSchemaFaults(actual, schemaAt(version));
  // A newer version may have added tables that this one can go on without.
  return { foreign: actual.filter(({ type }) => ACTING.has(type)).map(nameOf), missing: [] };
}

/** Compares two schemas by name and by what made each object. */
export function listSchemaFaults(actual: readonly SchemaObject[], expected: readonly SchemaObject[]): SchemaFaults {
  const wanted = new Map(expected.map((object) => [nameOf(object), definitionOf(object)]));
  const found = new Set(actual.map(nameOf));
  return {
    foreign: actual.filter((object) => wanted.get(nameOf(object)) !== definitionOf(object)).map(nameOf),
    missing: expected.map(nameOf).filter((name) => !found.has(name)),
  };
}

/** What the migrations make, by version: making it takes 20 ms. */
const made = new Map<number, readonly SchemaObject[]>();

function schemaAt(version: number): readonly SchemaObject[] {
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
  return db.prepare<[], SchemaObject>('SELECT type, name, sql FROM sqlite_schema').all();
}

/** Escaped, because a hostile file may have any name. */
function nameOf({ type, name }: SchemaObject): string {
  const escaped = JSON.stringify(String(name).slice(0, MAX_NAME_LENGTH)).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${type} ${escaped}`;
}

/** SQLite quotes a name or not, by its version. */
function definitionOf({ sql }: SchemaObject): string {
  return sql === null ? '' : sql.replaceAll('"', '').replaceAll(/\s+/g, ' ');
}

function listed(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => `the ${name}`);
  const more = names.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}
