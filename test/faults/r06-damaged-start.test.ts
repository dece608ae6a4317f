// A start with unusual or damaged data. It opens the store, or it stops with a sentence that says what to do and leaves the
// files unchanged.

import { execFileSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type GatewayError, OperatorError } from '../../server/errors.ts';
import { openStore } from '../../server/store/open-store.ts';
import { backUp } from '../../server/store/sqlite/files/backup.ts';
import { NEWEST_SCHEMA } from '../../server/store/sqlite/newest-schema.ts';
import type { Store } from '../../server/store/store.ts';
import { changeSql } from '../support/damage.ts';
import {
  copyKilled,
  DATABASE,
  interruptCreation,
  killGatewayAfter,
  overwrite,
  WAL,
} from '../support/killed-gateway.ts';
import { temporaryFolder } from '../support/temp-store.ts';

const SHM = 'counterfoil.db-shm';
const LOCK = 'owner.lock';
const SALES = 20;

/** What the start must do. A pattern means that it stops with this sentence. */
type Expected = 'opens' | 'opens all' | 'opens empty' | 'opens or stops' | RegExp;
type State = readonly [name: string, damage: (dataDir: string) => void, expected: Expected];

const LINK =
  /^\S+ is a symbolic link\. Put the file itself there, or name the folder that holds it with --data\. Nothing was changed\.$/;
const NO_FILE = /^\S+ is not a file\. Move it to another folder, then start again\. Nothing was changed\.$/;
const NO_DATABASE = /is not a database\. It was left as it is; restore a backup/;
const BESIDE_LOG = (how: string): RegExp =>
  new RegExp(
    `^\\S+counterfoil\\.db is ${how}, but the write-ahead log beside it, \\S+counterfoil\\.db-wal, holds sales\\. Put the database back`,
  );
const RESTORED =
  /^\S+ is a restored backup, and the write-ahead log beside it, \S+, belongs to other data\. Move the log/;
const DAMAGED = /damaged/;
const UNFIT = /has the schema version \d, which does not fit its tables/;
const NEWER = /were written by a newer Counterfoil \(schema 999,/;
const TRIGGER = 'CREATE TRIGGER theirs AFTER INSERT ON records BEGIN DELETE FROM deliveries; END';
const UNKNOWN_TRIGGER = /the trigger "theirs"/;
const FOREIGN = /is a database of another program\. It was left as it is/;

const path = (name: string) => (dataDir: string) => join(dataDir, name);
const [database, wal, shm, lock] = [path(DATABASE), path(WAL), path(SHM), path(LOCK)];
const size = (file: string): number => lstatSync(file).size;

/** Runs SQL as a gateway would, so that its effect is only in the write-ahead log. */
function changeLog(dataDir: string, sql: string): void {
  const folder = temporaryFolder();
  for (const name of [DATABASE, WAL]) copyFileSync(join(dataDir, name), join(folder, name));
  const db = new Database(database(folder));
  db.pragma('wal_autocheckpoint = 0');
  db.exec(sql);
  for (const name of [DATABASE, WAL]) copyFileSync(join(folder, name), join(dataDir, name));
  db.close();
}

function replaceByFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

function replaceByPipe(file: string): void {
  rmSync(file, { force: true });
  execFileSync('mkfifo', [file]);
}

function foreignDatabase(file: string): void {
  rmSync(file);
  const db = new Database(file);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text)');
  db.close();
}

/** The content of every file, except the index of the write-ahead log, which SQLite rebuilds at each start. */
function readAll(dataDir: string): Record<string, string> {
  const names = readdirSync(dataDir).filter((name) => name !== SHM && name !== LOCK);
  return Object.fromEntries(
    names.map((name) => {
      const found = lstatSync(join(dataDir, name));
      return [name, found.isFile() ? hash('sha256', readFileSync(join(dataDir, name))) : String(found.mode)];
    }),
  );
}

async function look(store: Store) {
  return { journals: await store.records.countStatuses(), walDamage: (await store.health.readMachine()).walDamage };
}

function replaceByLink(file: string): void {
  const elsewhere = join(temporaryFolder(), 'target');
  renameSync(file, elsewhere);
  symlinkSync(elsewhere, file);
}

const made: string[] = [];
const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-states-'));
  made.push(folder);
  return folder;
};
/**
 * The data to copy: the folder of a killed gateway with a write-ahead log, the folder of a stopped gateway without one, and a
 * backup file.
 */
const templates = { killed: '', stopped: '', backup: '' };

beforeAll(async () => {
  templates.killed = (await killGatewayAfter(SALES, { makeFolder })).dataDir;
  templates.stopped = copyKilled(templates.killed, makeFolder()).dataDir;
  await (await openStore({ dataDir: templates.stopped, role: 'gateway' })).close();
  templates.backup = join(makeFolder(), 'monday.db');
  await backUp(copyKilled(templates.killed, makeFolder()).dataDir, templates.backup);
});
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** The tests remove each table and index of the schema, one at a time. */
const listNames = (kind: string): string[] =>
  [...NEWEST_SCHEMA.matchAll(new RegExp(String.raw`^CREATE (?:UNIQUE )?${kind} "?(\w+)`, 'gm'))].map(
    ([, name = '']) => name,
  );

const KILLED: readonly State[] = [
  ['as a killed gateway leaves them', () => {}, 'opens'],
  ['an empty database beside a log', (dir) => truncateSync(database(dir), 0), BESIDE_LOG('empty')],
  ['no database beside a log', (dir) => rmSync(database(dir)), BESIDE_LOG('missing')],
  ['a restored backup beside an old log', (dir) => copyFileSync(templates.backup, database(dir)), RESTORED],
  ['an empty log', (dir) => truncateSync(wal(dir), 0), 'opens empty'],
  ['a log of ten bytes', (dir) => truncateSync(wal(dir), 10), 'opens empty'],
  ['a log with only a header', (dir) => truncateSync(wal(dir), 32), 'opens empty'],
  ['a database whose creation a power cut has interrupted', interruptCreation, 'opens empty'],
  ['a log cut in the middle of a frame', (dir) => truncateSync(wal(dir), size(wal(dir)) - 1000), 'opens'],
  ['a log with zeros at its end', (dir) => truncateSync(wal(dir), size(wal(dir)) + 8240), 'opens all'],
  ['a log with random bytes at its end', (dir) => appendFileSync(wal(dir), randomBytes(9000)), 'opens all'],
  ['a log of zeros', (dir) => writeFileSync(wal(dir), Buffer.alloc(size(wal(dir)))), 'opens empty'],
  ['a log of random bytes', (dir) => writeFileSync(wal(dir), randomBytes(100_000)), 'opens empty'],
  ['a log whose header is zeros', (dir) => overwrite(wal(dir), 0, 32, 0), 'opens all'],
  ['a log with a damaged frame', (dir) => overwrite(wal(dir), 50_000, 512), 'opens all'],
  [
    'a restored backup beside a log with only a header',
    (dir) => (copyFileSync(templates.backup, database(dir)), truncateSync(wal(dir), 32)),
    'opens all',
  ],
  ['a log that is a symbolic link', (dir) => replaceByLink(wal(dir)), LINK],
  ['a log that is a folder', (dir) => replaceByFolder(wal(dir)), NO_FILE],
  ['a log that is a pipe', (dir) => replaceByPipe(wal(dir)), NO_FILE],
  ['an index of the log of random bytes', (dir) => writeFileSync(shm(dir), randomBytes(32_768)), 'opens all'],
  ['an index of the log of ten bytes', (dir) => writeFileSync(shm(dir), 'ten bytes!'), 'opens all'],
  ['an index of the log that is a symbolic link', (dir) => symlinkSync('elsewhere', shm(dir)), LINK],
  ['an index of the log that is a pipe', (dir) => replaceByPipe(shm(dir)), NO_FILE],
  ['an index of the log that is a folder', (dir) => mkdirSync(shm(dir)), NO_FILE],
  [
    'a database of random bytes beside a log',
    (dir) => writeFileSync(database(dir), randomBytes(50_000)),
    'opens or stops',
  ],
  ['a database of text beside a log', (dir) => writeFileSync(database(dir), 'text '.repeat(5000)), 'opens or stops'],
  [
    'a newer schema in the log',
    (dir) => changeLog(dir, 'PRAGMA user_version = 999; UPDATE oldest_program SET schema = 999'),
    NEWER,
  ],
  ['another program’s mark in the log', (dir) => changeLog(dir, 'PRAGMA application_id = 7'), FOREIGN],
  [
    'a negative schema version in the log',
    (dir) => changeLog(dir, 'PRAGMA user_version = -3'),
    /has the schema version -3/,
  ],
  ['a trigger of another program in the log', (dir) => changeLog(dir, TRIGGER), UNKNOWN_TRIGGER],
  [
    'a table that the log drops',
    (dir) => changeLog(dir, 'PRAGMA foreign_keys = OFF; DROP TABLE secrets'),
    /the table "secrets" is missing/,
  ],
  ['a database that is a symbolic link, beside its log', (dir) => replaceByLink(database(dir)), LINK],
  ['a folder in the place of the database, beside a log', (dir) => replaceByFolder(database(dir)), NO_FILE],
  ['another program’s database beside the log', (dir) => foreignDatabase(database(dir)), FOREIGN],
];

const STOPPED: readonly State[] = [
  ['as a stopped gateway leaves them', () => {}, 'opens all'],
  ['nothing', (dir) => rmSync(database(dir)), 'opens empty'],
  ['an empty database without a log', (dir) => truncateSync(database(dir), 0), 'opens empty'],
  ['a database of text', (dir) => writeFileSync(database(dir), 'text '.repeat(5000)), NO_DATABASE],
  ['a database of random bytes', (dir) => writeFileSync(database(dir), randomBytes(50_000)), NO_DATABASE],
  ['a database of one byte', (dir) => truncateSync(database(dir), 1), NO_DATABASE],
  ['a database of fifty bytes', (dir) => truncateSync(database(dir), 50), DAMAGED],
  ['a database of one page', (dir) => truncateSync(database(dir), 4096), DAMAGED],
  ['half a database', (dir) => truncateSync(database(dir), Math.floor(size(database(dir)) / 8192) * 4096), DAMAGED],
  ['a first page of zeros', (dir) => overwrite(database(dir), 0, 4096, 0), NO_DATABASE],
  ['a damaged header', (dir) => overwrite(database(dir), 16, 84), NO_DATABASE],
  ['a damaged schema', (dir) => overwrite(database(dir), 100, 3996), DAMAGED],
  ...[2, 3, 4, 5, 6].map((page): State => [
    `page ${page} of zeros`,
    (dir) => overwrite(database(dir), (page - 1) * 4096, 4096, 0),
    'opens or stops',
  ]),
  ['a database that is a symbolic link', (dir) => replaceByLink(database(dir)), LINK],
  [
    'a database that is a link without a target',
    (dir) => (rmSync(database(dir)), symlinkSync('nowhere', database(dir))),
    LINK,
  ],
  ['a database that is a folder', (dir) => replaceByFolder(database(dir)), NO_FILE],
  ['a database that is a pipe', (dir) => replaceByPipe(database(dir)), NO_FILE],
  ['another program’s database', (dir) => foreignDatabase(database(dir)), FOREIGN],
  ['a restored backup without a log', (dir) => copyFileSync(templates.backup, database(dir)), 'opens all'],
  [
    'a newer schema',
    (dir) => changeSql(dir, 'PRAGMA user_version = 999; UPDATE oldest_program SET schema = 999'),
    NEWER,
  ],
  ['a newer schema compatible with this version', (dir) => changeSql(dir, 'PRAGMA user_version = 999'), 'opens all'],
  [
    'a negative schema version',
    (dir) => changeSql(dir, 'PRAGMA user_version = -1'),
    /has the schema version -1, which no Counterfoil writes/,
  ],
  ['schema version 0 over tables', (dir) => changeSql(dir, 'PRAGMA user_version = 0'), UNFIT],
  ['schema version 3 over newer tables', (dir) => changeSql(dir, 'PRAGMA user_version = 3'), UNFIT],
  ['a trigger of another program', (dir) => changeSql(dir, TRIGGER), UNKNOWN_TRIGGER],
  ['no secrets', (dir) => changeSql(dir, 'DELETE FROM secrets'), /the secret that signs cursors is missing/],
  [
    'a lock file of random bytes',
    (dir) => writeFileSync(lock(dir), randomBytes(9000)),
    /^\S+owner\.lock is not the lock file of a gateway\. Delete it/,
  ],
  [
    'a lock file of text',
    (dir) => writeFileSync(lock(dir), 'locked by me '.repeat(100)),
    /^\S+owner\.lock is not the lock file of a gateway/,
  ],
  ['a lock file that is a pipe', (dir) => replaceByPipe(lock(dir)), NO_FILE],
  ['a lock file that is a folder', (dir) => (rmSync(lock(dir), { force: true }), mkdirSync(lock(dir))), NO_FILE],
  [
    'a lock file that is a symbolic link',
    (dir) => (rmSync(lock(dir), { force: true }), symlinkSync('x', lock(dir))),
    LINK,
  ],
  ...listNames('TABLE').map((name): State => [
    `no table ${name}`,
    (dir) => changeSql(dir, `PRAGMA foreign_keys = OFF; DROP TABLE ${name}`),
    new RegExp(`the (table|index) "\\w+" is missing|no such table`),
  ]),
  ...listNames('INDEX').map((name): State => [
    `no index ${name}`,
    (dir) => changeSql(dir, `DROP INDEX ${name}`),
    new RegExp(`the index "${name}" is missing`),
  ]),
];

test('there are at least 110 states', () => {
  expect(KILLED.length + STOPPED.length).toBeGreaterThanOrEqual(110);
});

test.each(KILLED)('killed: %s', (_name, damage, expected) => expectStart(templates.killed, damage, expected));
test.each(STOPPED)('stopped: %s', (_name, damage, expected) => expectStart(templates.stopped, damage, expected));

async function expectStart(template: string, damage: State[1], expected: Expected): Promise<void> {
  const dataDir = join(temporaryFolder(), 'data');
  cpSync(template, dataDir, { recursive: true });
  damage(dataDir);
  const before = readAll(dataDir);
  const store = await openStore({ dataDir, role: 'gateway' }).catch((error: unknown) => error);
  if (store instanceof Error) {
    expect(store).toBeInstanceOf(OperatorError);
    expect(store.message).not.toContain('\n');
    if (expected !== 'opens or stops') expect(store.message).toMatch(expected as RegExp);
    expect(readAll(dataDir)).toEqual(before);
    return;
  }
  try {
    expect(['opens', 'opens all', 'opens empty', 'opens or stops']).toContain(expected);
    const seen = await look(store as Store).catch((error: GatewayError) => error.code);
    if (typeof seen === 'string') return expect([seen, expected]).toEqual(['store_damaged', 'opens or stops']);
    const { journals, walDamage } = seen;
    const sales = journals[0]?.records.current.NEW ?? 0;
    if (expected === 'opens all') expect(sales).toBe(SALES);
    else if (expected === 'opens empty') expect(sales).toBe(0);
    else expect([SALES - 1, SALES]).toContain(sales);
    if (walDamage !== null) expect(walDamage.missingRecords).toBe(expected === 'opens all' ? 0 : null);
  } finally {
    await (store as Store).close();
  }
}
