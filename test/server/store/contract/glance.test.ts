// The overview of a store day. It must equal a count of the day's records one by one.

import { describe, expect, test } from 'vitest';

import type { OverviewQuery } from '../../../../server/store/glance/ledger.ts';
import type { Key } from '../../../../server/store/setup/ledger.ts';
import type { Store } from '../../../../server/store/store.ts';
import { arrivalOf, makeKey, settleRecords } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

/** The beginning of a store day at 04:15 in Amsterdam, which is 02:15 UTC. */
const FROM = Date.UTC(2025, 9, 9, 2, 15) / 1000;
const DAY = { from: FROM, to: FROM + 86_400 };
/** 15:00 UTC on that store day. */
const NOW = Date.UTC(2025, 9, 9, 15);
const HOUR = 3600;
let ids = 0;
const sale = (key: Key, soldAt: number, externalId = `id-${(ids += 1)}`) => arrivalOf(key, { externalId, soldAt });
const laneOf = (store: Store, key: Key, by = 'current'): number =>
  store.outbox.lanes().find((lane) => lane.journalId === key.journalId && lane.interface === by)?.id ?? 0;

describe.each(engines)('the overview on $name', ({ makeSite }) => {
  async function open() {
    const store = await makeSite().open({ now: () => NOW });
    const key = await makeKey(store, 'Till 1');
    const query: OverviewQuery = { journalId: key.journalId, day: DAY, timeZone: 'Europe/Amsterdam', now: NOW };
    return { store, key, query, read: () => store.glance.getOverview(query) };
  }

  test('a journal without records has only zeros and empty lists', async () => {
    const { read, key } = await open();
    const none = { waiting: 0, delivered: 0, held: 0, 'set aside': 0 };
    expect(await read()).toEqual({
      records: { NEW: 0, IGNORED: 0, ERROR: 0 },
      amounts: [],
      deliveries: none,
      total: none,
      lastRecord: null,
      quarters: [],
      tills: [
        { id: key.tillId, label: 'Till 1', records: 0, amounts: [], lastAt: null, usualGapMs: null, silence: null },
      ],
      outages: [],
    });
  });

  test('records of the day are counted in total and by quarter hour, of both interfaces and of this journal only', async () => {
    const { store, key, read } = await open();
    const other = await makeKey(store, 'Till 1', { mode: 'test' });
    const earlier = { ...sale(key, FROM + 1, 'a'), earlier: { version: 'v1', method: 'POST' } as const };
    for (const call of [
      sale(key, FROM, 'a'),
      sale(key, FROM + 899, 'a'),
      { ...sale(key, FROM, 'a'), body: Buffer.from('{"type":"sale","timestamp":"x","object":{}}') },
      earlier,
      sale(key, FROM + 900),
      sale(key, FROM - 1),
      sale(key, DAY.to),
      sale(other, FROM),
    ])
      await store.records.append(call);
    expect(await read()).toMatchObject({
      records: { NEW: 3, IGNORED: 0, ERROR: 2 },
      quarters: [
        { startsAt: FROM, records: { NEW: 2, IGNORED: 0, ERROR: 2 } },
        { startsAt: FROM + 900, records: { NEW: 1, IGNORED: 0, ERROR: 0 } },
      ],
    });
  });

  describe('deliveries', () => {
    test('are counted by state for the NEW records of the day; the total covers all days', async () => {
      const { store, key, read } = await open();
      const lane = laneOf(store, key);
      for (let n = 0; n < 10; n++) await store.records.append(sale(key, FROM + n * HOUR));
      for (let n = 0; n < 4; n++) await store.records.append(sale(key, FROM - HOUR));
      await store.records.append({ ...sale(key, FROM), earlier: { version: 'v1', method: 'POST' } });
      await settleRecords(store, lane, [1, 2, 3, 11], { state: 'delivered' });
      await settleRecords(store, lane, [4, 5, 12], { state: 'held' });
      const name = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
      await store.outbox.performAct(
        name,
        { kind: 'set aside', records: { kind: 'one', recordId: 5 }, reason: 'typed twice' },
        'test',
      );
      expect(await read()).toMatchObject({
        deliveries: { waiting: 6, delivered: 3, held: 1, 'set aside': 1 },
        total: { waiting: 8, delivered: 4, held: 2, 'set aside': 1 },
      });
      const again = { kind: 'send again', records: { kind: 'all' }, delivered: true } as const;
      await store.outbox.performAct(name, again, 'test');
      expect(await read()).toMatchObject({ deliveries: { waiting: 11, delivered: 0, held: 0, 'set aside': 0 } });
    });

    test('of forwarded duplicates do not count for the day', async () => {
      const { store, key, read } = await open();
      await store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED', 'ERROR'] }, 'test');
      for (const externalId of ['a', 'a', 'b']) await store.records.append(sale(key, FROM, externalId));
      await settleRecords(store, laneOf(store, key), [1, 2], { state: 'delivered' });
      expect(await read()).toMatchObject({
        deliveries: { waiting: 1, delivered: 1 },
        total: { waiting: 1, delivered: 2 },
      });
    });

    test('a failed attempt leaves a record waiting, and counted as such', async () => {
      const { store, key, read } = await open();
      await store.records.append(sale(key, FROM));
      await settleRecords(store, laneOf(store, key), [1], { state: 'waiting' });
      expect(await read()).toMatchObject({ deliveries: { waiting: 1 }, total: { waiting: 1 } });
    });
  });

  describe('tills', () => {
    test('show their NEW records of the day and the last use of any of their keys', async () => {
      const { store, key, read } = await open();
      const second = await makeKey(store, 'Till 1');
      const other = await makeKey(store, 'Till 0');
      store.setup.noteKeyUse(key.id, NOW - 5000);
      store.setup.noteKeyUse(second.id, NOW - 1000);
      await store.setup.listKeys();
      for (const externalId of ['a', 'a', 'b']) await store.records.append(sale(key, FROM, externalId));
      await store.records.append(sale(second, FROM));
      expect((await read()).tills).toEqual([
        { id: other.tillId, label: 'Till 0', records: 0, amounts: [], lastAt: null, usualGapMs: null, silence: null },
        {
          id: key.tillId,
          label: 'Till 1',
          records: 3,
          amounts: [],
          lastAt: NOW - 1000,
          usualGapMs: 300_000,
          silence: null,
        },
      ]);
    });

    test('without a working key are listed only if they have sold today', async () => {
      const { store, key, read, query } = await open();
      const other = await makeKey(store, 'Till 2');
      await store.records.append(sale(key, FROM));
      for (const { id } of [key, other]) await store.setup.revokeKey(id, 'test');
      expect((await read()).tills).toMatchObject([{ label: 'Till 1', records: 1 }]);
      const tomorrow = { from: DAY.to, to: DAY.to + 86_400 };
      expect((await store.glance.getOverview({ ...query, day: tomorrow })).tills).toEqual([]);
    });

    test.each([
      ['unknown with two records', [0, HOUR], null],
      ['distributed over the quarter hours with sales', [0, HOUR, 2 * HOUR, 3 * HOUR - 1], 45],
      ['until now at the latest', [12 * HOUR, 12 * HOUR + 1, 12 * HOUR + 1800 + 900], 15],
      ['a short one for many sales in a moment', Array.from({ length: 90 }, (_, n) => HOUR + n), 1 / 6],
    ])('the usual gap is %s', async (_name, times, minutes) => {
      const { store, key, read } = await open();
      for (const time of times) await store.records.append(sale(key, FROM + time));
      const [till] = (await read()).tills;
      expect(till?.usualGapMs).toBe(minutes === null ? null : minutes * 60_000);
    });
  });

  describe('silence', () => {
    /** Sells once in each quarter hour from 07:45 to 17:30 UTC, on each day of the last four weeks. */
    async function sellForWeeks(store: Store, key: Key): Promise<void> {
      const quarters = Array.from({ length: 28 * 40 }, (_, n) => ({ day: 1 + Math.floor(n / 40), quarter: n % 40 }));
      await Promise.all(
        quarters.map(({ day, quarter }) =>
          store.records.append(sale(key, NOW / 1000 - day * 86_400 + (10 - quarter) * 900)),
        ),
      );
    }
    const callAt = async (store: Store, key: Key, at: number): Promise<void> => {
      store.setup.noteKeyUse(key.id, at);
      await store.setup.listKeys();
    };
    const MINUTE = 60_000;

    test('is reported for a till that usually sells, since its last call', async () => {
      const { store, key, read, query } = await open();
      const other = await makeKey(store, 'Till 2');
      await sellForWeeks(store, key);
      await callAt(store, key, NOW - 119 * MINUTE);
      expect((await read()).tills).toMatchObject([{ silence: null }, { silence: null }]);
      const silenceAt = async (now: number) => (await store.glance.getOverview({ ...query, now })).tills[0]?.silence;
      const since = NOW - 119 * MINUTE;
      expect(await silenceAt(NOW + MINUTE)).toEqual({ since, sureness: 'likely' });
      expect(await silenceAt(NOW + 61 * MINUTE)).toEqual({ since, sureness: 'almost certain' });
      await callAt(store, other, NOW + 60 * MINUTE);
      await callAt(store, key, NOW + 60 * MINUTE);
      expect(await silenceAt(NOW + 61 * MINUTE)).toBeNull();
    });

    test('is not reported for a till that has no key any more', async () => {
      const { store, key, query } = await open();
      await sellForWeeks(store, key);
      await store.records.append(sale(key, FROM));
      await callAt(store, key, NOW - 119 * MINUTE);
      await store.setup.revokeKey(key.id, 'test');
      expect((await store.glance.getOverview({ ...query, now: NOW + MINUTE })).tills).toMatchObject([
        { silence: null },
      ]);
    });

    test('follows from the facts at the beginning of the hour', async () => {
      const { store, key, query } = await open();
      const silenceAt = async (now: number) => (await store.glance.getOverview({ ...query, now })).tills[0]?.silence;
      await callAt(store, key, NOW - 120 * MINUTE);
      expect(await silenceAt(NOW)).toBeNull();
      await sellForWeeks(store, key);
      expect(await silenceAt(NOW + 59 * MINUTE)).toBeNull();
      expect(await silenceAt(NOW + 60 * MINUTE)).not.toBeNull();
    });
  });

  describe('the last record', () => {
    test('is the NEW record that was sold last, on either interface', async () => {
      const { store, key, read } = await open();
      const other = await makeKey(store, 'Till 2');
      await store.records.append({ ...sale(other, FROM + 20), earlier: { version: 'v1', method: 'POST' } });
      await store.records.append({ ...sale(key, FROM + 10, 'a'), receivedAt: NOW });
      await store.records.append(sale(key, FROM + 30, 'a'));
      expect((await read()).lastRecord).toEqual({ receivedAt: 1_760_000_000_000, soldAt: FROM + 20, till: 'Till 2' });
    });

    test('is not from a clock that is far ahead, unless there is no other record', async () => {
      const { store, key, read } = await open();
      await store.records.append(sale(key, NOW / 1000 + HOUR));
      expect((await read()).lastRecord).toMatchObject({ soldAt: NOW / 1000 + HOUR });
      await store.records.append(sale(key, NOW / 1000 + 299));
      expect((await read()).lastRecord).toMatchObject({ soldAt: NOW / 1000 + 299 });
    });
  });
});
