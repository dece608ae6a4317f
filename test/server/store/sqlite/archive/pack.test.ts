// Packs in the database: freed pages, crashes, damage, and the way from a pack into an archive file.

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';

import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';

import { type BodyRow, openBodies } from '../../../../../server/store/sqlite/archive/body.ts';
import { openPacker } from '../../../../../server/store/sqlite/archive/pack.ts';
import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { openScrubReader } from '../../../../../server/store/sqlite/integrity/scrub.ts';
import type { Store } from '../../../../../server/store/store.ts';
import { archiveDay, MAX_PACK_RECORDS, packAll, saleOf, sellDelivered } from '../../../../support/archived.ts';
import { withDatabase } from '../../../../support/old-data.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

const pagesInUse = (db: Database.Database): number =>
  Number(db.pragma('page_count', { simple: true })) - Number(db.pragma('freelist_count', { simple: true }));

const listPacks = (dataDir: string) =>
  withDatabase(dataDir, (db) =>
    db.prepare('SELECT last_record_id AS lastId, bodies IS NULL AS isEmpty FROM packs ORDER BY 1').all(),
  );

test('packing frees pages for at least 60 % of the size of the bodies', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await sellDelivered(store, 4 * MAX_PACK_RECORDS, 'some text of a sale that repeats');
  const before = withDatabase(dataDir, pagesInUse);
  const bodies = withDatabase(dataDir, (db) =>
    Number(db.prepare('SELECT sum(length(body)) FROM records').pluck().get()),
  );
  expect(await packAll(store)).toBeGreaterThan(2);
  const freed = (before - withDatabase(dataDir, pagesInUse)) * 4096;
  expect(freed).toBeGreaterThan(bodies * 0.6);
});

test('a failure in the middle of a pack changes nothing', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await sellDelivered(store, MAX_PACK_RECORDS);
  await store.close();
  const db = openDatabase(databasePath(dataDir), 'write');
  onTestFinished(() => void db.close());
  const rows = () => db.prepare('SELECT * FROM records ORDER BY id').all();
  const before = rows();
  db.exec("CREATE TRIGGER crash AFTER DELETE ON records WHEN old.id = 9 BEGIN SELECT raise(ABORT, 'crash'); END");
  expect(() => openPacker(db)(Date.now())).toThrow('crash');
  expect(rows()).toEqual(before);
  expect(db.prepare('SELECT * FROM packs').all()).toEqual([]);
  expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
});

test('a pack whose bodies are all in files is cleared, and a caller that has read a row before still gets the body', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const sold = await sellDelivered(store, 2 * MAX_PACK_RECORDS);
  expect(await packAll(store)).toBe(2);
  const [recordId = 0] = sold.recordIds;
  const db = openDatabase(databasePath(dataDir), 'read');
  onTestFinished(() => void db.close());
  const find = db.prepare<[number], BodyRow>(
    'SELECT digest, body, archive_block AS archiveBlock FROM records WHERE id = ?',
  );
  const row = find.get(recordId) as BodyRow;
  expect(row.archiveBlock).toBe(-MAX_PACK_RECORDS);
  await archiveDay(store, sold);
  expect(listPacks(dataDir)).toEqual([
    { lastId: MAX_PACK_RECORDS, isEmpty: 1 },
    { lastId: 2 * MAX_PACK_RECORDS, isEmpty: 1 },
  ]);
  expect(openBodies(db)(recordId, row).toString()).toBe(saleOf(sold.key, 0).body.toString());
  expect(await packAll(store)).toBe(0);
});

test('archived and damaged records are passed over', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const sold = await sellDelivered(store, 2 * MAX_PACK_RECORDS);
  await archiveDay(store, sold);
  const added = await Promise.all(
    Array.from({ length: MAX_PACK_RECORDS + 1 }, (_, n) =>
      store.records.append(saleOf(sold.key, 2 * MAX_PACK_RECORDS + n)),
    ),
  );
  const damagedId = added[0]?.recordId ?? 0;
  withDatabase(dataDir, (db) => db.prepare("UPDATE records SET body = x'00' WHERE id = ?").run(damagedId));
  expect(await packAll(store)).toBe(1);
  expect(listPacks(dataDir)).toEqual([{ lastId: 3 * MAX_PACK_RECORDS + 1, isEmpty: 0 }]);
  expect(await store.health.check()).toMatchObject({ damagedRecords: [damagedId] });
});

test('after many archived records, a call stops and remembers its place', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const sold = await sellDelivered(store, 1100);
  await archiveDay(store, sold);
  expect(await packAll(store)).toBe(1);
  expect(listPacks(dataDir)).toEqual([{ lastId: 1000, isEmpty: 1 }]);
});

test.each([
  ['lost', 'DELETE FROM packs'],
  ['cut off', 'UPDATE packs SET bodies = substr(bodies, 1, 100)'],
  ['noise', 'UPDATE packs SET bodies = randomblob(2000)'],
])('if a pack is %s, its records are damaged, and sales are accepted', async (_name, spoil) => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const { key, recordIds } = await sellDelivered(store, MAX_PACK_RECORDS + 1);
  expect(await packAll(store)).toBe(1);
  withDatabase(dataDir, (db) => db.exec(spoil));
  expect((await store.health.check()).damagedRecords).toEqual(recordIds.slice(0, 100)); // it lists a hundred
  const bytes = saleOf(key, 0).body.byteLength;
  expect(await store.records.get(1)).toMatchObject({ isIntact: false, isUnreadable: false, record: { bytes } });
  await expect(store.records.getBody(1)).rejects.toMatchObject({ code: 'store_damaged' });
  expect(await store.records.append(saleOf(key, 0))).toMatchObject({ status: 'IGNORED' });
  await expect(store.records.append(saleOf(key, 0, { total: '99.00' }))).rejects.toMatchObject({
    code: 'store_damaged',
  });
  expect(await store.records.append(saleOf(key, MAX_PACK_RECORDS + 1))).toMatchObject({ status: 'NEW' });
});

test('a damaged row keeps the bodies of its block in their rows, and stops no later pack', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await sellDelivered(store, 3 * MAX_PACK_RECORDS);
  await store.close();
  withDatabase(dataDir, (db) => {
    db.pragma('ignore_check_constraints = ON');
    db.prepare("UPDATE records SET interface = 'currenu' WHERE id = 5").run();
  });
  const db = openDatabase(databasePath(dataDir), 'write');
  onTestFinished(() => void db.close());
  const rows = () => db.prepare('SELECT * FROM records WHERE id <= ?').all(MAX_PACK_RECORDS);
  const before = rows();
  const pack = openPacker(db);
  expect([pack(Date.now()).packed, pack(Date.now()).packed]).toEqual([0, MAX_PACK_RECORDS]);
  expect(rows()).toEqual(before);
  expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
});

test('a scrub reads a pack again, although the last scrub has read it', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await sellDelivered(store, MAX_PACK_RECORDS + 1);
  expect(await packAll(store)).toBe(1);
  const db = openDatabase(databasePath(dataDir), 'read');
  onTestFinished(() => void db.close());
  const scrub = openScrubReader(db);
  expect(scrub(0).damaged).toEqual([]);
  withDatabase(dataDir, (other) => other.exec('UPDATE packs SET bodies = randomblob(2000)'));
  expect(scrub(0).damaged).toHaveLength(MAX_PACK_RECORDS);
});

describe('the write-ahead log', () => {
  const MIB = 1024 * 1024;
  const walBytes = (dataDir: string): number => statSync(`${databasePath(dataDir)}-wal`).size;

  /** Sells records whose bodies hardly become smaller. */
  async function sellPhotos(store: Store, count: number): Promise<void> {
    const key = await makeKey(store);
    for (let n = 0; n < count; n++)
      await store.records.append(
        arrivalOf(key, { externalId: `P-${n}`, object: { photo: randomBytes(700_000).toString('base64') } }),
      );
  }

  test('is copied in time, also with large bodies', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    await sellPhotos(store, 60);
    expect(await packAll(store)).toBe(60);
    expect(walBytes(dataDir)).toBeLessThan(25 * MIB);
  });

  test('does not grow without limit while a backup reads, and packs continue afterwards', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    await sellPhotos(store, 130);
    const reader = new Database(databasePath(dataDir), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM records').get();
    const packed = await packAll(store);
    expect(packed).toBeGreaterThan(50);
    expect(packed).toBeLessThan(110);
    expect(walBytes(dataDir)).toBeLessThan(80 * MIB);
    reader.close();
    await expect.poll(async () => packAll(store)).toBe(130 - packed);
  });
});

test('records of many packs can be read in any order', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const { key } = await sellDelivered(store, 12, 'x'.repeat(60_000)); // each fills a pack
  expect(await packAll(store)).toBe(12);
  const db = openDatabase(databasePath(dataDir), 'read');
  onTestFinished(() => void db.close());
  const find = db.prepare<[number], BodyRow>(
    'SELECT digest, body, archive_block AS archiveBlock FROM records WHERE id = ?',
  );
  const bodyOf = openBodies(db);
  for (const step of [1, 5, 7, 11])
    for (let n = 0; n < 24; n++) {
      const index = (n * step) % 12;
      const { body } = saleOf(key, index, { filler: 'x'.repeat(60_000) });
      expect(bodyOf(index + 1, find.get(index + 1) as BodyRow).equals(body)).toBe(true);
    }
});
