// Migration 4, on old rows. The log of acts keeps its entries. A lane that does not run gets an outage. Deliveries are counted
// by time of sale.

import { hash } from 'node:crypto';

import { expect, test } from 'vitest';

import { type Connection, databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import {
  arrivalOf,
  makeKey,
  openTemporaryStore,
  settleRecords,
  temporaryFolder,
} from '../../../../support/temp-store.ts';

const SECRET = 'prod_0123456789';
/** 2025-10-09T08:53:20Z, in the quarter hour that begins at 08:45. */
const SOLD_AT = 1_760_000_000;
const QUARTER = SOLD_AT - 500;

/** Rows of: id, lane, status, time of sale, state of the delivery. */
const RECORDS = [
  [1, 1, 'NEW', SOLD_AT, 'delivered'],
  [2, 1, 'NEW', SOLD_AT + 1, 'delivered'],
  [3, 1, 'NEW', SOLD_AT + 900, 'waiting'],
  [4, 1, 'NEW', -1, 'held'],
  [5, 1, 'ERROR', SOLD_AT, 'set aside'],
  [6, 1, 'IGNORED', SOLD_AT, null],
  [7, 2, 'NEW', SOLD_AT, 'waiting'],
  [9, 3, 'NEW', SOLD_AT, 'waiting'],
] as const;

/** Makes a data directory at schema 3, with rows as that version wrote them. */
function folderAtVersion3(): string {
  const dataDir = temporaryFolder();
  withDatabase(dataDir, (db) => {
    migrate(db, 3);
    db.exec(`
      INSERT INTO administrations (id, name, created_at) VALUES (1, 'Bakery', 1000), (2, 'Café', 2000);
      INSERT INTO journals (id, administration_id, mode) VALUES (1, 1, 'production'), (2, 2, 'test');
      INSERT INTO tills (id, journal_id, label) VALUES (1, 1, 'Till 1'), (2, 2, 'Bar');
      INSERT INTO lanes (id, journal_id, interface, url, token, state, cause, since) VALUES
        (1, 1, 'current', 'https://upstream.example', 'prod_there', 'line down', 'No answer.', 5000),
        (2, 1, 'earlier', 'https://upstream.example', 'prod_there', 'running', NULL, 6000),
        (3, 2, 'current', NULL, NULL, 'paused', 'No upstream is set.', 7000),
        (4, 2, 'earlier', NULL, NULL, NULL, NULL, NULL);
      INSERT INTO acts (id, at, actor, lane_id, act, detail) VALUES
        (1, 1000, 'command line', 1, 'set upstream', 'https://upstream.example'),
        (3, 2000, 'demo', 2, 'pause', ''), (4, 3000, 'command line', 3, 'try now', '');
      INSERT INTO refusals (id, at, address, key_id, method, path, code, detail, excerpt) VALUES
        (1, 1000, '192.0.2.1', NULL, 'POST', '/v1/raw_transactions', 'key_unknown', '', '');`);
    for (const till of [1, 2]) {
      db.prepare("INSERT INTO keys VALUES (?, ?, ?, 'both', 0, 1000, NULL, NULL)").run(
        till,
        till,
        hash('sha256', till === 1 ? SECRET : 'bar', 'buffer'),
      );
    }
    const record = db.prepare(`
      INSERT INTO records (id, journal_id, key_id, interface, version, method, status, original_id, sold_at, received_at, external_id, type, digest, body)
      VALUES (@id, @journal, @journal, @interface, @version, @method, @status, @original, @soldAt, 0, @externalId, 'sale', @digest, @body)`);
    const delivery = db.prepare('INSERT INTO deliveries (record_id, lane_id, state) VALUES (?, ?, ?)');
    const count = db.prepare(
      'INSERT INTO counts VALUES (?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET records = records + 1',
    );
    for (const [id, lane, status, soldAt, state] of RECORDS) {
      const isEarlier = lane === 2;
      const original = status === 'NEW' ? null : 1;
      const externalId = status === 'NEW' ? `id-${id}` : 'id-1';
      const body = Buffer.from(`{"type":"sale","external_id":"${externalId}","timestamp":"x","object":{"id":${id}}}`);
      const journal = lane === 3 ? 2 : 1;
      const by = isEarlier ? 'earlier' : 'current';
      const call = isEarlier ? { version: 'v1', method: 'POST' } : { version: null, method: null };
      record.run({
        id,
        journal,
        interface: by,
        ...call,
        status,
        original,
        soldAt,
        externalId,
        digest: hash('sha256', body, 'buffer'),
        body,
      });
      if (state !== null) delivery.run(id, lane, state);
      for (const width of [900, 86_400])
        count.run(journal, by, status, width, Math.floor(soldAt / width) * width, 'sale', journal);
    }
    db.exec(`
      UPDATE lanes SET waiting = 1, delivered = 2, held = 1, set_aside = 1 WHERE id = 1;
      UPDATE lanes SET waiting = 1 WHERE id IN (2, 3);`);
  });
  return dataDir;
}

function withDatabase<T>(dataDir: string, work: (db: Connection) => T): T {
  const db = openDatabase(databasePath(dataDir), 'write');
  try {
    return work(db);
  } finally {
    db.close();
  }
}

test('the other tables do not change', () => {
  withDatabase(folderAtVersion3(), (db) => {
    const rows = (table: string) => db.prepare<[], object>(`SELECT * FROM ${table}`).all();
    const tables = ['journals', 'tills', 'records', 'counts', 'lanes', 'deliveries', 'refusals', 'secrets'];
    const before = Object.fromEntries(tables.map((table) => [table, rows(table)]));
    const [administrations, keys] = [rows('administrations'), rows('keys')];
    migrate(db, 4);
    expect(schemaVersion(db)).toBe(4);
    expect(Object.fromEntries(tables.map((table) => [table, rows(table)]))).toEqual(before);
    expect(rows('administrations')).toEqual(
      administrations.map((row) => ({ ...row, time_zone: null, day_starts_at: 0 })),
    );
    expect(rows('keys')).toEqual(keys.map((row) => ({ ...row, expires_at: null })));
    expect(rows('links')).toEqual([]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
  });
});

test('acts keep their numbers and name their subjects', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion3() });
  const about = { administration: 'Bakery', mode: 'production', interface: 'current' };
  expect(await store.setup.listActs({ limit: 10 })).toEqual([
    {
      id: 4,
      at: 3000,
      actor: 'command line',
      act: { kind: 'try now' },
      administration: 'Café',
      mode: 'test',
      interface: 'current',
    },
    { id: 3, at: 2000, actor: 'demo', ...about, act: { kind: 'pause' }, interface: 'earlier' },
    {
      id: 1,
      at: 1000,
      actor: 'command line',
      ...about,
      act: { kind: 'set upstream', url: 'https://upstream.example' },
    },
  ]);
  await makeKey(store, 'Till 2');
  expect(await store.setup.listActs({ limit: 1 })).toMatchObject([{ id: 5, act: { kind: 'create key' } }]);
});

test('deliveries are counted at their time of sale, and the counts continue', async () => {
  const dataDir = folderAtVersion3();
  withDatabase(dataDir, (db) => {
    migrate(db, 4);
    expect(db.prepare('SELECT * FROM delivery_counts').raw().all()).toEqual([
      [1, 'delivered', 'NEW', QUARTER, 2],
      [1, 'held', 'NEW', -900, 1],
      [1, 'set aside', 'ERROR', QUARTER, 1],
      [1, 'waiting', 'NEW', QUARTER + 900, 1],
      [2, 'waiting', 'NEW', QUARTER, 1],
      [3, 'waiting', 'NEW', QUARTER, 1],
    ]);
  });
  const store = await openTemporaryStore({ dataDir });
  const key = store.setup.findKey(SECRET);
  if (key === undefined) throw new Error('the key is gone');
  await store.records.append(arrivalOf(key, { externalId: 'new', soldAt: SOLD_AT }));
  expect(await settleRecords(store, 1, [3, 10], { state: 'delivered' })).toEqual([]);
  expect(await store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [], damagedRecords: [] });
  const day = { from: QUARTER, to: QUARTER + 1800 };
  expect(await store.glance.getOverview({ journalId: 1, day, timeZone: 'UTC', now: SOLD_AT * 1000 })).toMatchObject({
    records: { NEW: 5, IGNORED: 1, ERROR: 1 },
    deliveries: { waiting: 1, delivered: 4, held: 0, 'set aside': 0 },
    total: { waiting: 1, delivered: 4, held: 1, 'set aside': 1 },
  });
});

test('a lane that was not running has an outage since then, unless it has no upstream', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion3() });
  const outages = async (journalId: number) =>
    (await store.glance.getOverview({ journalId, day: { from: 0, to: 900 }, timeZone: 'UTC', now: 0 })).outages;
  expect(await outages(1)).toEqual([
    { laneId: 1, state: 'line down', cause: { code: 'other', detail: 'No answer.' }, from: 5000, to: null },
  ]);
  expect(await outages(2)).toEqual([]);
  await store.outbox.noteLane(1, { state: 'running', cause: null, since: 9000, perSecond: 0 });
  expect(await outages(1)).toMatchObject([{ to: 9000 }]);
});

test('old records are found in every order', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion3() });
  const ids = async (more: object) =>
    (await store.records.search({ journalId: 1, order: 'oldest', limit: 100, ...more })).records.map(
      ({ recordId }) => recordId,
    );
  expect(await ids({})).toEqual([4, 1, 5, 6, 7, 2, 3]);
  expect(await ids({ idPrefix: 'id-1' })).toEqual([1, 5, 6]);
  expect(await ids({ delivery: 'delivered' })).toEqual([1, 2]);
});

test('a failed migration leaves everything unchanged, and is done once the obstacle is gone', async () => {
  const dataDir = folderAtVersion3();
  const schema = (db: Connection) => db.prepare('SELECT sql FROM sqlite_schema ORDER BY name').all();
  const before = withDatabase(dataDir, (db) => {
    db.exec('CREATE TABLE delivery_counts (id)');
    return schema(db);
  });
  withDatabase(dataDir, (db) => expect(() => migrate(db)).toThrow(/delivery_counts already exists/));
  withDatabase(dataDir, (db) => {
    expect(schemaVersion(db)).toBe(3);
    expect(schema(db)).toEqual(before);
    db.exec('DROP TABLE delivery_counts');
  });
  const store = await openTemporaryStore({ dataDir });
  expect(await store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [], records: RECORDS.length });
});
