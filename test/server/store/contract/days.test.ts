// Lists and sums of the records of store days. The sums must equal a count of the records one by one.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { DELIVERY_STATES, type DeliveryState } from '../../../../server/contract/codes.ts';
import type { DayRule, DayRules, StoreDay } from '../../../../server/contract/days.ts';
import { addDays } from '../../../../server/lib/calendar.ts';
import { always, listStoreDays, replaceRule } from '../../../../server/store-day.ts';
import type { Store } from '../../../../server/store/store.ts';
import { arrivalOf, makeKey, settleRecords } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const HOUR = 3600;
const at = (instant: string): number => Date.parse(instant) / 1000;
const ruleOf = (timeZone: string, cutOff = 0): DayRule => ({ timeZone, dayStartsAt: cutOff * 60 });

describe.each(engines)('the records of store days on $name', ({ makeSite }) => {
  describe('in a shop that sells once per quarter hour, a day has four times as many records as hours:', () => {
    test.each<[name: string, rule: DayRule, middle: string, hours: [number, number, number]]>([
      ['an ordinary day', ruleOf('Europe/Amsterdam'), '2016-11-10', [24, 24, 24]],
      ['Amsterdam, the clock goes back', ruleOf('Europe/Amsterdam'), '2016-10-30', [24, 25, 24]],
      ['Amsterdam, the clock goes forward', ruleOf('Europe/Amsterdam'), '2017-03-26', [24, 23, 24]],
      ['Amsterdam from 04:00, after the clock went back', ruleOf('Europe/Amsterdam', 4), '2016-10-30', [25, 24, 24]],
      ['Amsterdam from 04:00, after it went forward', ruleOf('Europe/Amsterdam', 4), '2017-03-26', [23, 24, 24]],
      ['London, the clock goes back', ruleOf('Europe/London'), '2016-10-30', [24, 25, 24]],
      ['London, the clock goes forward', ruleOf('Europe/London'), '2017-03-26', [24, 23, 24]],
      ['London from 04:00, after the clock went back', ruleOf('Europe/London', 4), '2016-10-30', [25, 24, 24]],
      ['Kathmandu, three quarters of an hour from the others', ruleOf('Asia/Kathmandu'), '2016-10-30', [24, 24, 24]],
      ['Lord Howe, the clock goes half an hour forward', ruleOf('Australia/Lord_Howe'), '2016-10-02', [24, 23.5, 24]],
      ['Lord Howe, the clock goes half an hour back', ruleOf('Australia/Lord_Howe'), '2017-04-02', [24, 24.5, 24]],
      ['New Year', ruleOf('Europe/Amsterdam'), '2017-01-01', [24, 24, 24]],
      ['New Year’s Eve until 04:00', ruleOf('Europe/Amsterdam', 4), '2016-12-31', [24, 24, 24]],
      ['a date that Apia skipped', ruleOf('Pacific/Apia'), '2011-12-30', [24, 0, 24]],
      ['around epoch 0', ruleOf('Europe/Amsterdam'), '1970-01-01', [24, 24, 24]],
    ])('%s', async (_name, rule, middle, hours) => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const first = at(`${addDays(middle, -3)}T00:00:00Z`);
      const sold = Array.from({ length: 7 * 96 }, (_, n) => first + n * 900 + (n % 3) * 449 + Math.floor((n % 3) / 2));
      await Promise.all(
        sold.map((soldAt, n) => store.records.append(arrivalOf(key, { externalId: `T-${n}`, soldAt }))),
      );

      const days = listStoreDays(addDays(middle, -1), addDays(middle, 1), always(rule));
      expect(days.map(({ from, to }) => (to - from) / HOUR)).toEqual(hours);
      const counts = await store.days.count({ journalId: key.journalId, days });
      expect(counts.map(({ here }) => here)).toEqual(hours.map((each) => each * 4));
      expect(counts.map(({ deliveries }) => deliveries.waiting)).toEqual(hours.map((each) => each * 4));
      const alone = await Promise.all(days.map((day) => store.days.count({ journalId: key.journalId, days: [day] })));
      expect(alone.flat()).toEqual(counts);
    });
  });

  test('a record of the last second of a day belongs to that day, one of the next second to the next', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    const rules = always(ruleOf('Europe/Amsterdam', 4));
    for (const instant of [
      '2016-10-30T02:59:59Z',
      '2016-10-30T03:00:00Z',
      '2016-10-31T02:59:59Z',
      '2016-10-31T03:00:00Z',
    ])
      await store.records.append(arrivalOf(key, { externalId: instant, soldAt: at(instant) }));
    const days = listStoreDays('2016-10-28', '2016-11-01', rules);
    const counts = await store.days.count({ journalId: key.journalId, days });
    expect(counts.map(({ here }) => here)).toEqual([0, 1, 2, 1, 0]);
  });

  test('no days are listed for a journal without records', async () => {
    const store = await makeSite().open();
    const { journalId } = await makeKey(store);
    const days = listStoreDays('2016-10-30', '2016-10-31', always(ruleOf('UTC')));
    const nothing = {
      here: 0,
      amounts: [],
      earlier: 0,
      damaged: 0,
      lastAnsweredAt: null,
      deliveries: { waiting: 0, delivered: 0, held: 0, 'set aside': 0 },
      earlierSent: { lastAnsweredAt: null, deliveries: { waiting: 0, delivered: 0, held: 0, 'set aside': 0 } },
    };
    expect(await store.days.count({ journalId, days: [] })).toEqual([]);
    expect(await store.days.count({ journalId, days })).toEqual([nothing, nothing]);
    expect(await store.days.findFirstSale(journalId)).toBeUndefined();
  });

  describe('for any zone, cut-off and earlier rules,', () => {
    const FIRST = '2016-10-18';
    interface Sold {
      readonly soldAt: number;
      readonly by: 'current' | 'earlier';
      readonly recordId: number;
      state: DeliveryState;
      answeredAt: number | null;
    }

    const rule = fc.record({
      timeZone: fc.constantFrom(
        'Europe/Amsterdam',
        'Europe/London',
        'America/New_York',
        'Australia/Lord_Howe',
        'Asia/Kathmandu',
        'Pacific/Auckland',
        'Pacific/Kiritimati',
        'America/St_Johns',
        'UTC',
      ),
      dayStartsAt: fc.oneof(
        fc.constant(0),
        fc.constant(240),
        fc.integer({ min: 0, max: 95 }).map((quarters) => quarters * 15),
      ),
    });
    const date = fc.nat(24).map((days) => addDays(FIRST, days));
    const rules = fc
      .tuple(rule, fc.array(fc.tuple(rule, date), { maxLength: 2 }))
      .map(([first, others]) =>
        others
          .toSorted(([, a], [, b]) => (a < b ? -1 : 1))
          .reduce<DayRules>((before, [next, from]) => replaceRule(before, next, from), always(first)),
      );
    const days = fc
      .tuple(rules, date, fc.nat(12))
      .map(([each, from, more]): StoreDay[] => listStoreDays(from, addDays(from, more), each));

    /**
     * Sells for three weeks in two journals. Returns the sales of one journal, including sales of the earlier interface,
     * repeated sales and changed sales.
     */
    async function sell(store: Store): Promise<{ journalId: number; sold: Sold[] }> {
      const keys = [
        await makeKey(store),
        await makeKey(store, 'Till 2'),
        await makeKey(store, 'Bar', { mode: 'test' }),
      ] as const;
      const from = at(`${FIRST}T00:00:00Z`);
      const sales = fc.sample(
        fc.record({
          till: fc.constantFrom(0, 0, 1, 2),
          soldAt: fc.oneof(
            fc.nat(24 * 24 * HOUR).map((after) => from + after),
            fc.nat(24 * 96).map((quarter) => from + quarter * 900 - (quarter % 2)),
          ),
          earlier: fc.constantFrom(undefined, undefined, { version: 'v1', method: 'GET' as const }),
          id: fc.nat(900),
        }),
        { numRuns: 1200, seed: 7 },
      );
      const appended = await Promise.all(
        sales.map(async ({ till, soldAt, earlier, id }) => {
          const key = keys[till] ?? keys[0];
          const { status, recordId } = await store.records.append({
            ...arrivalOf(key, { externalId: `T-${id}`, soldAt }),
            earlier,
          });
          const by = earlier === undefined ? ('current' as const) : ('earlier' as const);
          return {
            journalId: key.journalId,
            status,
            sale: { soldAt, by, recordId, state: 'waiting', answeredAt: null, upstreamStatus: null } as Sold,
          };
        }),
      );
      const { journalId } = keys[0];
      const sold = appended
        .filter((each) => each.journalId === journalId && each.status === 'NEW')
        .map(({ sale }) => sale);
      return { journalId, sold };
    }
    const isOf = ({ from, to }: StoreDay, { soldAt }: Sold): boolean => soldAt >= from && soldAt < to;

    test('each day has the records sold in it, and all days together have those of the range', async () => {
      const store = await makeSite().open();
      const { journalId, sold } = await sell(store);
      const current = sold.filter(({ by }) => by === 'current');
      expect(sold.length - current.length).toBeGreaterThan(100);
      await fc.assert(
        fc.asyncProperty(days, async (asked) => {
          const counts = await store.days.count({ journalId, days: asked });
          const earlier = sold.filter(({ by }) => by === 'earlier');
          expect(counts.map(({ here }) => here)).toEqual(
            asked.map((day) => current.filter((sale) => isOf(day, sale)).length),
          );
          expect(counts.map((count) => count.earlier)).toEqual(
            asked.map((day) => earlier.filter((sale) => isOf(day, sale)).length),
          );
          const range = { from: asked[0]?.from ?? 0, to: asked.at(-1)?.to ?? 0 };
          const whole = await store.records.queryRange({ journalId, range, type: undefined, limit: 0 });
          expect(counts.reduce((sum, { here }) => sum + here, 0)).toBe(whole.count);
          expect(await store.days.findFirstSale(journalId)).toBe(
            Math.floor(Math.min(...sold.map(({ soldAt }) => soldAt)) / 900) * 900,
          );
        }),
        { numRuns: 200 },
      );
    });

    test('each day has the deliveries of its records, and the time of the last answer', async () => {
      const store = await makeSite().open();
      const { journalId, sold } = await sell(store);
      const lane = store.outbox.lanes().find((each) => each.journalId === journalId && each.interface === 'current');
      if (lane === undefined) throw new Error('there is no lane');
      const current = sold.filter(({ by }) => by === 'current');
      const outcomes = fc.sample(
        fc.constantFrom<DeliveryState>('delivered', 'delivered', 'held', 'set aside', 'waiting'),
        {
          numRuns: current.length,
          seed: 3,
        },
      );
      for (const [n, sale] of current.entries()) {
        sale.state = outcomes[n] ?? 'waiting';
        if (sale.state === 'waiting') continue;
        // The order of the answers differs from the order of the sales.
        sale.answeredAt = 1_480_000_000_000 + ((n * 7919) % 1_000_003);
        const state = sale.state === 'set aside' ? 'held' : sale.state;
        const { answeredAt } = sale;
        expect(await settleRecords(store, lane.id, [sale.recordId], { state, answeredAt })).toEqual([]);
      }
      const aside = current.filter(({ state }) => state === 'set aside').map(({ recordId }) => recordId);
      const act = { kind: 'set aside', records: { kind: 'some', recordIds: aside }, reason: 'test' } as const;
      expect(await store.outbox.performAct(lane, act, 'test')).toMatchObject({ kind: 'done', records: aside.length });

      await fc.assert(
        fc.asyncProperty(days, async (asked) => {
          const counts = await store.days.count({ journalId, days: asked });
          for (const [n, day] of asked.entries()) {
            const mine = current.filter((sale) => isOf(day, sale));
            const sent = mine.filter(({ state }) => state === 'delivered').map(({ answeredAt }) => answeredAt ?? 0);
            const deliveries = DELIVERY_STATES.map((state) => [
              state,
              mine.filter((sale) => sale.state === state).length,
            ]);
            expect(counts[n]).toMatchObject({
              deliveries: Object.fromEntries(deliveries) as object,
              lastAnsweredAt: sent.length === 0 ? null : Math.max(...sent),
              earlierSent: { deliveries: { waiting: counts[n]?.earlier, delivered: 0 }, lastAnsweredAt: null },
            });
          }
        }),
        { numRuns: 200 },
      );
    });
  });

  describe('the records of a day', () => {
    test('are listed in order of sale, with their delivery state, and found by place and by id', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const { journalId } = key;
      const from = at('2016-10-29T22:00:00Z');
      const sell = async (externalId: string, after: number, type = 'sale') =>
        (await store.records.append(arrivalOf(key, { externalId, type, soldAt: from + after }))).recordId;
      const [late, early, same, before] = [
        await sell('b', 60),
        await sell('a', 0, 'refund'),
        await sell('c', 60),
        await sell('z', -1),
      ];
      await sell('b', 60); // a duplicate
      await store.records.append({
        ...arrivalOf(key, { externalId: 'e', soldAt: from }),
        earlier: { version: 'v1', method: 'GET' },
      });
      const lane = store.outbox.lanes().find((each) => each.journalId === journalId && each.interface === 'current');
      await settleRecords(store, lane?.id ?? 0, [late], { state: 'delivered', answeredAt: 5000 });
      await settleRecords(store, lane?.id ?? 0, [early], { state: 'held', answeredAt: 6000 });

      const a = {
        recordId: early,
        externalId: 'a',
        type: 'refund',
        soldAt: from,
        state: 'held',
        answeredAt: 6000,
        upstreamStatus: null,
      };
      const b = {
        recordId: late,
        externalId: 'b',
        type: 'sale',
        soldAt: from + 60,
        state: 'delivered',
        answeredAt: 5000,
        upstreamStatus: null,
      };
      const c = {
        recordId: same,
        externalId: 'c',
        type: 'sale',
        soldAt: from + 60,
        state: 'waiting',
        answeredAt: null,
        upstreamStatus: null,
      };
      const range = { journalId, from, to: from + 25 * HOUR };
      expect(await store.days.listRecords(range)).toEqual([a, b, c]);
      const places = [0, 1, 2, 3].map((place) => store.days.findPlace({ ...range, place }));
      expect(await Promise.all(places)).toEqual([from, from + 60, from + 60, undefined]);
      expect(await store.days.findOriginals(journalId, ['z', 'nowhere', 'a', 'e'])).toMatchObject([
        { recordId: before },
        a,
      ]);
      expect(await store.days.findOriginals(journalId, [])).toEqual([]);
    });
  });

  describe('the ids of a range', () => {
    const FROM = 1_760_000_000;

    const RANGE = { from: FROM, to: FROM + 100 };

    test('the ids of a range are the ids of its NEW records of the current interface, by till and in order of sale', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const spare = await makeKey(store);
      const kiosk = await makeKey(store, 'Kiosk');
      const other = await makeKey(store, 'Till 1', { mode: 'test' });
      for (const call of [
        arrivalOf(key, { externalId: 'c', soldAt: FROM + 50 }),
        arrivalOf(spare, { externalId: 'b', soldAt: FROM + 40, type: 'refund' }),
        arrivalOf(kiosk, { externalId: 'k', soldAt: FROM + 45 }),
        arrivalOf(key, { externalId: 'c', soldAt: FROM + 50 }),
        arrivalOf(key, { externalId: 'c', soldAt: FROM + 51 }),
        arrivalOf(key, { externalId: 'a', soldAt: FROM }),
        arrivalOf(key, { externalId: 'before', soldAt: FROM - 1 }),
        arrivalOf(key, { externalId: 'after', soldAt: FROM + 100 }),
        arrivalOf(other, { externalId: 'x', soldAt: FROM }),
        { ...arrivalOf(key, { externalId: 'e', soldAt: FROM }), earlier: { version: 'v1', method: 'POST' } as const },
      ])
        await store.records.append(call);
      expect(await store.days.listSoldIds(key.journalId, RANGE)).toEqual({
        tills: [
          { label: 'Till 1', ids: ['a', 'b', 'c'] },
          { label: 'Kiosk', ids: ['k'] },
        ],
        isPartial: false,
      });
    });

    test('of very many ids the first are read, and the answer says that there are more', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const append = (n: number) =>
        store.records.append(arrivalOf(key, { externalId: `id-${n}`, soldAt: FROM + (n % 100) }));
      for (let n = 0; n < 50_000; n += 5000)
        await Promise.all(Array.from({ length: 5000 }, (_, more) => append(n + more)));
      const all = await store.days.listSoldIds(key.journalId, RANGE);
      expect([all.tills[0]?.ids.length, all.isPartial]).toEqual([50_000, false]);
      await append(50_000); // the time stamp is the first second of the range
      const first = await store.days.listSoldIds(key.journalId, RANGE);
      expect([first.tills[0]?.ids.length, first.isPartial]).toEqual([50_000, true]);
      expect(first.tills[0]?.ids).toContain('id-50000');
      expect(first.tills[0]?.ids).not.toContain('id-49999');
    });
  });
});
