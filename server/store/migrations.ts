// Brings a database to the schema this version works with: numbered modules, forward only, each in one transaction
// that also records its number. A database from a newer version is refused and left as it is.

import { OperatorError } from '../errors.ts';
import type { Connection } from './database.ts';
import { createJournalTables } from './migrations/0001-journals.ts';
import { addEarlierInterface } from './migrations/0002-earlier-interface.ts';
import { createOutbox } from './migrations/0003-outbox.ts';
import { prepareForConsole } from './migrations/0004-console.ts';
import { createUsers } from './migrations/0005-users.ts';
import { createStoreDays } from './migrations/0006-store-days.ts';
import { createSleeps } from './migrations/0007-sleeps.ts';

/** Position n brings the schema from version n to n + 1. A released migration is never edited. */
const MIGRATIONS: readonly ((db: Connection) => void)[] = [
  createJournalTables,
  addEarlierInterface,
  createOutbox,
  prepareForConsole,
  createUsers,
  createStoreDays,
  createSleeps,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

export function schemaVersion(db: Connection): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** Throws unless the database has exactly this version's schema. */
export function assertSchemaCurrent(db: Connection): void {
  const version = schemaVersion(db);
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) {
    throw new OperatorError(
      `The data were written by a newer Counterfoil (schema ${version}, this one knows ${SCHEMA_VERSION}). They were left as they are; install the newer version again.`,
    );
  }
  throw new OperatorError(
    `The running gateway is older than this command (schema ${version} against ${SCHEMA_VERSION}). Restart the gateway with this version first.`,
  );
}

/** Migrates up to `target`, which only tests set. All or nothing per step; calling it again changes nothing. */
export function migrate(db: Connection, target = SCHEMA_VERSION): void {
  if (schemaVersion(db) > SCHEMA_VERSION) assertSchemaCurrent(db);
  // Enforced, dropping a table that was made anew would look for its rows' children one by one.
  db.pragma('foreign_keys = OFF');
  try {
    for (let version = schemaVersion(db); version < target; version++) {
      db.transaction(() => {
        if (schemaVersion(db) !== version) return; // another process was faster
        MIGRATIONS[version]?.(db);
        const [fault] = db.pragma('foreign_key_check') as unknown[];
        if (fault !== undefined) throw new Error(`migration ${version + 1} left a row without its parent`);
        db.pragma(`user_version = ${version + 1}`);
      }).immediate();
    }
  } finally {
    db.pragma('foreign_keys = ON');
  }
}
