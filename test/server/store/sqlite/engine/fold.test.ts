// Counts and deliveries that are derived late or cannot be derived. test/scenarios/store/recount.long.test.ts has the usual case.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { Settlement } from '../../../../../server/store/outbox/ledger.ts';
import { amountFoldSql } from '../../../../../server/store/sqlite/amounts/fold.ts';
import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import type { DerivedQueries } from '../../../../../server/store/sqlite/engine/derived-queries.ts';
import { DAMAGED_SQL } from '../../../../../server/store/sqlite/engine/fold.ts';
import type { ReaderOperations } from '../../../../../server/store/sqlite/engine/reader-operations.ts';
import { FOLD_AT_RECORDS } from '../../../../../server/store/sqlite/engine/record-writes.ts';
import { TAIL_LENGTH_SQL } from '../../../../../server/store/sqlite/engine/tail.ts';
import { startThread } from '../../../../../server/store/sqlite/engine/thread.ts';
import { DELIVERY_FOLD_SQL } from '../../../../../server/store/sqlite/outbox/delivery.ts';
import { DELIVERY_COUNT_FOLD_SQL } from '../../../../../server/store/sqlite/outbox/lane-count.ts';
import { COUNT_FOLD_SQL } from '../../../../../server/store/sqlite/records/count.ts';
import { SALE_FOLD_SQL } from '../../../../../server/store/sqlite/records/sale.ts';
import type { Store } from '../../../../../server/store/store.ts';
import { mountSmallDisk } from '../../../../support/small-disk.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

const countNew = async (store: Store): Promise<number | undefined> =>
  (await store.records.countStatuses())[0]?.records.current.NEW;

test('the tail is found and folded by record id', async () => {
  const dataDir = temporaryFolder();
  await openTemporaryStore({ dataDir });
  const db = new Database(databasePath(dataDir), { readonly: true });
  const scansOf = (sql: string, ...values: unknown[]) =>
    db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => detail)
      .filter((line) => /^SCAN (records|keys|deliveries|sales|counts|delivery_counts|lanes|fold)\b/.test(line));
  expect(scansOf(TAIL_LENGTH_SQL)).toEqual(['SCAN fold']);
  expect(scansOf(DAMAGED_SQL, 0)).toEqual([]);
  expect(scansOf(SALE_FOLD_SQL.withoutAmounts, 0)).toEqual([]);
  expect(scansOf(SALE_FOLD_SQL.withAmounts, { firstId: 1, amounts: '[]' })).toEqual([]);
  expect(scansOf(amountFoldSql(db), { after: 0 })).toEqual([]);
  expect(scansOf(DELIVERY_FOLD_SQL.setAside('state_number'), 0)).toEqual([]);
  expect(scansOf(DELIVERY_COUNT_FOLD_SQL.quarters, 0)).toEqual([]);
  expect(scansOf(DELIVERY_COUNT_FOLD_SQL.lanes, 0)).toEqual([]);
  expect(scansOf(DELIVERY_FOLD_SQL.insert, 0)).toEqual([]);
  expect(scansOf(COUNT_FOLD_SQL, 0)).toEqual([]);
  db.close();
});

test('tills sell although counts cannot be derived, and no query gives a wrong number meanwhile', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  const db = new Database(databasePath(dataDir));
  db.exec('ALTER TABLE counts RENAME TO hidden_counts');
  const sell = (from: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: FOLD_AT_RECORDS }, async (_, n) => {
        const arrival = arrivalOf(key, { externalId: `T-${from + n}` });
        expect(await store.records.append(arrival)).toMatchObject({ status: 'NEW' });
      }),
    );
  await sell(0);
  await sell(FOLD_AT_RECORDS); // these groups try to fold, and the groups after them wait with the next attempt
  await sell(2 * FOLD_AT_RECORDS);
  await expect(countNew(store)).rejects.toMatchObject({ code: 'internal' });
  db.exec('ALTER TABLE hidden_counts RENAME TO counts');
  db.close();
  expect(await countNew(store)).toBe(3 * FOLD_AT_RECORDS);
});

test('a damaged record in the tail is reported, and the queries end', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  for (let n = 0; n < 3; n++) await store.records.append(arrivalOf(key, { externalId: `T-${n}` }));
  const db = new Database(databasePath(dataDir));
  db.pragma('foreign_keys = OFF');
  db.exec('UPDATE records SET key_id = 65 WHERE id = 3'); // a flipped bit on the disk can have this effect
  db.close();
  await expect(countNew(store)).rejects.toMatchObject({ code: 'store_damaged' });
  expect(await store.records.append(arrivalOf(key, { externalId: 'after' }))).toMatchObject({ status: 'NEW' });
});

test('a query says that the database is locked if another program keeps the tail from being folded', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await store.records.append(arrivalOf(await makeKey(store), { externalId: 'a' }));
  const db = new Database(databasePath(dataDir));
  db.exec('BEGIN IMMEDIATE');
  await expect(countNew(store)).rejects.toMatchObject({ code: 'store_busy' });
  db.exec('ROLLBACK');
  db.close();
  expect(await countNew(store)).toBe(1);
});

test('a command that folds knows which statuses are forwarded now', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  const command = await openTemporaryStore({ dataDir, role: 'command' });
  await store.records.append(arrivalOf(key, { externalId: 'a' }));
  expect(await countNew(command)).toBe(1);
  await store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED'] }, 'test');
  await store.records.append(arrivalOf(key, { externalId: 'a' }));
  await countNew(command);
  expect((await store.outbox.listLaneStatus()).find(({ interface: by }) => by === 'current')).toMatchObject({
    waiting: 2,
  });
});

test('the times without a line count the sales of the tail too', async () => {
  const store = await openTemporaryStore();
  const key = await makeKey(store);
  const lane = store.outbox.lanes().find((each) => each.journalId === key.journalId && each.interface === 'current');
  const name = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
  const upstream = { url: 'https://upstream.example', token: 'prod_there' };
  await store.outbox.performAct(name, { kind: 'set upstream', upstream }, 'test');
  const note = { cause: null, perSecond: 0 };
  await store.outbox.noteLane(lane?.id ?? 0, { ...note, state: 'line down', since: 2000 });
  for (let n = 0; n < 5; n++) await store.records.append(arrivalOf(key, { externalId: `T-${n}`, receivedAt: 3000 }));
  await store.outbox.noteLane(lane?.id ?? 0, { ...note, state: 'running', since: 6000 });
  expect(await store.outbox.listOutages(key.journalId, { from: 0, to: 1e12 })).toMatchObject([
    { kept: 5, deliveredBy: null },
  ]);
});

const DELIVERED = {
  status: 'NEW',
  soldAt: 1_760_000_000,
  state: 'delivered',
  attempts: 1,
  answeredAt: 1,
  answerStatus: 201,
  answer: null,
  upstreamStatus: null,
} as const;

describe('a lane', () => {
  async function openShop() {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    const key = await makeKey(store);
    const lane = store.outbox.lanes().find((each) => each.journalId === key.journalId && each.interface === 'current');
    const laneId = lane?.id ?? 0;
    return {
      store,
      laneId,
      append: async (externalId: string) => (await store.records.append(arrivalOf(key, { externalId }))).recordId,
      listWaiting: async (after = 0) =>
        (await store.outbox.listWaiting(laneId, after)).records.map(({ recordId }) => recordId),
      /** Settles records as a lane does, which knows only the waiting records that it has read. */
      settle: (recordIds: readonly number[], outcome: Partial<Settlement> = {}) =>
        store.outbox.settle(
          laneId,
          recordIds.map((recordId) => ({ ...DELIVERED, recordId, ...outcome })),
        ),
      status: async () => (await store.outbox.listLaneStatus()).find(({ id }) => id === laneId),
      /** Changes the key of a stored record. Returns the previous key. */
      setKey(recordId: number, keyId: number): number {
        const db = new Database(databasePath(dataDir));
        db.pragma('foreign_keys = OFF');
        const before = db.prepare('SELECT key_id FROM records WHERE id = ?').pluck().get(recordId) as number;
        db.prepare('UPDATE records SET key_id = ? WHERE id = ?').run(keyId, recordId);
        db.close();
        return before;
      },
      foldedUntil(): number {
        const db = new Database(databasePath(dataDir), { readonly: true });
        const position = db.prepare('SELECT folded_until FROM fold').pluck().get() as number;
        db.close();
        return position;
      },
    };
  }

  test('sends and settles the records of the tail without a fold, and each counts once', async () => {
    const { store, settle, append, listWaiting, status, foldedUntil } = await openShop();
    for (const id of ['a', 'b', 'c']) await append(id);
    expect(await listWaiting()).toEqual([1, 2, 3]);
    expect(await settle([1, 3], { answeredAt: 7000 })).toEqual([]);
    expect(await settle([3])).toEqual([3]); // record 3 does not wait any more, so it is skipped and returned
    expect(await listWaiting()).toEqual([2]);
    expect(await listWaiting(2)).toEqual([]);
    expect(foldedUntil()).toBe(0);
    expect(await status()).toMatchObject({ waiting: 1, delivered: 2, deliveredAt: 7000 });
    expect(foldedUntil()).toBe(3);
    expect((await store.records.get(3))?.record.delivery).toMatchObject({ state: 'delivered', answeredAt: 7000 });
    expect(await append('d')).toBe(4);
    expect(await listWaiting()).toEqual([2, 4]);
    expect(await settle([2, 4], { answeredAt: 9000 })).toEqual([]);
    expect(await status()).toMatchObject({ waiting: 0, delivered: 4, deliveredAt: 9000 });
    expect(await store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [] });
  });

  test.each(['held', 'waiting'] as const)('that settles a record of the tail as %s has it folded', async (state) => {
    const { store, settle, append, status } = await openShop();
    await append('a');
    await append('b');
    await settle([1]);
    expect(await settle([1, 2], { state })).toEqual([1]);
    expect(await status()).toMatchObject({ delivered: 1, [state]: 1 });
    expect(await store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [] });
  });

  test('that settles a duplicate of the tail has it folded', async () => {
    const { store, settle, append, status } = await openShop();
    await store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED'] }, 'test');
    for (const id of ['a', 'a']) await append(id);
    expect(await settle([1])).toEqual([]);
    expect(await settle([2], { status: 'IGNORED' })).toEqual([]);
    expect(await status()).toMatchObject({ waiting: 0, delivered: 2 });
  });

  test('settles what it can if the tail is damaged', async () => {
    const { store, laneId, settle, append, status, setKey } = await openShop();
    for (const id of ['a', 'b', 'c']) await append(id);
    const keyId = setKey(3, 65); // a flipped bit on the disk can have this effect
    const held = { ...DELIVERED, recordId: 2, state: 'held' } as const;
    expect(await store.outbox.settle(laneId, [{ ...DELIVERED, recordId: 1 }, held])).toEqual([2]);
    setKey(3, keyId);
    expect(await settle([2])).toEqual([]);
    expect(await status()).toMatchObject({ waiting: 1, delivered: 2 });
  });

  test('keeps the time of its latest answer when an earlier one is folded', async () => {
    const { store, settle, append, status } = await openShop();
    await append('a');
    await countNew(store);
    await append('b');
    await settle([2], { answeredAt: 7000 });
    await settle([1], { answeredAt: 9000 });
    expect(await status()).toMatchObject({ delivered: 2, deliveredAt: 9000 });
  });

  test('that forwards duplicates sends them after their original', async () => {
    const { store, settle, append, listWaiting } = await openShop();
    await store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED'] }, 'test');
    for (const id of ['a', 'a', 'b']) await append(id);
    expect(await listWaiting()).toEqual([1, 3]);
    await settle([1]);
    expect(await listWaiting()).toEqual([2, 3]);
  });
});

type Unguarded = Exclude<keyof ReaderOperations, keyof DerivedQueries | 'check' | 'close'>;

test('the queries that do not look for a tail read nothing derived', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const { id } = await makeKey(store);
  await store.close();
  const reader = await startThread<ReaderOperations>('reader', { path: databasePath(dataDir) }, 64);
  onTestFinished(() => reader.close());
  const db = new Database(databasePath(dataDir));
  for (const table of ['counts', 'amount_days', 'deliveries', 'delivery_counts']) db.exec(`DROP TABLE ${table}`);
  db.exec('ALTER TABLE lanes RENAME TO hidden_lanes');
  db.close();
  const calls = {
    listRefusals: [10],
    listKeys: [],
    hasAmountsToFill: [],
    listAmountRules: [],
    listActs: [{ limit: 10 }],
    getRecordBody: [1],
    getExcerpts: [[1], 10],
    groupRefusals: [{ journalId: 1, since: 0, limit: 1 }, 0],
    listUnusualForms: [],
    listUsers: [],
    findUser: ['Ann'],
    readNetworkSettings: [],
    getCertification: [1],
    listCertifications: [{ limit: 1 }],
    listAdministrations: [],
    listSleeps: [{ from: 0, to: 1 }],
    isQuiet: [0],
    listDayEntries: [id, '2026-11-19'],
    listReadTokens: [],
    findReadToken: ['read_unknown'],
    findVerdictDate: [id, ''],
    readMachineFacts: [0],
    describeTables: [],
    readSchema: [],
    readScrub: [],
    listBackupFiles: [],
    listArchiveFiles: [],
    listArchivedDays: [id],
    findArchiveRequest: [],
    readArchiveSummary: [],
    readLastBackup: [],
    listTasks: [],
    readScrubSlice: [0, 1],
    listOpenChecks: [],
    getSecret: ['cursor'],
  } satisfies Record<Unguarded, unknown[]>;
  const faults: unknown[] = [];
  for (const [name, args] of Object.entries(calls))
    await reader.call(name as Unguarded, args as never).catch((error: unknown) => faults.push([name, error]));
  expect(faults).toEqual([]);
});

test('on a full disk, every query still counts every sale', async ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip('not run: needs Linux and root');
  const dataDir = join(disk, 'data');
  // A command has no reserve, so it can write nothing on a full disk.
  const store = await openTemporaryStore({ dataDir, role: 'command' });
  const key = await makeKey(store);
  let sold = 0;
  const sell = async (): Promise<void> => {
    await store.records.append(arrivalOf(key, { externalId: `T-${sold}`, object: { text: 'x'.repeat(2000) } }));
    sold += 1;
  };
  for (let n = 0; n < 20; n++) await sell();
  const fill = (bytes: number): void => {
    for (let n = 0; ; n++) writeFileSync(join(disk, `filler ${bytes} ${n}`), Buffer.alloc(bytes));
  };
  for (const bytes of [1024 * 1024, 4096]) expect(() => fill(bytes)).toThrow('ENOSPC');
  await expect(sell()).rejects.toMatchObject({ code: 'store_full' });
  expect(await countNew(store)).toBe(20);
  const { journalId } = key;
  const range = { from: 0, to: 2_000_000_000 };
  expect(await store.records.queryRange({ journalId, range, type: undefined, limit: 0 })).toMatchObject({ count: 20 });
});
