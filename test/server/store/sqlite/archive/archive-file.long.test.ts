// The archive in its files and database: freed pages, crashes at every step, and files that are missing or damaged.

import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';

import { backUp, checkFile, restoreBackup, salvage } from '../../../../../server/store/data-directory.ts';
import { openStore } from '../../../../../server/store/open-store.ts';
import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import type { Store } from '../../../../../server/store/store.ts';
import { archiveDay, DAY, saleOf, sellDelivered } from '../../../../support/archived.ts';
import { mountSmallDisk } from '../../../../support/small-disk.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

const RULE = { type: 'sale', total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent' } as const;

async function openAt(dataDir: string): Promise<Store & { closeNow(): Promise<void> }> {
  const store = await openStore({ dataDir, role: 'gateway' });
  let closed: Promise<void> | undefined;
  const closeNow = (): Promise<void> => (closed ??= store.close());
  onTestFinished(closeNow);
  return { ...store, closeNow };
}

function inDatabase<T>(dataDir: string, work: (db: Database.Database) => T): T {
  const db = new Database(databasePath(dataDir));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const filesIn = (dataDir: string): string[] => {
  const folder = join(dataDir, 'archive');
  return existsSync(folder) ? readdirSync(folder) : [];
};

async function bodiesOf(store: Store, recordIds: readonly number[]): Promise<string[]> {
  return Promise.all(recordIds.map(async (id) => Buffer.from((await store.records.getBody(id)) ?? []).toString()));
}

test('the freed pages can be used for new sales, and the row keeps everything but its body', async () => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 1000, 'x'.repeat(600));
  const read = () =>
    inDatabase(dataDir, (db) => ({
      free: db.pragma('freelist_count', { simple: true }) as number,
      pages: db.pragma('page_count', { simple: true }) as number,
      rows: db.prepare<[], Record<string, unknown>>('SELECT * FROM records ORDER BY id').all(),
    }));
  const before = read();
  await archiveDay(store, sold);
  const after = read();
  const rest = ({ body: _body, archive_block: _block, ...row }: Record<string, unknown>) => row;
  expect(after.rows.map(rest)).toEqual(before.rows.map(rest));
  expect(after.rows.map(({ body }) => String(body))).toEqual(
    before.rows.map(({ body }) => String((body as Buffer).length)),
  );
  expect(after.free).toBeGreaterThan(before.pages / 2);
  expect(inDatabase(dataDir, (db) => db.pragma('foreign_key_check'))).toEqual([]);
});

/** The steps after which a crash leaves a file in another state. */
const CRASHES = {
  'before the file is written': (db: Database.Database) => {
    db.exec('UPDATE archive_files SET bytes = NULL');
  },
  'while the bodies are moved': () => {},
} as const;

test.each(Object.entries(CRASHES))('after a crash %s, no body is in neither place', async (_name, crash) => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 400);
  const { journalId } = sold.key;
  const before = await bodiesOf(store, sold.recordIds);
  await store.archive.write('2025-10', [{ ...DAY, journalId, signedAt: 1 }]);
  if (_name === 'while the bodies are moved') await store.archive.moveSlice();
  await store.closeNow();
  inDatabase(dataDir, crash);
  const again = await openAt(dataDir);
  expect(await bodiesOf(again, sold.recordIds)).toEqual(before);
  while (await again.archive.moveSlice());
  expect(await bodiesOf(again, sold.recordIds)).toEqual(before);
  const { records } = await again.archive.readSummary();
  expect(records).toBe(_name === 'while the bodies are moved' ? 400 : 0);
  expect(filesIn(dataDir)).toHaveLength(records === 0 ? 0 : 1);
  expect(await again.archive.listDays(journalId)).toEqual(new Map(records === 0 ? [] : [[DAY.date, 1]]));
});

test('a part of a file that a crash left behind is deleted', async () => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 1);
  await archiveDay(store, sold);
  inDatabase(dataDir, (db) =>
    db.exec("INSERT INTO archive_files (name, begun_at) VALUES ('2025-11-0000000a.archive', 1)"),
  );
  writeFileSync(join(dataDir, 'archive/2025-11-0000000a.archive.partial'), 'half');
  writeFileSync(join(dataDir, 'archive/mine.txt'), 'mine');
  while (await store.archive.moveSlice());
  expect(filesIn(dataDir)).toHaveLength(2);
  expect(filesIn(dataDir)).toContain('mine.txt');
});

test('on a nearly full disk, the archive stops before tills get no space, and continues when there is space', async ({
  skip,
}) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip('not run: mounting a small disk needs root on Linux');
  const dataDir = join(disk, 'data');
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 300, randomBytes(2500).toString('base64'));
  const day = { ...DAY, journalId: sold.key.journalId, signedAt: 1 };
  const before = await bodiesOf(store, sold.recordIds);
  const freeBytes = (): number => statfsSync(disk).bavail * statfsSync(disk).bsize;
  const filler = join(disk, 'filler');
  const fillUntil = (free: number): void => writeFileSync(filler, randomBytes(Math.max(0, freeBytes() - free)));
  let sales = 1000;
  const sell = async (): Promise<unknown> => store.records.append(saleOf(sold.key, sales++));

  fillUntil(1_300_000);
  await expect(store.archive.write('2025-10', [day])).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(filesIn(dataDir)).toEqual([]);
  await sell();

  rmSync(filler);
  while (await store.archive.moveSlice());
  await store.archive.write('2025-10', [day]);
  fillUntil(900_000);
  await expect(store.archive.moveSlice()).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(await store.archive.packSlice()).toBe(false);
  await sell();
  expect(store.health.trouble()).toBeUndefined();

  rmSync(filler);
  while (await store.archive.moveSlice()) await sell();
  expect(await store.archive.readSummary()).toMatchObject({ files: 1, records: 300 });
  expect(await bodiesOf(store, sold.recordIds)).toEqual(before);
});

test('a file that differs from the database after it was written moves no body', async () => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 300);
  const before = await bodiesOf(store, sold.recordIds);
  await store.archive.write('2025-10', [{ ...DAY, journalId: sold.key.journalId, signedAt: 1 }]);
  const [name = ''] = filesIn(dataDir);
  const path = join(dataDir, 'archive', name);
  const bytes = readFileSync(path);
  bytes[bytes.byteLength - 5] = (bytes.at(-5) ?? 0) ^ 1;
  writeFileSync(path, bytes);
  await expect(store.archive.moveSlice()).rejects.toThrow('is damaged');
  expect(await store.archive.moveSlice()).toBe(false);
  expect(await bodiesOf(store, sold.recordIds)).toEqual(before);
  expect(filesIn(dataDir)).toEqual([]);
  expect(await store.archive.listDays(sold.key.journalId)).toEqual(new Map());
});

/** Damages of a file after it was compared. */
const LOSSES = {
  missing: (path: string) => rmSync(path),
  damaged: (path: string) => writeFileSync(path, readFileSync(path).fill(0, statSync(path).size - 5)), // the last block
} as const;

test.each(Object.entries(LOSSES))(
  'a file that is %s between two blocks takes no further body from the database',
  async (fault, lose) => {
    const dataDir = temporaryFolder();
    const store = await openAt(dataDir);
    const sold = await sellDelivered(store, 80, 'x'.repeat(600)); // 2 blocks
    const archived = { ...DAY, journalId: sold.key.journalId, signedAt: 1 };
    const before = await bodiesOf(store, sold.recordIds);
    await store.archive.write('2025-10', [archived]);
    await store.archive.moveSlice();
    const inFile = inDatabase(dataDir, (db) => db.prepare('SELECT records FROM archive_files').pluck().get() as number);
    lose(join(dataDir, 'archive', filesIn(dataDir)[0] ?? ''));

    const moved = store.archive.moveSlice();
    await expect(moved).rejects.toMatchObject({ code: 'store_damaged', message: expect.stringContaining(fault) });
    await expect(store.archive.moveSlice()).rejects.toThrow('.archive');
    expect(await bodiesOf(store, sold.recordIds.slice(inFile))).toEqual(before.slice(inFile));
    expect(await store.archive.readSummary()).toMatchObject({ records: inFile, fault: { fault, records: inFile } });
    expect(store.health.trouble()).toBeUndefined();

    expect(await store.archive.listDays(archived.journalId)).toEqual(new Map()); // due again, for another file
    await archiveDay(store, sold);
    expect(await bodiesOf(store, sold.recordIds.slice(inFile))).toEqual(before.slice(inFile));
    expect(await store.archive.readSummary()).toMatchObject({ records: 80, fault: { fault, records: inFile } });
  },
);

/** Each damage, and how it is undone. */
const DAMAGES = {
  missing: (path: string) => {
    renameSync(path, `${path}.away`);
    return () => renameSync(`${path}.away`, path);
  },
  damaged: (path: string) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.byteLength - 1));
    return () => writeFileSync(path, bytes);
  },
  // A folder that cannot be read, also for root.
  unreadable: (path: string) => {
    const folder = dirname(path);
    renameSync(folder, `${folder}.away`);
    symlinkSync(basename(folder), folder);
    return () => {
      rmSync(folder);
      renameSync(`${folder}.away`, folder);
    };
  },
} as const;

test.each(Object.entries(DAMAGES))(
  'while a file is %s, sales are accepted and nothing is guessed',
  async (fault, damage) => {
    const dataDir = temporaryFolder();
    const store = await openAt(dataDir);
    const sold = await sellDelivered(store, 3);
    const { key, laneId, recordIds } = sold;
    const [first = 0] = recordIds;
    await archiveDay(store, sold);
    const repair = damage(join(dataDir, 'archive', filesIn(dataDir)[0] ?? ''));
    const count = async () => (await store.days.count({ journalId: key.journalId, days: [DAY] }))[0];
    const before = await count();

    expect(await store.records.append(saleOf(key, 0))).toMatchObject({ status: 'IGNORED', originalId: first });
    const changed = store.records.append(saleOf(key, 0, { total: '9.99' }));
    await expect(changed).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining('archive file') as string,
    });
    expect(store.health.trouble()).toBeUndefined();
    expect(await count()).toEqual(before);
    expect(await store.records.get(first)).toMatchObject({ isIntact: true, isUnreadable: true, body: '' });
    expect(await store.records.getExcerpts([first], 10)).toEqual(new Map([[first, 'unreadable']]));
    await expect(store.records.getBody(first)).rejects.toMatchObject({ code: 'store_damaged' });

    await store.amounts.setRule('Bakery', 'sale', RULE, 'test');
    await expect(store.amounts.fillSlice()).rejects.toMatchObject({ code: 'store_damaged' });
    expect(store.health.trouble()).toBeUndefined();

    const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
    const records = { kind: 'one', recordId: first } as const;
    await store.outbox.performAct(lane, { kind: 'send again', records, delivered: true }, 'test');
    expect((await store.outbox.listWaiting(laneId, 0)).records).toEqual([]); // it waits, and is not held

    await store.health.scrubSlice();
    expect(await store.health.readMachine()).toMatchObject({ damaged: null });
    const problem = { fault, files: 1, records: 3 };
    expect((await store.archive.readSummary()).fault).toMatchObject(problem);
    await store.archive.inspect();
    expect((await store.archive.readSummary()).fault).toMatchObject(problem);

    repair();
    await store.archive.inspect();
    expect((await store.archive.readSummary()).fault).toBeNull();
    expect(await store.records.append(saleOf(key, 0, { total: '9.99' }))).toMatchObject({ status: 'ERROR' });
    while (await store.amounts.fillSlice());
    expect((await store.outbox.listWaiting(laneId, 0)).records).toMatchObject([{ recordId: first }]);
  },
);

test('files are found after they were moved to the folder of the setting, and after the data moved', async () => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 3);
  const before = await bodiesOf(store, sold.recordIds);
  await archiveDay(store, sold);
  const folder = temporaryFolder();
  await store.archive.useSettings({ folder });
  expect(await bodiesOf(store, sold.recordIds)).toEqual(before); // still beside the database
  const [name = ''] = filesIn(dataDir);
  renameSync(join(dataDir, 'archive', name), join(folder, name));
  expect(await bodiesOf(store, sold.recordIds)).toEqual(before);
  await store.closeNow();
  const moved = join(temporaryFolder(), 'data');
  renameSync(dataDir, moved);
  expect(await bodiesOf(await openAt(moved), sold.recordIds)).toEqual(before);
});

test('a backup on another machine has the archived bodies; without its folder, everything else is restored', async () => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 300);
  const before = await bodiesOf(store, sold.recordIds);
  const [first = 0] = sold.recordIds;
  await archiveDay(store, sold);
  const backups = temporaryFolder();
  const file = join(backups, 'counterfoil.db');
  expect((await backUp(dataDir, file)).archive).toEqual({ files: 1, faults: [] });
  expect((await backUp(dataDir, join(backups, 'second.db'))).archive).toEqual({ files: 1, faults: [] });
  expect(filesIn(backups)).toEqual(filesIn(dataDir));
  await store.closeNow();
  renameSync(dataDir, `${dataDir}.gone`);
  onTestFinished(() => rmSync(`${dataDir}.gone`, { recursive: true }));

  const there = temporaryFolder();
  expect((await restoreBackup(there, file, Date.now())).archive).toEqual({ files: 1, faults: [] });
  const restored = await openAt(there);
  expect(await bodiesOf(restored, sold.recordIds)).toEqual(before);

  const copy = join(backups, 'archive', filesIn(backups)[0] ?? '');
  const whole = readFileSync(copy);
  writeFileSync(join(there, 'archive', basename(copy)), Buffer.from(whole).fill(0, whole.byteLength - 5));
  await restored.closeNow();
  expect((await restoreBackup(there, file, Date.now())).archive).toEqual({ files: 1, faults: [] }); // replaces the damaged file
  expect(readFileSync(join(there, 'archive', basename(copy)))).toEqual(whole);
  writeFileSync(copy, Buffer.from(whole).fill(0, whole.byteLength - 5));
  const damaged = await restoreBackup(temporaryFolder(), file, Date.now());
  expect(damaged.archive).toEqual({ files: 1, faults: [{ file: basename(copy), fault: 'damaged' }] });
  expect((await backUp(there, join(backups, 'third.db'))).archive).toEqual({ files: 1, faults: [] });
  expect(readFileSync(copy)).toEqual(whole); // the next backup replaces it

  renameSync(join(backups, 'archive'), join(backups, 'elsewhere'));
  const without = temporaryFolder();
  expect((await restoreBackup(without, file, Date.now())).archive).toMatchObject({
    files: 1,
    faults: [{ fault: 'missing' }],
  });
  const incomplete = await openAt(without);
  expect(await incomplete.records.append(saleOf(sold.key, 0))).toMatchObject({ status: 'IGNORED', originalId: first });
  await incomplete.archive.inspect();
  expect((await incomplete.archive.readSummary()).fault).toMatchObject({ fault: 'missing', files: 1, records: 300 });
  mkdirSync(join(without, 'archive'));
  for (const name of readdirSync(join(backups, 'elsewhere')))
    writeFileSync(join(without, 'archive', name), readFileSync(join(backups, 'elsewhere', name)));
  expect(await bodiesOf(incomplete, sold.recordIds)).toEqual(before);
});

test('while the folder cannot be read, the store starts, and a check and a backup only miss its files', async () => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 3);
  await store.amounts.setRule('Bakery', 'sale', RULE, 'test');
  while (await store.amounts.fillSlice());
  await archiveDay(store, sold);
  await store.closeNow();
  const copied = temporaryFolder();
  copyFileSync(databasePath(dataDir), databasePath(copied)); // a copy is read completely when it starts
  symlinkSync('archive', join(copied, 'archive'));
  const there = await openAt(copied);
  expect((await there.health.check()).structure).toEqual([]);
  expect((await backUp(copied, join(temporaryFolder(), 'counterfoil.db'))).archive).toMatchObject({
    files: 1,
    faults: [{ fault: expect.any(String) }],
  });
  expect(there.health.trouble()).toBeUndefined();
});

/** A file that the data have not completed when they are backed up. */
const UNUSED = { 'that is not complete': false, 'without moved bodies': true } as const;

test.each(Object.entries(UNUSED))(
  'a restored database forgets a file %s, so it never deletes the file of other data',
  async (_name, isComplete) => {
    const [dataDir, shared] = [temporaryFolder(), temporaryFolder()];
    const store = await openAt(dataDir);
    await store.archive.useSettings({ folder: shared });
    const sold = await sellDelivered(store, 300);
    const { journalId } = sold.key;
    const before = await bodiesOf(store, sold.recordIds);
    await store.archive.write('2025-10', [{ ...DAY, journalId, signedAt: 1 }]);
    const setBytes = (bytes: unknown) =>
      inDatabase(dataDir, (db) => db.prepare('UPDATE archive_files SET bytes = ?').run(bytes));
    const size = inDatabase(dataDir, (db) => db.prepare('SELECT bytes FROM archive_files').pluck().get());
    if (!isComplete) setBytes(null);
    const file = join(temporaryFolder(), 'counterfoil.db');
    await backUp(dataDir, file);
    const ofEarlier = join(temporaryFolder(), 'earlier.db'); // an earlier version kept the rows
    inDatabase(dataDir, (db) => db.prepare('VACUUM INTO ?').run(ofEarlier));
    if (!isComplete) setBytes(size);
    while (await store.archive.moveSlice());

    for (const backup of [file, ofEarlier]) {
      const there = temporaryFolder();
      await restoreBackup(there, backup, Date.now());
      const other = await openAt(there);
      await other.archive.useSettings({ folder: shared });
      const [name = ''] = readdirSync(shared);
      const whole = readFileSync(join(shared, name));
      writeFileSync(join(shared, name), whole.subarray(1)); // a data set gives up a file that it cannot read
      expect(await other.archive.moveSlice()).toBe(false);
      expect(readdirSync(shared)).toEqual([name]);
      writeFileSync(join(shared, name), whole);
      expect(await other.archive.listDays(journalId)).toEqual(new Map());
      expect(await bodiesOf(other, sold.recordIds)).toEqual(before);
      await other.closeNow();
    }
    await store.closeNow();
    expect(await bodiesOf(await openAt(dataDir), sold.recordIds)).toEqual(before);
  },
);

test.each(Object.entries(UNUSED))(
  'data that were copied by hand never delete a file %s, which the copied data may complete',
  async (_name, isComplete) => {
    const [dataDir, there, shared] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    const store = await openAt(dataDir);
    await store.archive.useSettings({ folder: shared });
    const { key } = await sellDelivered(store, 3);
    await store.archive.write('2025-10', [{ ...DAY, journalId: key.journalId, signedAt: 1 }]);
    const files = readdirSync(shared);
    await store.closeNow();
    copyFileSync(databasePath(dataDir), databasePath(there));
    if (!isComplete) inDatabase(there, (db) => db.prepare('UPDATE archive_files SET bytes = NULL').run());
    const copy = await openAt(there);
    expect(await copy.archive.moveSlice()).toBe(false);
    expect(await copy.archive.listDays(key.journalId)).toEqual(new Map());
    expect(readdirSync(shared)).toEqual(files);
  },
);

test('data on a replaced database file forget a file that is not complete, and do not delete it', async () => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const { key } = await sellDelivered(store, 3);
  await store.archive.write('2025-10', [{ ...DAY, journalId: key.journalId, signedAt: 1 }]);
  inDatabase(dataDir, (db) => {
    db.exec('UPDATE archive_files SET bytes = NULL');
    db.exec("UPDATE secrets SET value = CAST('another file' AS BLOB) WHERE name = 'file'");
  });
  expect(await store.archive.moveSlice()).toBe(false);
  expect(filesIn(dataDir)).toHaveLength(1);
});

test('a check, a restore and a backup name each archive file that cannot be read', async () => {
  const [dataDir, shared, backups] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const store = await openAt(dataDir);
  await store.archive.useSettings({ folder: shared });
  const sold = await sellDelivered(store, 3);
  await archiveDay(store, sold);
  const [name = ''] = readdirSync(shared);
  const backup = join(backups, 'counterfoil.db');
  await backUp(dataDir, backup);
  await store.closeNow();

  // Without the setting, the restored data look only beside the database. The file comes from the backup or the shared folder.
  for (const from of [join(backups, 'archive'), shared]) {
    const there = temporaryFolder();
    expect((await restoreBackup(there, backup, Date.now())).archive).toEqual({ files: 1, faults: [] });
    expect(filesIn(there)).toEqual([name]);
    rmSync(from, { recursive: true });
  }
  const fault = { file: name, fault: 'missing' };
  const bare = temporaryFolder();
  expect((await restoreBackup(bare, backup, Date.now())).archive).toEqual({ files: 1, faults: [fault] });
  expect(checkFile(backup)).toMatchObject({ damagedRecords: [], archiveFaults: [fault] });
  const restored = await openAt(bare);
  expect(await restored.health.check()).toMatchObject({ damagedRecords: [], archiveFaults: [fault] });
  expect((await backUp(bare, join(temporaryFolder(), 'b.db'))).archive).toEqual({ files: 1, faults: [fault] });
});

test('a restored database cannot name a file outside its folder', async () => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 1);
  await archiveDay(store, sold);
  const victim = join(dataDir, 'victim.txt');
  writeFileSync(victim, 'mine');
  inDatabase(dataDir, (db) => db.exec("INSERT INTO archive_files (name, begun_at) VALUES ('../victim.txt', 1)"));
  await expect(store.archive.moveSlice()).rejects.toThrow('../victim.txt');
  expect(readFileSync(victim, 'utf8')).toBe('mine');
});

test('a salvage keeps archived records and their amounts, and a restore in place finds their files', async () => {
  const dataDir = temporaryFolder();
  const store = await openAt(dataDir);
  const sold = await sellDelivered(store, 300);
  await store.amounts.setRule('Bakery', 'sale', RULE, 'test');
  while (await store.amounts.fillSlice());
  await archiveDay(store, sold);
  const read = async (from: Store) => ({
    bodies: await bodiesOf(from, sold.recordIds),
    days: await from.days.count({ journalId: sold.key.journalId, days: [DAY] }),
  });
  const before = await read(store);
  await store.closeNow();
  const to = join(temporaryFolder(), 'salvaged');
  const found = await salvage({ path: databasePath(dataDir), dataDir }, to, Date.now());
  expect(found).toMatchObject({ records: 300, missing: 0, changed: [], tables: [] });
  expect((await restoreBackup(dataDir, databasePath(to), Date.now())).archive).toEqual({ files: 1, faults: [] });
  expect(await read(await openAt(dataDir))).toEqual(before);
});
