// Migrates a database to the schema of this version. Each migration is a numbered module, and none can be reversed. All
// migrations that are due run in one transaction, which also stores the number of the last one. A database of a newer version is
// refused and not changed, unless the newer version lets this version use it. So people can return to this version after an
// update. A new database gets the newest schema at once.

import { randomBytes } from 'node:crypto';

import { OperatorError } from '../../errors.ts';
import { type Connection, damageAdvice, hasTable } from './engine/database.ts';
import { createJournalTables } from './migrations/0001-journals.ts';
import { addEarlierInterface } from './migrations/0002-earlier-interface.ts';
import { createOutbox } from './migrations/0003-outbox.ts';
import { prepareForConsole } from './migrations/0004-console.ts';
import { createUsers } from './migrations/0005-users.ts';
import { createStoreDays } from './migrations/0006-store-days.ts';
import { addDesktop } from './migrations/0007-desktop.ts';
import { addUnusualForms } from './migrations/0008-unusual-forms.ts';
import { addBothInterfaces } from './migrations/0009-both-interfaces.ts';
import { addEndPoints } from './migrations/0010-end-points.ts';
import { addBadNews } from './migrations/0011-bad-news.ts';
import { addScrub } from './migrations/0012-scrub.ts';
import { addIntegrity } from './migrations/0013-integrity.ts';
import { addActData } from './migrations/0014-acts-as-data.ts';
import { addNetwork } from './migrations/0015-network.ts';
import { addCertifications } from './migrations/0016-certifications.ts';
import { addFold } from './migrations/0017-fold.ts';
import { moveSales } from './migrations/0018-sales.ts';
import { addTasks } from './migrations/0019-tasks.ts';
import { addAmounts } from './migrations/0020-amounts.ts';
import { addAlerts } from './migrations/0021-alerts.ts';
import { compactDeliveries } from './migrations/0022-compact-deliveries.ts';
import { addDeclaredAmounts } from './migrations/0023-declared-amounts.ts';
import { addRefusalFaults } from './migrations/0024-refusal-faults.ts';
import { addRestores } from './migrations/0025-restores.ts';
import { addBackupFiles } from './migrations/0026-backup-files.ts';
import { addReadTokens } from './migrations/0027-read-tokens.ts';
import { addArchive } from './migrations/0028-archive.ts';
import { addArchiveRun } from './migrations/0029-archive-run.ts';
import { addBackupRecords } from './migrations/0030-backup-records.ts';
import { moveAmounts } from './migrations/0031-sale-amounts.ts';
import { addPacks } from './migrations/0032-packs.ts';
import { NEWEST_SCHEMA } from './newest-schema.ts';

/** Position n migrates from version n to n + 1. Never edit a released migration. */
const MIGRATIONS: readonly ((db: Connection) => void)[] = [
  createJournalTables,
  addEarlierInterface,
  createOutbox,
  prepareForConsole,
  createUsers,
  createStoreDays,
  addDesktop,
  addUnusualForms,
  addBothInterfaces,
  addEndPoints,
  addBadNews,
  addScrub,
  addIntegrity,
  addActData,
  addNetwork,
  addCertifications,
  addFold,
  moveSales,
  addTasks,
  addAmounts,
  addAlerts,
  compactDeliveries,
  addDeclaredAmounts,
  addRefusalFaults,
  addRestores,
  addBackupFiles,
  addReadTokens,
  addArchive,
  addArchiveRun,
  addBackupRecords,
  moveAmounts,
  addPacks,
];

export const SCHEMA_VERSION = MIGRATIONS.length;
/**
 * The first schema whose counts have the same tables and columns as in this version. A migration that changes them must raise
 * this number.
 */
export const COUNTS_SCHEMA = 4;
/**
 * Programs that know this schema version, or a later one, can use data of the newest schema, because later migrations only
 * added to it. A migration must raise this number if it moves or removes something, or changes the meaning of rows.
 */
export const OLDEST_PROGRAM = 32;
/** The first schema with the table `oldest_program`. */
const HAS_OLDEST_PROGRAM = 7;

export function schemaVersion(db: Connection): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** Returns the oldest schema version that a program must know to use these data. */
export function oldestProgram(db: Connection): number {
  const version = schemaVersion(db);
  const said = hasTable(db, 'oldest_program')
    ? db.prepare<[], number>('SELECT schema FROM oldest_program').pluck().get()
    : undefined;
  return said ?? version;
}

/** Whether the data are of an earlier version. A new database has no data. */
export function isUpdateDue(db: Connection): boolean {
  const version = schemaVersion(db);
  return version > 0 && version < SCHEMA_VERSION;
}

/** Whether this version can use the schema without a migration. */
export function isSchemaFit(db: Connection): boolean {
  return schemaVersion(db) >= SCHEMA_VERSION && oldestProgram(db) <= SCHEMA_VERSION;
}

/** Throws unless this version can use the schema without a migration. */
export function assertSchemaFit(db: Connection): void {
  if (isSchemaFit(db)) return;
  assertKnownVersion(db);
  throw new OperatorError(
    `The running gateway is older than this command (schema ${schemaVersion(db)} against ${SCHEMA_VERSION}). Restart the gateway with this version first.`,
  );
}

/** Throws if the schema needs a newer version, or if its version number is not valid. */
export function assertKnownVersion(db: Connection): void {
  const version = schemaVersion(db);
  if (version < 0) {
    throw new OperatorError(
      `${db.name} has the schema version ${version}, which no Counterfoil writes. It was left as it is; ${damageAdvice(db.name)}.`,
      { fault: 'data_damaged' },
    );
  }
  if (version <= SCHEMA_VERSION || isSchemaFit(db)) return;
  throw new OperatorError(
    `The data were written by a newer Counterfoil (schema ${version}, this one knows ${SCHEMA_VERSION}). They were left as they are; install the newer version again.`,
    { fault: 'data_newer' },
  );
}

/**
 * Migrates up to `target`; only tests set it. All steps are one transaction, whose last part reads every reference once. A second
 * call changes nothing. Calls `onStep` before each step and before that last part; not for a new database.
 */
export function migrate(
  db: Connection,
  target = SCHEMA_VERSION,
  onStep: (step: number, steps: number) => void = () => {},
): void {
  assertKnownVersion(db);
  const first = schemaVersion(db);
  if (first >= target) return;
  const steps = target - first + 1;
  // With foreign keys on, dropping a rebuilt table would search other tables for references to each row.
  db.pragma('foreign_keys = OFF');
  try {
    db.transaction(() => {
      if (schemaVersion(db) !== first) return; // another process was faster
      if (first === 0 && target === SCHEMA_VERSION) return createNewest(db);
      for (let version = first; version < target; version++) {
        onStep(version - first + 1, steps);
        MIGRATIONS[version]?.(db);
        if (version + 1 >= HAS_OLDEST_PROGRAM) db.prepare('UPDATE oldest_program SET schema = ?').run(OLDEST_PROGRAM);
        db.pragma(`user_version = ${version + 1}`);
      }
      onStep(steps, steps);
      const [fault] = db.pragma('foreign_key_check') as unknown[];
      if (fault !== undefined) throw new Error(`a migration from schema ${first} left a row without its parent`);
    }).immediate();
  } finally {
    db.pragma('foreign_keys = ON');
  }
}

/** Creates in an empty database what all migrations would create, in an eighth of the time. */
function createNewest(db: Connection): void {
  db.exec(NEWEST_SCHEMA);
  db.prepare('INSERT INTO secrets (name, value) VALUES (?, ?)').run('cursor', randomBytes(32));
  db.prepare('INSERT INTO oldest_program (schema) VALUES (?)').run(OLDEST_PROGRAM);
  db.exec(`
    INSERT INTO log_marks (id, mark) VALUES (1, 'log-mark:0000000000000000');
    INSERT INTO fold (id, folded_until) VALUES (1, 0);
    PRAGMA user_version = ${SCHEMA_VERSION}`);
}
