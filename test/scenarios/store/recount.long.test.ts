// After any sequence of sales, acts, crashes and restarts, every number of a store equals a plain recount. The recount uses
// only the store's answers to tills and lanes. It is in this file and shares no code with the store.

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { DELIVERY_STATES, type DeliveryState, type Status, STATUSES } from '../../../server/contract/codes.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';
import type { Store } from '../../../server/store/store.ts';
import { openRestartingStore } from '../../support/restarting-store.ts';
import { arrivalOf, makeKey } from '../../support/temp-store.ts';

const HOUR = 3600;
/** 2025-10-09T00:00:00Z. */
const MIDNIGHT = 1_759_968_000;
const TYPES = ['sale', 'refund'];

interface Sale {
  readonly id: number;
  readonly hour: number;
  readonly type: number;
  readonly total: number;
}

type Step =
  | { readonly kind: 'sell'; readonly sales: readonly Sale[] }
  | { readonly kind: 'settle'; readonly state: 'delivered' | 'held' | 'waiting'; readonly every: number }
  | { readonly kind: 'act'; readonly what: 'send again' | 'set aside' }
  | { readonly kind: 'forward'; readonly duplicates: boolean }
  | { readonly kind: 'read' | 'restart' | 'kill' };

const sale: fc.Arbitrary<Sale> = fc.record({
  id: fc.nat(30),
  hour: fc.nat(40),
  type: fc.nat(TYPES.length - 1),
  total: fc.nat(1),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('sell' as const), sales: fc.array(sale, { maxLength: 20 }) }) },
  fc.record({
    kind: fc.constant('settle' as const),
    state: fc.constantFrom('delivered' as const, 'held' as const, 'waiting' as const),
    every: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('act' as const), what: fc.constantFrom('send again' as const, 'set aside' as const) }),
  fc.record({ kind: fc.constant('forward' as const), duplicates: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('read' as const, 'restart' as const, 'kill' as const) }),
);

/** What the store must say of a record. */
interface Known extends Sale {
  readonly recordId: number;
  readonly status: Status;
  readonly originalId: number | undefined;
  /** The state of the record's delivery; undefined if the record is not forwarded. */
  state: DeliveryState | undefined;
}

test('every number equals a recount, after sales, acts, crashes and restarts', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const shop = await openRestartingStore();
      const key = await makeKey(shop.store);
      const known: Known[] = [];
      let forwardsDuplicates = false;

      async function sell({ id, hour, type, total }: Sale): Promise<void> {
        const arrival = arrivalOf(key, {
          externalId: `T-${id}`,
          type: TYPES[type] ?? '',
          soldAt: MIDNIGHT + hour * HOUR + id,
          object: { total },
        });
        const outcome = await shop.store.records.append(arrival);
        const originalId = outcome.status === 'NEW' ? undefined : outcome.originalId;
        const original = known.find(({ recordId }) => recordId === originalId);
        const isForwarded = outcome.status === 'NEW' || forwardsDuplicates;
        const state = original?.state === 'set aside' ? 'set aside' : 'waiting';
        known.push({
          id,
          hour,
          type,
          total,
          originalId,
          recordId: outcome.recordId,
          status: outcome.status,
          state: isForwarded ? state : undefined,
        });
      }

      async function take(next: Step): Promise<void> {
        const laneId = laneOf(shop.store, key);
        switch (next.kind) {
          case 'sell':
            for (const each of next.sales) await sell(each);
            return;
          case 'settle': {
            const chosen = known.filter(({ state }, n) => state === 'waiting' && n % next.every === 0);
            const answer = { attempts: 1, answeredAt: 1, answerStatus: 201, answer: null, upstreamStatus: null };
            const settlements = chosen.map(({ recordId, status, hour, id }) => {
              const soldAt = MIDNIGHT + hour * HOUR + id;
              return { ...answer, recordId, status, soldAt, state: next.state };
            });
            expect(await shop.store.outbox.settle(laneId, settlements)).toEqual([]);
            for (const record of chosen) record.state = next.state;
            return;
          }
          case 'act': {
            const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
            const act =
              next.what === 'send again'
                ? ({ kind: 'send again', records: { kind: 'held' }, delivered: false } as const)
                : ({ kind: 'set aside', records: { kind: 'held' }, reason: 'a test' } as const);
            const held = known.filter(({ state }) => state === 'held');
            const heldIds = new Set(held.map(({ recordId }) => recordId));
            await shop.store.outbox.performAct(lane, act, 'test');
            for (const record of held) record.state = next.what === 'send again' ? 'waiting' : 'set aside';
            if (next.what === 'set aside')
              for (const record of known)
                if (record.state === 'waiting' && heldIds.has(record.originalId ?? 0)) record.state = 'set aside';
            return;
          }
          case 'forward':
            forwardsDuplicates = next.duplicates;
            await shop.store.setup.changeAdministration(
              'Bakery',
              { forwarded: next.duplicates ? ['NEW', 'IGNORED', 'ERROR'] : ['NEW'] },
              'test',
            );
            return;
          case 'read':
            return assertRecounted(shop.store, key, known);
          case 'restart':
            return shop.restart();
          case 'kill':
            return shop.kill();
          default:
            return next satisfies never;
        }
      }

      try {
        for (const next of steps) await take(next);
        await assertRecounted(shop.store, key, known);
        expect(await shop.store.health.check()).toMatchObject({
          countFaults: [],
          saleFaults: [],
          deliveryFaults: [],
          damagedRecords: [],
        });
      } finally {
        await shop.close();
      }
    }),
    { numRuns: Number(process.env['COUNTERFOIL_RUNS'] ?? 15) },
  );
});

function laneOf(store: Store, key: Key): number {
  return store.outbox.lanes().find((lane) => lane.journalId === key.journalId && lane.interface === 'current')?.id ?? 0;
}

async function assertRecounted(store: Store, { journalId, ...key }: Key, known: readonly Known[]): Promise<void> {
  const count = (test: (record: Known) => boolean): number => known.filter(test).length;
  const inState = (state: DeliveryState) => (record: Known) => record.state === state;

  const laneId = laneOf(store, { journalId, ...key });
  const isSendable = ({ originalId }: Known): boolean =>
    originalId === undefined || known.find(({ recordId }) => recordId === originalId)?.state === 'delivered';
  expect((await store.outbox.listWaiting(laneId, 0)).records.map(({ recordId }) => recordId)).toEqual(
    known.filter((record) => record.state === 'waiting' && isSendable(record)).map(({ recordId }) => recordId),
  );

  const [counts] = await store.records.countStatuses();
  expect(counts?.records.current).toEqual(
    Object.fromEntries(STATUSES.map((status) => [status, count((record) => record.status === status)])),
  );
  const lane = (await store.outbox.listLaneStatus()).find(({ id }) => id === laneId);
  expect(lane).toMatchObject({
    waiting: count(inState('waiting')),
    delivered: count(inState('delivered')),
    held: count(inState('held')),
    setAside: count(inState('set aside')),
  });

  const days = [0, 1].map((n) => ({
    date: `2025-10-0${9 + n}`,
    from: MIDNIGHT + n * 86_400,
    to: MIDNIGHT + (n + 1) * 86_400,
  }));
  for (const [n, day] of (await store.days.count({ journalId, days })).entries()) {
    const ofDay = (record: Known): boolean => record.status === 'NEW' && Math.floor(record.hour / 24) === n;
    expect(day.here).toBe(count(ofDay));
    for (const state of DELIVERY_STATES)
      expect(day.deliveries[state]).toBe(count((record) => ofDay(record) && record.state === state));
  }

  const range = { from: MIDNIGHT + 3 * HOUR + 5, to: MIDNIGHT + 30 * HOUR };
  for (const [n, type] of [undefined, ...TYPES].entries()) {
    const inRange = known.filter(({ status, hour, id, type: its }) => {
      const soldAt = MIDNIGHT + hour * HOUR + id;
      return status === 'NEW' && soldAt >= range.from && soldAt < range.to && (type === undefined || its === n - 1);
    });
    const { count: total, rows } = await store.records.queryRange({ journalId, range, type, limit: 5 });
    expect(total).toBe(inRange.length);
    expect(rows).toHaveLength(Math.min(5, inRange.length));
  }
  for (const { recordId, status, state } of known.slice(-3)) {
    const detail = await store.records.get(recordId);
    expect(detail?.record.status).toBe(status);
    expect(detail?.record.delivery?.state).toBe(state);
  }
}
