// For any filter, the pages of a search together contain every matching record once, in order.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { DELIVERY_STATES, INTERFACES, STATUSES } from '../../../../../server/contract/codes.ts';
import type { RecordSummary } from '../../../../../server/contract/records.ts';
import { parseDecimal } from '../../../../../server/lib/decimal.ts';
import { openStore } from '../../../../../server/store/open-store.ts';
import type { Settlement } from '../../../../../server/store/outbox/ledger.ts';
import type { FoundRecords, RecordSearch } from '../../../../../server/store/records/ledger.ts';
import type { Key } from '../../../../../server/store/setup/ledger.ts';
import { type Connection, databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { openRecordSearch } from '../../../../../server/store/sqlite/records/record-search.ts';
import type { Store } from '../../../../../server/store/store.ts';
import { arrivalOf, makeKey } from '../../../../support/temp-store.ts';
import { openRandom } from '../../../../support/till/random.ts';

const MONDAY = 1_760_313_600;
const DAY = 86_400;
const TYPES = ['sale', 'refund', 'void'];
const RULE = { total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent' } as const;
const PREFIXES = ['T', 'T1-', 'T1-\u{1f950}', 'T1-0', 'T2-00', '\ue000', '%', '_', 'x'];

const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-test-'));
let store: Store;
let reader: Connection;
let impatient: (search: RecordSearch) => FoundRecords;
let all: RecordSummary[];
let journalId: number;
let tills: number[];

beforeAll(async () => {
  store = await openStore({ dataDir, role: 'gateway' });
  ({ journalId, tills } = await fill(store));
  all = await store.records.list({ administration: 'Bakery', limit: 100_000 });
  reader = openDatabase(databasePath(dataDir), 'read');
  impatient = openRecordSearch(reader, { few: 0, maxLooked: 100, maxSkimmed: 100 });
}, 60_000);

afterAll(async () => {
  reader.close();
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/**
 * Adds two thousand records of two interfaces, three tills and four days. A third of them share one second, and a tenth are
 * resends.
 */
async function fill(into: Store): Promise<{ journalId: number; tills: number[] }> {
  const random = openRandom(7);
  const keys: Key[] = [];
  for (const label of ['Till 1', 'Till 2', 'Till 3']) keys.push(await makeKey(into, label));
  const other = await makeKey(into, 'Till 1', { administration: 'Café' });
  for (const type of TYPES) await into.amounts.setRule('Bakery', type, { ...RULE, type }, 'test');
  await into.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'ERROR'] }, 'test');
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const calls = Array.from({ length: 1500 }, (_, i) => {
    const key = i === 901 ? other : pick(keys);
    const soldAt = i % 3 === 0 ? MONDAY + 3600 : MONDAY + Math.floor(random() * 4 * DAY);
    const form = pick(['T1-', 'T2-', 'T1-\u{1f950}', '\ue000', '\u{10ffff}', '%', '_']);
    const externalId = `${form}${String(i).padStart(4, '0')}`;
    const type = i === 500 ? 'rare' : pick(TYPES);
    return arrivalOf(key, { externalId, type, soldAt, object: { total: i % 20 } });
  });
  const earlier = calls.slice(0, 200).map((call, i) => ({
    ...call,
    type: pick(['transaction', 'cancellations']),
    earlier: { version: 'v1', method: 'GET' } as const,
    body: Buffer.from(`transactionid=${i}`),
  }));
  await Promise.all(calls.concat(earlier).map((call) => into.records.append(call)));
  await Promise.all([...calls.slice(0, 100), ...earlier.slice(0, 40)].map((call) => into.records.append(call)));
  const changed = calls
    .slice(50, 150)
    .map((call) => ({ ...call, body: Buffer.from(call.body.toString().replace('"total":', '"total":1')) }));
  // one call at a time, because the order of parallel resends differs from run to run
  for (const call of changed) await into.records.append(call);

  const lanes = into.outbox.lanes().filter(({ administration }) => administration === 'Bakery');
  for (const { id, interface: by } of lanes) {
    const waiting = (
      await into.records.list({ administration: 'Bakery', interface: by, delivery: 'waiting', limit: 10_000 })
    ).toReversed();
    const settlements = waiting
      .filter((_, i) => i % 5 !== 0)
      .map(({ recordId, status, soldAt }, i): Settlement => ({
        recordId,
        status,
        soldAt,
        state: i % 40 === 0 ? 'held' : 'delivered',
        attempts: 1,
        answeredAt: 1,
        answerStatus: 200,
        answer: null,
        upstreamStatus: null,
      }));
    await into.outbox.settle(id, settlements);
  }
  const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
  await into.outbox.performAct(
    lane,
    { kind: 'set aside', records: { kind: 'sold', from: MONDAY, to: MONDAY + DAY }, reason: 'test' },
    'test',
  );
  return { journalId: keys[0]?.journalId ?? 0, tills: keys.map(({ tillId }) => tillId) };
}

/** The expected result of a search, found by reading all records. */
function expected({ idPrefix, idEnd, amount, order, ...filter }: RecordSearch): RecordSummary[] {
  const labels = new Map(tills.map((id, i) => [id, `Till ${i + 1}`]));
  const found = all.filter(
    (record) =>
      (idPrefix === undefined || record.externalId.startsWith(idPrefix)) &&
      (idEnd === undefined || record.externalId.endsWith(idEnd)) &&
      (amount === undefined || amountOf(record) === amount) &&
      (filter.interface === undefined || record.interface === filter.interface) &&
      (filter.status === undefined || record.status === filter.status) &&
      (filter.delivery === undefined || record.delivery?.state === filter.delivery) &&
      (filter.type === undefined || record.type === filter.type) &&
      (filter.tillId === undefined || record.till === labels.get(filter.tillId)) &&
      (filter.from === undefined || record.soldAt >= filter.from) &&
      (filter.to === undefined || record.soldAt < filter.to),
  );
  const sign = order === 'newest' ? -1 : 1;
  return found.toSorted((a, b) =>
    idPrefix === undefined && (idEnd === undefined || (filter.from !== undefined && filter.to !== undefined))
      ? sign * (a.soldAt - b.soldAt || a.recordId - b.recordId)
      : Buffer.compare(Buffer.from(a.externalId), Buffer.from(b.externalId)) || a.recordId - b.recordId,
  );
}

function amountOf({ amount }: RecordSummary): bigint | undefined {
  return amount === null || typeof amount === 'string' ? undefined : parseDecimal(amount.value);
}

/** The normal search, and a search that gives up early instead of reading everything. */
function searches(): ((search: RecordSearch) => FoundRecords | Promise<FoundRecords>)[] {
  return [(search) => store.records.search(search), impatient];
}

/** Reads all pages of a search. The total comes from the first page. */
async function walk(
  find: (search: RecordSearch) => FoundRecords | Promise<FoundRecords>,
  search: RecordSearch,
): Promise<{ records: RecordSummary[]; total: number | null }> {
  const first = await find(search);
  const records = [...first.records];
  for (let { next } = first; next !== undefined;) {
    const page = await find({ ...search, after: next });
    expect(page.total).toBeNull();
    records.push(...page.records);
    ({ next } = page);
  }
  return { records, total: first.total };
}

async function assertFinds(search: RecordSearch): Promise<void> {
  const wanted = expected(search);
  const idsOf = (records: RecordSummary[]): number[] => records.map(({ recordId }) => recordId);
  for (const find of searches()) {
    const found = await walk(find, search);
    expect({ search, ids: idsOf(found.records) }).toEqual({ search, ids: idsOf(wanted) });
    // much faster than `toEqual`, which explains the difference
    if (!isDeepStrictEqual(found.records, wanted)) expect(found.records).toEqual(wanted);
    if (found.total !== null) expect({ search, total: found.total }).toEqual({ search, total: wanted.length });
  }
}

test('the searched records are of every kind, and all are counted', async () => {
  expect(await store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [] });
  const kinds = new Set(
    all.map(({ interface: by, status, delivery }) => `${by} ${status} ${delivery?.state ?? 'none'}`),
  );
  expect([...kinds].toSorted()).toEqual([
    'current ERROR delivered',
    'current ERROR held',
    'current ERROR set aside',
    'current ERROR waiting',
    'current IGNORED none',
    'current NEW delivered',
    'current NEW held',
    'current NEW set aside',
    'current NEW waiting',
    'earlier IGNORED none',
    'earlier NEW delivered',
    'earlier NEW held',
    'earlier NEW waiting',
  ]);
});

describe('by amount', () => {
  test.each(['newest', 'oldest'] as const)('alone and with other filters, the %s first', async (order) => {
    for (const amount of ['0', '7', '13.00', '115', '3.5', '-7'].map((text) => parseDecimal(text) ?? 0n)) {
      const search = { journalId, order, limit: 20, amount };
      await assertFinds(search);
      await assertFinds({ ...search, status: 'ERROR' });
      await assertFinds({ ...search, tillId: tills[1], from: MONDAY + 3000, to: MONDAY + DAY + 77 });
      await assertFinds({ ...search, delivery: 'held' });
      await assertFinds({ ...search, delivery: 'set aside', type: TYPES[0] });
      await assertFinds({ ...search, idPrefix: 'T1-' });
      await assertFinds({ ...search, idEnd: '7' });
    }
    expect(expected({ journalId, order, limit: 1, amount: parseDecimal('7') }).length).toBeGreaterThan(10);
  });
});

describe('by the end of an id', () => {
  test.each(['newest', 'oldest'] as const)('alone and with other filters, the %s first', async (order) => {
    for (const idEnd of ['0007', '7', '-\u{1f950}0042', 'none', '%', '0'.repeat(50)]) {
      const search = { journalId, order, limit: 7, idEnd };
      await assertFinds(search);
      await assertFinds({ ...search, from: MONDAY });
      await assertFinds({ ...search, from: MONDAY, to: MONDAY + 2 * DAY + 5 });
      await assertFinds({ ...search, interface: 'earlier' });
      await assertFinds({ ...search, status: 'IGNORED', type: TYPES[0] });
      await assertFinds({ ...search, delivery: 'waiting', tillId: tills[0] });
      for (const idPrefix of ['T1-', '\u{10ffff}', idEnd]) await assertFinds({ ...search, idPrefix });
    }
  });
});

describe('by sale', () => {
  test.each(['newest', 'oldest'] as const)('without a filter, the %s first', async (order) => {
    for (const limit of [33, 500]) await assertFinds({ journalId, order, limit });
  });

  test('with every single filter', async () => {
    for (const order of ['newest', 'oldest'] as const) {
      const search = { journalId, order, limit: 250 };
      for (const by of INTERFACES) await assertFinds({ ...search, interface: by });
      for (const status of STATUSES) await assertFinds({ ...search, status });
      for (const delivery of DELIVERY_STATES) await assertFinds({ ...search, delivery });
      for (const type of [...TYPES, 'rare', 'transaction', 'none']) await assertFinds({ ...search, type });
      for (const tillId of [...tills, 999]) await assertFinds({ ...search, tillId });
    }
  });

  test('with random combinations of filters', async () => {
    const random = openRandom(11);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    for (let n = 0; n < 40; n++) {
      const from = MONDAY + Math.floor(random() * 2 * DAY);
      await assertFinds({
        journalId,
        order: pick(['newest', 'oldest']),
        limit: pick([19, 200]),
        interface: pick([undefined, undefined, ...INTERFACES]),
        status: pick([undefined, undefined, ...STATUSES]),
        delivery: pick([undefined, undefined, ...DELIVERY_STATES]),
        type: pick([undefined, ...TYPES, 'rare', 'transaction']),
        tillId: pick([undefined, ...tills]),
        from: pick([undefined, from, Math.floor(from / 900) * 900]),
        to: pick([undefined, from + 50_001, MONDAY + 3601, MONDAY + 2 * DAY]),
      });
    }
  });
});

describe('by the beginning of an id', () => {
  test.each(PREFIXES)('%j', async (idPrefix) => {
    for (const limit of [5, 500]) await assertFinds({ journalId, idPrefix, order: 'newest', limit });
  });

  test('a whole id finds an original and its repeats, on both interfaces', async () => {
    const [duplicate] = all.filter(({ status }) => status === 'ERROR');
    await assertFinds({ journalId, idPrefix: duplicate?.externalId, order: 'newest', limit: 10 });
  });

  test('with random combinations of filters', async () => {
    const random = openRandom(13);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    for (let n = 0; n < 30; n++) {
      await assertFinds({
        journalId,
        idPrefix: pick(PREFIXES),
        order: 'oldest',
        limit: pick([3, 50]),
        interface: pick([undefined, ...INTERFACES]),
        status: pick([undefined, ...STATUSES]),
        delivery: pick([undefined, undefined, ...DELIVERY_STATES]),
        type: pick([undefined, ...TYPES, 'transaction']),
        tillId: pick([undefined, ...tills]),
        from: pick([undefined, MONDAY + 3600]),
        to: pick([undefined, MONDAY + 2 * DAY]),
      });
    }
  });
});

describe('the total', () => {
  test.each([
    ['everything', {}, true],
    ['a status', { status: 'ERROR' }, true],
    ['an interface', { interface: 'earlier' }, true],
    ['an interface and a delivery', { interface: 'earlier', delivery: 'delivered' }, true],
    ['a type and a till', { type: 'sale', tillId: 1 }, true],
    ['a delivery', { delivery: 'held' }, true],
    [
      'a delivery and a status on whole days',
      { delivery: 'held', status: 'ERROR', from: MONDAY, to: MONDAY + DAY },
      true,
    ],
    ['quarter hours', { from: MONDAY + 900, to: MONDAY + DAY + 1800 }, true],
    ['a delivery of a type', { delivery: 'held', type: 'sale' }, false],
    ['a part of a quarter hour', { from: MONDAY + 1 }, false],
    ['an id', { idPrefix: 'T' }, false],
  ] as const)('of %s', (_name, filter, isTold) => {
    const search = { journalId, order: 'newest', limit: 10, ...filter } as const;
    expect(impatient(search).total).toBe(isTold ? expected(search).length : null);
  });

  test('for few deliveries is always given', async () => {
    const search = { journalId, order: 'newest', limit: 1, delivery: 'held', idPrefix: 'T1', type: 'sale' } as const;
    expect((await store.records.search(search)).total).toBe(expected(search).length);
  });
});

test('a search with few results stops after a limited effort, and continues from there', () => {
  const search = {
    journalId,
    type: 'sale',
    tillId: tills[0],
    from: MONDAY + 3600,
    to: MONDAY + 3601,
    order: 'oldest',
    limit: 500,
  } as const;
  const first = impatient(search);
  expect(first.records.length).toBeLessThan(100);
  expect(first.next).toEqual({ soldAt: MONDAY + 3600, recordId: expect.any(Number) as number });
  const second = impatient({ ...search, after: first.next });
  expect(second.next).not.toEqual(first.next);
});
