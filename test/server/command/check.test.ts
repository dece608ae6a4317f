// `counterfoil check FILE` checks a backup as it checks a data directory, and does not change the backup.

import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import Database from 'better-sqlite3';
import { Command } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';

import { bindCheck } from '../../../server/command/check.ts';
import { backUp, databasePath } from '../../../server/store/data-directory.ts';
import { folderAtVersion2, turnBackToSchema16 } from '../../support/old-data.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

afterEach(() => void (process.exitCode = undefined));

async function check(...args: string[]): Promise<{ printed: string; exitCode: typeof process.exitCode }> {
  const lines: string[] = [];
  const print = (text: unknown): boolean => lines.push(String(text)) > 0;
  const [log, write] = [
    vi.spyOn(console, 'log').mockImplementation(print),
    vi.spyOn(process.stdout, 'write').mockImplementation(print),
  ];
  try {
    const program = new Command('counterfoil').exitOverride();
    bindCheck(program);
    await program.parseAsync(['check', ...args], { from: 'user' });
    return { printed: lines.join('\n'), exitCode: process.exitCode };
  } finally {
    log.mockRestore();
    write.mockRestore();
  }
}

/** Makes a backup with two counted records and runs `damage` on it as SQL. */
async function makeBackup(damage?: string): Promise<string> {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  for (const externalId of ['a', 'b']) await store.records.append(arrivalOf(key, { externalId, object: { total: 1 } }));
  await store.records.countStatuses(); // folds
  const file = join(temporaryFolder(), 'backup.db');
  await backUp(dataDir, file);
  if (damage !== undefined) {
    const db = new Database(file);
    db.exec(damage);
    db.close();
  }
  return file;
}

test('an undamaged backup is reported as such, and nothing in its folder changes', async () => {
  const file = await makeBackup();
  const digest = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');
  const before = { digest: digest(), files: readdirSync(dirname(file)) };
  chmodSync(file, 0o400);
  chmodSync(dirname(file), 0o500);
  const { printed, exitCode } = await check(file);
  chmodSync(dirname(file), 0o700);
  expect({ printed, exitCode }).toEqual({
    printed: `All 2 records in ${file} are sound, and every count is right.`,
    exitCode: undefined,
  });
  expect({ digest: digest(), files: readdirSync(dirname(file)) }).toEqual(before);
});

test('--json names the file and the findings', async () => {
  const file = await makeBackup();
  const { printed } = await check(file, '--json');
  expect(JSON.parse(printed)).toMatchObject({ ok: true, file, records: 2, damaged_records: [], count_faults: [] });
});

test.each([
  [
    'a changed record',
    `UPDATE records SET body = CAST(replace(CAST(body AS TEXT), '1', '2') AS BLOB) WHERE external_id = 'a'`,
    /Records whose bytes have changed: 1/,
  ],
  [
    'a wrong count',
    'UPDATE counts SET records = records + 1 WHERE width = 900',
    /The count of NEW .* is 3, but there are 2/,
  ],
  [
    'a wrong count of deliveries',
    'UPDATE lanes SET waiting = 7',
    /The count of waiting deliveries .* is 7, but there are 2/,
  ],
  [
    'a NEW record that would never be forwarded',
    `DELETE FROM deliveries WHERE record_id = 2; UPDATE delivery_counts SET deliveries = 1; UPDATE lanes SET waiting = 1 WHERE waiting = 2`,
    /The count of all deliveries of NEW records .* is 1, but there are 2 NEW records\./,
  ],
])('%s in a backup ends with 1 and is named', async (_fault, damage, message) => {
  const { printed, exitCode } = await check(await makeBackup(damage));
  expect(exitCode).toBe(1);
  expect(printed).toMatch(/^Some data in the backup are wrong\. Keep it, and look for another backup\./);
  expect(printed).toMatch(message);
});

test('the counts of a backup are checked as long as their tables are those of today', async () => {
  const file = await makeBackup('UPDATE counts SET records = records - 1');
  const db = new Database(file);
  turnBackToSchema16(db);
  db.close();
  const { printed, exitCode } = await check(file);
  expect(exitCode).toBe(1);
  expect(printed).toMatch(/^Some data in the backup are wrong\./);
});

test('a backup of an earlier version is checked without its counts, and the command says so', async () => {
  const file = join(temporaryFolder(), 'old.db');
  await backUp(folderAtVersion2(), file);
  const { printed, exitCode } = await check(file);
  expect(exitCode).toBeUndefined();
  expect(printed).toMatch(/are sound\. An earlier version made this backup, so its counts were not checked\.$/);
});

test.each<[name: string, make: () => Promise<string> | string, message: RegExp]>([
  ['a missing file', () => join(temporaryFolder(), 'none.db'), /^The file .*none\.db does not exist\.$/],
  ['a folder', () => temporaryFolder(), /is a folder\. Give it with --data/],
  ['a file of another format', () => textFile(), /is not a backup of Counterfoil\.$/],
  ['a database of another program', () => foreignDatabase(), /is a database of another program/],
  ['a truncated backup', async () => cutOff(await makeBackup()), /is not complete/],
  ['the database of a data directory', async () => liveDatabase(), /is the database of a data directory.*--data/],
  ['a link to the database of a data directory', async () => linkTo(await liveDatabase()), /--data/],
])('%s is an error with one sentence', async (_name, make, message) => {
  await expect(check(await make())).rejects.toThrow(message);
});

test('a file together with --data is wrong usage', async () => {
  await expect(check('backup.db', '--data', temporaryFolder())).rejects.toThrow(/either a file or --data/);
});

function textFile(): string {
  const file = join(temporaryFolder(), 'a.txt');
  writeFileSync(file, 'This is a text that is longer than a header of a database. '.repeat(10));
  return file;
}

function foreignDatabase(): string {
  const file = join(temporaryFolder(), 'other.db');
  const db = new Database(file);
  db.exec('CREATE TABLE t (a)');
  db.close();
  return file;
}

function cutOff(file: string): string {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, 8192));
  return file;
}

async function liveDatabase(): Promise<string> {
  const dataDir = temporaryFolder();
  await openTemporaryStore({ dataDir });
  const copy = join(temporaryFolder(), 'raw.db');
  copyFileSync(databasePath(dataDir), copy);
  return copy;
}

function linkTo(file: string): string {
  const link = join(temporaryFolder(), 'link.db');
  symlinkSync(file, link);
  return link;
}
