// Acts on many records: which records they select, the slices between which tills can write, and interrupted acts. An
// interrupted act leaves consistent data and a correct log of acts.

import { describe, expect, test } from 'vitest';

import type { Interface } from '../../../../../server/contract/codes.ts';
import type { RecordChoice } from '../../../../../server/contract/records.ts';
import { GatewayError } from '../../../../../server/errors.ts';
import { openStore } from '../../../../../server/store/open-store.ts';
import type { RecordAct, Settlement, LaneName } from '../../../../../server/store/outbox/ledger.ts';
import type { Key } from '../../../../../server/store/setup/ledger.ts';
import { type Connection, databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { openLaneCountWriter } from '../../../../../server/store/sqlite/outbox/lane-count.ts';
import {
  type ActSlice,
  beginRecordAct,
  moveActSlice,
} from '../../../../../server/store/sqlite/outbox/record-act-move.ts';
import { planRecordAct, readActPage } from '../../../../../server/store/sqlite/outbox/record-act-plan.ts';
import { performRecordAct, type RecordActStages } from '../../../../../server/store/sqlite/outbox/record-act.ts';
import type { Store } from '../../../../../server/store/store.ts';
import {
  arrivalOf,
  listLaneActs,
  makeKey,
  openTemporaryStore,
  settleRecords,
  temporaryFolder,
} from '../../../../support/temp-store.ts';

const LANE: LaneName = { administration: 'Bakery', mode: 'production', interface: 'current' };
const SEND_ALL_AGAIN: RecordAct = { kind: 'send again', records: { kind: 'all' }, delivered: false };
const SET_ALL_ASIDE: RecordAct = { kind: 'set aside', records: { kind: 'all' }, reason: 'typed in twice' };
/** A number of records that needs more than two slices. */
const MANY = 4500;

const DAY = 86_400;
const MONDAY = 1_760_313_600;

/** Adds one record with each of these ids and returns their numbers. */
async function sell(store: Store, key: Key, ids: readonly string[], soldAt = MONDAY): Promise<number[]> {
  const outcomes = await Promise.all(
    ids.map((externalId) => store.records.append(arrivalOf(key, { externalId, soldAt }))),
  );
  return outcomes.map(({ recordId }) => recordId);
}

const idsFrom = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

/** Settles records as after an answer of the upstream. */
async function settle(
  store: Store,
  recordIds: readonly number[],
  state: Settlement['state'],
  name: LaneName = LANE,
): Promise<void> {
  const isIt = (lane: LaneName): boolean =>
    lane.administration === name.administration && lane.interface === name.interface;
  const lane = store.outbox.lanes().find(isIt);
  const outcome = { state, answeredAt: 1000, answerStatus: 422, answer: 'no' };
  expect(await settleRecords(store, lane?.id ?? 0, recordIds, outcome)).toEqual([]);
}

async function countsOf(store: Store) {
  const lanes = await store.outbox.listLaneStatus();
  const lane = lanes.find(({ interface: by }) => by === LANE.interface);
  return lane && { waiting: lane.waiting, delivered: lane.delivered, held: lane.held, setAside: lane.setAside };
}

/** The ids of the deliveries by state. Also checks that the counts of the lanes match the deliveries. */
function deliveriesIn(dataDir: string): Record<string, number[]> {
  const db = openDatabase(databasePath(dataDir), 'read');
  try {
    const rows = db
      .prepare<[], { id: number; state: string }>('SELECT record_id AS id, state FROM deliveries ORDER BY record_id')
      .all();
    const sums = db
      .prepare(`
      SELECT id FROM lanes WHERE (waiting, delivered, held, set_aside) != (
        SELECT count(*) FILTER (WHERE state = 'waiting'), count(*) FILTER (WHERE state = 'delivered'),
          count(*) FILTER (WHERE state = 'held'), count(*) FILTER (WHERE state = 'set aside')
        FROM deliveries WHERE lane_id = lanes.id)`)
      .all();
    expect(sums).toEqual([]);
    return Object.fromEntries(
      Object.entries(Object.groupBy(rows, ({ state }) => state)).map(([state, each]) => [
        state,
        (each ?? []).map(({ id }) => id),
      ]),
    );
  } finally {
    db.close();
  }
}

/** The stages of an act on a separate connection. The test's own work runs `before` and `after` each slice. */
function partsOf(
  db: Connection,
  act: RecordAct,
  {
    before = noWork,
    after = noWork,
  }: { before?: (slice: ActSlice) => void; after?: (slice: ActSlice) => Promise<void> },
): RecordActStages {
  const counts = openLaneCountWriter(db);
  return {
    begin: async () => beginRecordAct(db, LANE, act, 'test', 1000),
    plan: async ({ laneId }) => planRecordAct(db, laneId, act),
    readPage: async ({ laneId }, step, from) => readActPage(db, laneId, step, from),
    async move(begun, slice) {
      before(slice);
      const move = db.transaction(() => {
        const moved = moveActSlice(db, counts, act, begun, slice);
        counts.write();
        return moved;
      });
      const moved = move.immediate();
      await after(slice);
      return moved;
    },
  };
}

async function noWork(): Promise<void> {}

describe('an act on very many records', () => {
  test('moves each once and is logged once, with their number', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    const key = await makeKey(store);
    const held = await sell(store, key, idsFrom('a', MANY));
    await settle(store, held, 'held');
    expect(await store.outbox.performAct(LANE, SET_ALL_ASIDE, 'test')).toEqual({ kind: 'done', records: MANY });
    expect(await countsOf(store)).toEqual({ waiting: 0, delivered: 0, held: 0, setAside: MANY });
    expect(await store.outbox.performAct(LANE, SEND_ALL_AGAIN, 'test')).toEqual({ kind: 'done', records: MANY });
    expect(deliveriesIn(dataDir)).toEqual({ waiting: held });
    const done = { records: { kind: 'all' }, moved: MANY, isOver: true };
    expect(await listLaneActs(store)).toMatchObject([
      { actor: 'test', act: { kind: 'send again', delivered: false, ...done } },
      { actor: 'test', act: { kind: 'set aside', reason: 'typed in twice', ...done } },
    ]);
  });

  test('lets the gateway write during a command: sales are accepted meanwhile', async () => {
    const dataDir = temporaryFolder();
    const gateway = await openTemporaryStore({ dataDir });
    const key = await makeKey(gateway);
    await settle(gateway, await sell(gateway, key, idsFrom('a', MANY)), 'held');
    const command = await openStore({ dataDir, role: 'command' });
    let isDone = false;
    const act = command.outbox.performAct(LANE, SEND_ALL_AGAIN, 'test').finally(() => (isDone = true));
    let sold = 0;
    while (!isDone) await sell(gateway, key, [`b-${sold++}`]);
    expect(await act).toEqual({ kind: 'done', records: MANY });
    await command.close();
    expect(sold).toBeGreaterThan(2);
    expect(await countsOf(gateway)).toMatchObject({ waiting: MANY + sold, held: 0 });
    expect(await gateway.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [] });
  });

  test('leaves whole slices and counts when it is interrupted, with a log of its progress; a repetition does the rest', async () => {
    const dataDir = temporaryFolder();
    const before = await openStore({ dataDir, role: 'gateway' });
    const records = await sell(before, await makeKey(before), idsFrom('a', MANY));
    await settle(before, records, 'held');
    await before.close();

    const db = openDatabase(databasePath(dataDir), 'write');
    const parts = partsOf(db, SEND_ALL_AGAIN, {
      before({ moved }) {
        if (moved > 0) throw new Error('the power failed');
      },
    });
    await expect(performRecordAct(parts)).rejects.toThrow('the power failed');
    db.close();

    const moved = deliveriesIn(dataDir)['waiting'] ?? [];
    expect(moved.length).toBeGreaterThan(0);
    expect(deliveriesIn(dataDir)).toEqual({
      waiting: records.slice(0, moved.length),
      held: records.slice(moved.length),
    });
    const after = await openTemporaryStore({ dataDir });
    expect(await listLaneActs(after)).toMatchObject([
      { act: { records: { kind: 'all' }, moved: moved.length, isOver: false } },
    ]);
    expect(await after.outbox.performAct(LANE, SEND_ALL_AGAIN, 'test')).toEqual({
      kind: 'done',
      records: MANY - moved.length,
    });
    expect(deliveriesIn(dataDir)).toEqual({ waiting: records });
  });

  test('waits while the lock is taken, and gives up when the disk fails', async () => {
    const outcomes = [
      new GatewayError('store_busy', { detail: '' }),
      new GatewayError('store_busy', { detail: '' }),
      1,
    ];
    const parts = {
      begin: () => Promise.resolve({ id: 1, laneId: 1 }),
      plan: () =>
        Promise.resolve([{ from: ['held'], to: 'waiting', after: 0, last: 1, chosen: { kind: 'every' } } as const]),
      readPage: () => Promise.resolve({ recordIds: [1], readUpTo: 1, hasMore: false }),
      async move() {
        const outcome = outcomes.shift();
        if (typeof outcome === 'number') return outcome;
        throw outcome ?? new GatewayError('store_full', { detail: 'full' });
      },
    };
    expect(await performRecordAct(parts)).toEqual({ kind: 'done', records: 1 });
    expect(outcomes).toEqual([]);
    await expect(performRecordAct(parts)).rejects.toMatchObject({ code: 'store_full' });
  });

  test('does not touch records that arrive or return while it runs', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    const key = await makeKey(store);
    const records = await sell(store, key, idsFrom('a', MANY));
    await settle(store, records, 'held');
    let late: number[] = [];
    const db = openDatabase(databasePath(dataDir), 'write');
    const parts = partsOf(db, SEND_ALL_AGAIN, {
      async after({ moved }) {
        if (moved > 0) return;
        await settle(store, records.slice(0, 10), 'held'); // the upstream rejects them again
        late = await sell(store, key, ['late']);
        await settle(store, late, 'held');
      },
    });
    const result = await performRecordAct(parts);
    db.close();
    expect(result).toEqual({ kind: 'done', records: MANY });
    expect(deliveriesIn(dataDir)).toEqual({ held: [...records.slice(0, 10), ...late], waiting: records.slice(10) });
  });
});

describe('the records of an act', () => {
  const day: RecordChoice = { kind: 'sold', from: MONDAY, to: MONDAY + DAY };
  const states = ['waiting', 'delivered', 'held', 'set aside'] as const;
  /** The names of the records that each act moves. There is a record in each state on two days. */
  const cases: [name: string, act: RecordAct, moved: string[]][] = [
    ['one', { kind: 'send again', records: { kind: 'one', recordId: 3 }, delivered: true }, ['Monday held']],
    ['one waiting record', { kind: 'send again', records: { kind: 'one', recordId: 1 }, delivered: true }, []],
    ['records of a day', { kind: 'send again', records: day, delivered: false }, ['Monday held', 'Monday set aside']],
    [
      'records of a day, with delivered ones',
      { kind: 'send again', records: day, delivered: true },
      ['Monday delivered', 'Monday held', 'Monday set aside'],
    ],
    [
      'records of a day without records',
      { kind: 'send again', records: { kind: 'sold', from: 0, to: DAY }, delivered: true },
      [],
    ],
    ['held records of a day', { kind: 'set aside', records: day, reason: 'x' }, ['Monday held']],
    [
      'all records, with delivered ones',
      { kind: 'send again', records: { kind: 'all' }, delivered: true },
      ['Monday', 'Tuesday'].flatMap((name) => [`${name} delivered`, `${name} held`, `${name} set aside`]),
    ],
  ];

  test.each<[name: string, by: Interface, withDuplicates: boolean]>([
    ['the current interface', 'current', false],
    ['the current interface, with duplicates', 'current', true],
    ['the earlier interface', 'earlier', false],
  ])('are exactly those that it names: %s', async (_name, by, withDuplicates) => {
    const store = await openTemporaryStore();
    const earlier = by === 'earlier' ? ({ version: 'v1', method: 'POST' } as const) : undefined;
    const expected: string[] = [];
    for (const [administration, act, moved] of cases) {
      const lane = { administration, mode: 'production', interface: by } as const;
      const key = await makeKey(store, 'Till 1', { administration });
      if (withDuplicates)
        await store.setup.changeAdministration(administration, { forwarded: ['NEW', 'IGNORED', 'ERROR'] }, 'test');
      const add = async (externalId: string): Promise<number> => {
        const soldAt = externalId.startsWith('Monday') ? MONDAY : MONDAY + DAY;
        return (await store.records.append({ ...arrivalOf(key, { externalId, soldAt }), earlier })).recordId;
      };
      const numbers = new Map<string, number>();
      for (const name of ['Monday', 'Tuesday'])
        for (const state of states) numbers.set(`${name} ${state}`, await add(`${name} ${state}`));
      const inState = (state: string): number[] =>
        ['Monday', 'Tuesday'].map((name) => numbers.get(`${name} ${state}`) ?? 0);
      await settle(store, inState('set aside'), 'held', lane);
      await store.outbox.performAct(lane, { kind: 'set aside', records: { kind: 'all' }, reason: 'x' }, 'test');
      await settle(store, inState('held'), 'held', lane);
      await settle(store, inState('delivered'), 'delivered', lane);
      if (withDuplicates) await add('Monday waiting');

      const { records } = act;
      const numbered =
        records.kind === 'one' ? { ...records, recordId: [...numbers.values()][records.recordId - 1] ?? 0 } : records;
      const result = await store.outbox.performAct(lane, { ...act, records: numbered } as RecordAct, 'test');
      expect({ administration, ...result }).toMatchObject({ administration, records: moved.length });
      const to = act.kind === 'send again' ? 'waiting' : 'set aside';
      for (const name of numbers.keys())
        expected.push(`${administration}: ${name} ${moved.includes(name) ? to : name.slice(name.indexOf(' ') + 1)}`);
    }
    // Lists the records of both journals, so that an act on the wrong journal would show.
    const listed = await store.records.list({ status: 'NEW', limit: 1000 });
    const found = listed.map((record) => `${record.administration}: ${record.externalId} ${record.delivery?.state}`);
    expect(found.toReversed()).toEqual(expected);
  });

  test('are those that drew 400 at an end point that turned out to be invalid', async () => {
    const store = await openTemporaryStore();
    const key = await makeKey(store);
    const earlierLane = { ...LANE, interface: 'earlier' } as const;
    const { id = 0 } = store.outbox.lanes().find((lane) => lane.interface === 'earlier') ?? {};
    const numbers: number[] = [];
    for (const [version, type, answerStatus] of [
      ['v1', 'transaction', 400],
      ['v1', 'transaction', 422],
      ['v2', 'transaction', 400],
      ['v1', 'cancellations', 400],
      ['v1', 'transaction', 400],
    ] as const) {
      const arrival = arrivalOf(key, { externalId: `${numbers.length}`, type });
      const { recordId } = await store.records.append({ ...arrival, earlier: { version, method: 'GET' } });
      numbers.push(recordId);
      await settleRecords(store, id, [recordId], { state: 'held', answerStatus, answer: 'no' });
    }
    const [first = 0] = numbers;
    const records = { kind: 'held at', version: 'v1', resource: 'transaction', recordIds: null } as const;
    expect(await store.outbox.holdsRecords(id, { ...records, recordIds: [first] })).toBe(true);
    expect(await store.outbox.holdsRecords(id, { ...records, resource: 'refunds' })).toBe(false);
    const act = { kind: 'send again', records, delivered: false } as const;
    const actOnFirst = { ...act, records: { ...records, recordIds: [first] } };
    expect(await store.outbox.performAct(earlierLane, actOnFirst, 'gateway')).toEqual({ kind: 'done', records: 1 });
    expect(await store.outbox.performAct(earlierLane, act, 'gateway')).toEqual({ kind: 'done', records: 1 });
    const { records: waiting } = await store.outbox.listWaiting(id, 0);
    expect(waiting.map(({ recordId }) => recordId)).toEqual([numbers[0], numbers[4]]);
    expect(await store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [] });
  });

  test('include duplicates that were delivered on a day, when the day is sent again', async () => {
    const store = await openTemporaryStore();
    const key = await makeKey(store);
    await store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED', 'ERROR'] }, 'test');
    const ids = [
      ...(await sell(store, key, ['a'])),
      ...(await sell(store, key, ['a'])),
      ...(await sell(store, key, ['a'], MONDAY + DAY)),
    ];
    await settle(store, ids, 'delivered');
    const act = { kind: 'send again', records: day, delivered: true } as const;
    expect(await store.outbox.performAct(LANE, act, 'test')).toEqual({ kind: 'done', records: 2 });
    await store.setup.changeAdministration('Bakery', { forwarded: ['NEW'] }, 'test');
    await settle(store, ids.slice(0, 2), 'delivered');
    expect(await store.outbox.performAct(LANE, act, 'test')).toEqual({ kind: 'done', records: 2 });
  });

  test('include waiting duplicates when their original is set aside, if necessary by the next act after an interruption', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    const key = await makeKey(store);
    await store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED', 'ERROR'] }, 'test');
    const held = await sell(store, key, ['a', 'b']);
    await settle(store, held, 'held');
    await sell(store, key, ['a', 'a', 'b', 'c', 'c']);
    await store.setup.changeAdministration('Bakery', { forwarded: ['NEW'] }, 'test');
    const one = { ...SET_ALL_ASIDE, records: { kind: 'one', recordId: held[0] ?? 0 } } as const;
    expect(await store.outbox.performAct(LANE, one, 'test')).toEqual({ kind: 'done', records: 3 });
    expect(await countsOf(store)).toEqual({ waiting: 3, delivered: 0, held: 1, setAside: 3 });

    const db = openDatabase(databasePath(dataDir), 'write');
    const parts = partsOf(db, SET_ALL_ASIDE, {
      before({ isLast }) {
        if (isLast) throw new Error('the power failed');
      },
    });
    await expect(performRecordAct(parts)).rejects.toThrow('the power failed');
    db.close();
    expect(await countsOf(store)).toEqual({ waiting: 3, delivered: 0, held: 0, setAside: 4 });
    expect(await store.outbox.performAct(LANE, SET_ALL_ASIDE, 'test')).toEqual({ kind: 'done', records: 1 });
    expect(await countsOf(store)).toEqual({ waiting: 2, delivered: 0, held: 0, setAside: 5 });
  });
});

test('a duplicate that arrives while its original is set aside is set aside too, for the same reason', async () => {
  const store = await openTemporaryStore();
  const key = await makeKey(store);
  await store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED', 'ERROR'] }, 'test');
  await settle(store, await sell(store, key, ['a']), 'held');
  await store.outbox.performAct(LANE, SET_ALL_ASIDE, 'test');
  await sell(store, key, ['a', 'b', 'b']);
  expect(await countsOf(store)).toEqual({ waiting: 2, delivered: 0, held: 0, setAside: 2 });
  const [, , duplicate] = await store.records.list({ limit: 3 });
  expect(duplicate).toMatchObject({ status: 'IGNORED', delivery: { state: 'set aside', reason: 'typed in twice' } });
});

test('an act on an unknown lane is not logged', async () => {
  const store = await openTemporaryStore();
  await makeKey(store);
  const name = { ...LANE, administration: 'Café' };
  for (const act of [SEND_ALL_AGAIN, { kind: 'pause' } as const])
    expect(await store.outbox.performAct(name, act, 'test')).toEqual({ kind: 'unknown lane' });
  expect(await listLaneActs(store)).toEqual([]);
});
