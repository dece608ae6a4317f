// Migration 3, on old rows of every kind. NEW records wait to be forwarded in order of arrival, on the lane of their journal
// and interface. Stored data do not change.

import { expect, onTestFinished, test } from 'vitest';

import { openGateway } from '../../../../../server/gateway.ts';
import { openStore } from '../../../../../server/store/open-store.ts';
import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import type { Store } from '../../../../../server/store/store.ts';
import {
  everythingIn,
  folderAtVersion2,
  rowsOf,
  SECRETS,
  SOLD_AT,
  withDatabase,
} from '../../../../support/old-data.ts';
import { arrivalOf, openTemporaryStore } from '../../../../support/temp-store.ts';
import { openStandIn } from '../../../../support/upstream/stand-in.ts';

/** The NEW records of each journal and interface, in order of arrival. */
const WAITING = [
  { administration: 'Bakery', mode: 'production', interface: 'current', records: [1, 4, 5, 7, 17] },
  { administration: 'Bakery', mode: 'production', interface: 'earlier', records: [12, 15, 18] },
  { administration: 'Bakery', mode: 'test', interface: 'current', records: [8] },
  { administration: 'Bakery', mode: 'test', interface: 'earlier', records: [16] },
  { administration: 'Café', mode: 'production', interface: 'current', records: [10] },
  { administration: 'Café', mode: 'production', interface: 'earlier', records: [] },
] as const;
const NEW = WAITING.flatMap(({ records }) => records).toSorted((one, other) => one - other);
const NOTHING_YET = {
  url: null,
  token: null,
  paused_at: null,
  tried_at: null,
  state: null,
  cause: null,
  since: null,
  delivered_at: null,
  per_second: null,
  delivered: 0,
  held: 0,
  set_aside: 0,
};

test('NEW records wait on the lane of their journal and interface, and stored data do not change', () => {
  withDatabase(folderAtVersion2(), (db) => {
    const before = rowsOf(db);
    migrate(db, 3);
    expect(schemaVersion(db)).toBe(3);
    const { lanes = [], deliveries = [], ...after } = rowsOf(db);
    expect(after).toEqual({
      ...before,
      administrations: before['administrations']?.map((row) => ({ ...row, forwarded: '["NEW"]' })),
      acts: [],
    });

    const journals = [
      ['Bakery', 'production'],
      ['Bakery', 'test'],
      ['Café', 'production'],
    ];
    const laneOf = ({ journal_id: journalId, interface: by }: (typeof lanes)[number]) => {
      const [administration, mode] = journals[Number(journalId) - 1] ?? [];
      return WAITING.find(
        (each) => each.administration === administration && each.mode === mode && each.interface === by,
      );
    };
    expect(lanes.map(laneOf)).toHaveLength(WAITING.length);
    expect(new Set(lanes.map(laneOf))).toEqual(new Set(WAITING));
    for (const lane of lanes) expect(lane).toMatchObject({ ...NOTHING_YET, waiting: laneOf(lane)?.records.length });

    expect(deliveries.map((row) => row['record_id'])).toEqual(NEW);
    for (const { record_id: recordId, lane_id: laneId, ...rest } of deliveries) {
      const lane = lanes.find(({ id }) => id === laneId);
      expect(lane && laneOf(lane)?.records).toContain(recordId);
      const unanswered = { answered_at: null, answer_status: null, answer: null, upstream_status: null };
      expect(rest).toEqual({ state: 'waiting', attempts: 0, ...unanswered, reason: null });
    }
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
  });
});

test('a gateway opens it: waiting records are listed in order with their bytes, and the queue continues', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion2() });
  expect(await store.health.check()).toMatchObject({ structure: [], damagedRecords: [], countFaults: [], records: 17 });
  expect(await store.outbox.listLaneStatus()).toMatchObject(
    WAITING.map(({ records, ...lane }) => ({ ...lane, waiting: records.length, held: 0, delivered: 0, setAside: 0 })),
  );
  expect(await waitingIn(store)).toEqual(WAITING.map(({ records }) => records));

  const key = store.setup.findKey(SECRETS[0] ?? '')!; // the key was created with the old data
  const sell = (externalId: string) =>
    store.records.append(arrivalOf(key, { externalId, soldAt: SOLD_AT, object: { total: 1 } }));
  expect([await sell('a'), await sell('e')]).toMatchObject([
    { status: 'IGNORED', recordId: 19, originalId: 1 },
    { status: 'NEW', recordId: 20 },
  ]);
  expect((await waitingIn(store))[0]).toEqual([1, 4, 5, 7, 17, 20]);
});

/** The ids of the waiting records by lane. Checks the bytes of each record. */
async function waitingIn(store: Store): Promise<number[][]> {
  const pages = await Promise.all(store.outbox.lanes().map(({ id }) => store.outbox.listWaiting(id, 0)));
  for (const { records } of pages) for (const { body } of records) expect(body).toBeInstanceOf(Uint8Array);
  return pages.map(({ records }) => records.map(({ recordId }) => recordId));
}

const LOOPBACK = {
  host: '127.0.0.1',
  port: 0,
  consoleHost: '127.0.0.1',
  consolePort: 0,
  baseDomain: '',
  connectionsPerAddress: 512,
  upstreamProxy: undefined,
  upstreamCa: undefined,
  logLevel: 'error',
} as const;

test('a gateway forwards every NEW record once, unchanged, and no other', async () => {
  const dataDir = folderAtVersion2();
  const upstreams = new Map([
    ['Bakery', await openStandIn()],
    ['Café', await openStandIn()],
  ]);
  onTestFinished(async () => {
    for (const upstream of upstreams.values()) await upstream.close();
  });
  const command = await openStore({ dataDir, role: 'command' });
  for (const { mode, administration, interface: by } of WAITING) {
    const upstream = {
      url: upstreams.get(administration)?.url ?? '',
      token: mode === 'test' ? 'test_x' : 'prod_x',
    };
    await command.outbox.performAct(
      { administration, mode, interface: by },
      { kind: 'set upstream', upstream },
      'test',
    );
  }
  await command.close();

  const gateway = await openGateway({ ...LOOPBACK, dataDir }, (cause) => {
    throw new Error('the gateway died', { cause });
  });
  onTestFinished(() => gateway.close());
  for (const [administration, upstream] of upstreams) {
    const there = WAITING.filter((each) => each.administration === administration).flatMap(({ records }) => records);
    await upstream.waitUntil(({ records }) => records === there.length);
  }
  await gateway.close();

  const attempts = [...upstreams.values()].flatMap((upstream) => upstream.attempts);
  const sent = attempts.map(({ method, path, bytes }) =>
    method === 'GET' ? path.slice(path.indexOf('?') + 1) : bytes.toString(),
  );
  const kept = withDatabase(dataDir, (db) =>
    db.prepare<[], string>("SELECT CAST(body AS TEXT) FROM records WHERE status = 'NEW'").pluck().all(),
  );
  expect(sent.toSorted()).toEqual(kept.toSorted());
  expect(attempts.map(({ taken }) => taken)).toEqual(NEW.map(() => 'NEW'));
});

test('a failed migration leaves everything unchanged, and is done once the obstacle is gone', async () => {
  const dataDir = folderAtVersion2();
  const before = withDatabase(dataDir, (db) => {
    db.exec('CREATE TABLE acts (id)');
    const everything = everythingIn(db);
    expect(() => migrate(db)).toThrow(/acts already exists/);
    return everything;
  });
  expect(withDatabase(dataDir, everythingIn)).toEqual(before);
  withDatabase(dataDir, (db) => db.exec('DROP TABLE acts'));
  const store = await openTemporaryStore({ dataDir });
  expect(await waitingIn(store)).toEqual(WAITING.map(({ records }) => records));
});
