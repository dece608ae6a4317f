// No restore accepts a file that is not exactly a backup of ours. The live data stay as they are, byte for byte.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';

import { OperatorError } from '../../../server/errors.ts';
import { backUp, databasePath, restoreBackup } from '../../../server/store/data-directory.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { arrivalOf, makeKey, temporaryFolder } from '../../support/temp-store.ts';

let backup: Buffer;
let live: string;
let before: string;

async function makeShop(dataDir: string, records: number): Promise<void> {
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store);
  for (let i = 0; i < records; i++)
    await store.records.append(arrivalOf(key, { externalId: `sale ${i}`, object: { text: 'x'.repeat(500) } }));
  await store.records.countStatuses(); // folds
  await store.close();
}

/** The names and digests of all files in the live data directory. */
function stateOf(dataDir: string): string {
  const files = readdirSync(dataDir).toSorted();
  return files
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(dataDir, name)))
          .digest('hex')}`,
    )
    .join('\n');
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-test-'));
  const dataDir = join(folder, 'backed-up');
  live = join(folder, 'live');
  await makeShop(dataDir, 40);
  await makeShop(live, 3);
  await backUp(dataDir, join(folder, 'backup.db'));
  backup = readFileSync(join(folder, 'backup.db'));
  before = stateOf(live);
  return () => rmSync(folder, { recursive: true, force: true });
});

/** Changes bytes of a file at an offset. */
function poke(file: string, offset: number, bytes: readonly number[]): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.from(bytes), 0, bytes.length, offset);
  closeSync(handle);
}

function sql(file: string, text: string, isUnsafe = false): void {
  const db = new Database(file);
  if (isUnsafe) db.unsafeMode();
  db.exec(text);
  db.close();
}

/** Rewrites the whole file with other settings of the database. */
function vacuum(file: string, pragma: string): void {
  sql(file, `PRAGMA ${pragma}; VACUUM;`);
}

/** Changes the schema as text, which SQLite normally refuses. */
function editSchema(file: string, change: string): void {
  sql(file, `PRAGMA writable_schema = ON; ${change}`, true);
}

const APPLICATION_ID_AT = 68;
const FOREIGN = /contains objects that Counterfoil did not create/;
const DAMAGED = /damaged|not a database|cannot be opened|could not|malformed/;
const NO_BACKUP = /not a backup of Counterfoil/;
const INCOMPLETE = /is not complete/;

const VARIANTS: readonly [what: string, spoil: (file: string) => void, message: RegExp][] = [
  ['an empty file', (file) => truncateSync(file, 0), NO_BACKUP],
  ['a text file', (file) => writeFileSync(file, 'monday\n'), NO_BACKUP],
  ['a file of zeros', (file) => writeFileSync(file, Buffer.alloc(backup.length)), NO_BACKUP],
  ['only the header', (file) => truncateSync(file, 100), INCOMPLETE],
  ['half of the header', (file) => truncateSync(file, 50), NO_BACKUP],
  ['half of the pages', (file) => truncateSync(file, Math.floor(backup.length / 8192) * 4096), INCOMPLETE],
  ['a last page that is cut', (file) => truncateSync(file, backup.length - 1), INCOMPLETE],
  ['a page too many', (file) => appendFileSync(file, Buffer.alloc(4096)), INCOMPLETE],
  ['a sparse tail of a terabyte', (file) => growTo(file, 1e12), INCOMPLETE],
  ['a header that promises 2^32 pages', (file) => poke(file, 28, [255, 255, 255, 255]), INCOMPLETE],
  ['a huge page', (file) => vacuum(file, 'page_size = 65536'), NO_BACKUP],
  ['a tiny page', (file) => vacuum(file, 'page_size = 512'), NO_BACKUP],
  ['a page size that SQLite does not know', (file) => poke(file, 16, [0x12, 0x34]), NO_BACKUP],
  ['texts in UTF-16', (file) => poke(file, 56, [0, 0, 0, 2]), NO_BACKUP],
  ['automatic vacuum', (file) => vacuum(file, 'auto_vacuum = FULL'), NO_BACKUP],
  ['a write-ahead log', (file) => sql(file, 'PRAGMA journal_mode = WAL'), /is the database of a data directory/],
  ['another application id', (file) => sql(file, 'PRAGMA application_id = 1'), NO_BACKUP],
  ['no application id', (file) => poke(file, APPLICATION_ID_AT, [0, 0, 0, 0]), NO_BACKUP],
  ['a trigger', (file) => sql(file, 'CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM keys; END'), FOREIGN],
  ['a view', (file) => sql(file, 'CREATE VIEW v AS SELECT * FROM keys'), FOREIGN],
  [
    'a view in the place of a table',
    (file) => sql(file, 'DROP TABLE backups; CREATE VIEW backups AS SELECT 1 AS id, 2 AS made_at'),
    FOREIGN,
  ],
  ['an additional table', (file) => sql(file, 'CREATE TABLE mine (x)'), FOREIGN],
  ['a virtual table', (file) => sql(file, 'CREATE VIRTUAL TABLE f USING fts5(x)'), FOREIGN],
  ['an index with an expression', (file) => sql(file, 'CREATE INDEX i ON records (abs(id))'), FOREIGN],
  ['statistics of ANALYZE', (file) => sql(file, 'ANALYZE'), FOREIGN],
  ['a generated column', (file) => sql(file, 'ALTER TABLE keys ADD COLUMN g TEXT AS (hex(id))'), FOREIGN],
  [
    'a changed default',
    (file) => editSchema(file, "UPDATE sqlite_schema SET sql = replace(sql, 'DEFAULT 0', 'DEFAULT 1')"),
    FOREIGN,
  ],
  ['a missing table', (file) => sql(file, 'DROP TABLE backups'), /is missing/],
  ['a missing index', (file) => sql(file, 'DROP INDEX duplicates'), /is missing/],
  [
    'a schema that is no SQL',
    (file) => editSchema(file, "UPDATE sqlite_schema SET sql = 'CREATE TABLE (' WHERE name = 'keys'"),
    DAMAGED,
  ],
  [
    'a root page outside of the file',
    (file) => editSchema(file, "UPDATE sqlite_schema SET rootpage = 99999999 WHERE name = 'keys'"),
    DAMAGED,
  ],
  [
    'a table that shares the pages of another',
    (file) =>
      editSchema(
        file,
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'keys') WHERE name = 'users'",
      ),
    DAMAGED,
  ],
  ['a negative schema version', (file) => sql(file, 'PRAGMA user_version = -1'), /which no Counterfoil writes/],
  [
    'the schema of a newer version',
    (file) => sql(file, 'PRAGMA user_version = 99; UPDATE oldest_program SET schema = 99'),
    /newer Counterfoil/,
  ],
  ['the version number of an older schema', (file) => sql(file, 'PRAGMA user_version = 5'), /does not fit its tables/],
  [
    'a record with other bytes',
    (file) => sql(file, "UPDATE records SET body = CAST('{}' AS BLOB) WHERE id = 3"),
    /the bytes of 1 record have changed/,
  ],
  ['a wrong count', (file) => sql(file, 'UPDATE lanes SET waiting = waiting + 1'), /its counts do not match/],
  [
    'a record that is missing from the order of sale',
    (file) => sql(file, 'DELETE FROM sales WHERE record_id = 3'),
    /its counts do not match/,
  ],
  [
    'a page of zeros in the middle',
    (file) => poke(file, 4096 * Math.floor(backup.length / 8192), Array<number>(4096).fill(0)),
    DAMAGED,
  ],
  [
    'random bytes in the middle',
    (file) => poke(file, 4096 * Math.floor(backup.length / 8192), [...createHash('sha512').update('x').digest()]),
    DAMAGED,
  ],
  [
    'no secret for cursors',
    (file) => sql(file, "DELETE FROM secrets WHERE name = 'cursor'"),
    /secret that signs cursors/,
  ],
  ['a folder', (file) => (rmSync(file), mkdirSync(file)), /is a folder/],
  [
    'a symbolic link',
    (file) => (linkSync(file, `${file}.real`), rmSync(file), symlinkSync(`${file}.real`, file)),
    /is a symbolic link/,
  ],
  [
    'a symbolic link to the live data',
    (file) => (rmSync(file), symlinkSync(databasePath(live), file)),
    /is a symbolic link/,
  ],
  ['a pipe', (file) => (rmSync(file), execFileSync('mkfifo', [file])), NO_BACKUP],
  ['a missing file', (file) => rmSync(file), /does not exist/],
];

function growTo(file: string, bytes: number): void {
  const handle = openSync(file, 'r+');
  ftruncateSync(handle, bytes);
  closeSync(handle);
}

test('there are at least thirty variants', () => {
  expect(VARIANTS.length).toBeGreaterThanOrEqual(30);
});

test.each(VARIANTS)('%s is refused, and the live data stay as they are', async (_what, spoil, message) => {
  const file = join(temporaryFolder(), 'backup.db');
  writeFileSync(file, backup);
  spoil(file);
  const failure = await restoreBackup(live, file, Date.now()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(OperatorError);
  expect((failure as Error).message).toMatch(message);
  expect((failure as Error).message).not.toMatch(/db\.new-/);
  expect(stateOf(live)).toBe(before);
});

test('files beside the backup have no effect on the restored data', async () => {
  const [folder, dataDir] = [temporaryFolder(), temporaryFolder()];
  const file = join(folder, 'backup.db');
  writeFileSync(file, backup);
  copyFileSync(databasePath(live), `${file}-journal`);
  copyFileSync(databasePath(live), `${file}-wal`);
  expect(await restoreBackup(dataDir, file, Date.now())).toMatchObject({ records: 40 });
  const store = await openStore({ dataDir, role: 'gateway' });
  expect(await store.health.check()).toMatchObject({ records: 40, structure: [], damagedRecords: [] });
  await store.close();
});

test('a backup that may only be read is restored, and the restored file belongs to its owner alone', async () => {
  const file = join(temporaryFolder(), 'backup.db');
  writeFileSync(file, backup);
  chmodSync(file, 0o444);
  const dataDir = temporaryFolder();
  expect(await restoreBackup(dataDir, file, Date.now())).toMatchObject({ records: 40, asidePath: null });
  expect(statSync(databasePath(dataDir)).mode & 0o777).toBe(0o600);
});
