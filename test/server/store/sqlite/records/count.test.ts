import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Range } from '../../../../../server/store/records/ledger.ts';
import { coverRange } from '../../../../../server/store/sqlite/records/count.ts';
import { arrivalOf, makeKey, openTemporaryStore } from '../../../../support/temp-store.ts';

const range = fc
  .tuple(fc.integer({ min: -100_000, max: 400_000 }), fc.integer({ min: 1, max: 400_000 }))
  .map(([from, length]): Range => ({ from, to: from + length }));

test('the parts of a range are disjoint and cover it completely, each on its own grid', () => {
  fc.assert(
    fc.property(range, (whole) => {
      const { buckets, edges } = coverRange(whole);
      const parts = [...buckets, ...edges].toSorted((a, b) => a.from - b.from);
      expect(parts[0]?.from).toBe(whole.from);
      expect(parts.at(-1)?.to).toBe(whole.to);
      parts.slice(1).forEach((part, i) => expect(part.from).toBe(parts[i]?.to));
      for (const { from, to, width } of buckets) expect([Math.abs(from % width), Math.abs(to % width)]).toEqual([0, 0]);
      expect(buckets.every(({ width }) => width === 900 || width === 86_400)).toBe(true);
      for (const { from, to } of edges) expect(to - from).toBeLessThan(1800);
    }),
  );
});

test('a count equals the number of NEW records of the current interface sold in the range, for any bounds, type and repetitions', async () => {
  const store = await openTemporaryStore();
  const keys = [
    await makeKey(store, 'Till 1'),
    await makeKey(store, 'Till 2'),
    await makeKey(store, 'Till 1', { mode: 'test' }),
  ] as const;
  const sales = fc.sample(
    fc.record({
      till: fc.constantFrom(0, 0, 0, 1, 2),
      soldAt: fc.oneof(
        fc.integer({ min: 0, max: 4 * 86_400 }),
        fc.integer({ min: 0, max: 4 * 96 }).map((quarter) => quarter * 900),
      ),
      type: fc.constantFrom('sale', 'refund'),
      earlier: fc.constantFrom(undefined, undefined, { version: 'v1', method: 'GET' as const }),
      id: fc.nat(400),
    }),
    { numRuns: 600, seed: 1 },
  );
  const first = new Map<string, (typeof sales)[number]>();
  await Promise.all(
    sales.map((sale) => {
      const key = keys[sale.till] ?? keys[0];
      const { type, soldAt, earlier } = sale;
      const id = `${key.journalId} ${sale.id}`;
      if (earlier === undefined && !first.has(id)) first.set(id, sale);
      return store.records.append({ ...arrivalOf(key, { externalId: `T-${sale.id}`, type, soldAt }), earlier });
    }),
  );
  const { journalId } = keys[0];
  const originals = [...first].filter(([id]) => id.startsWith(`${journalId} `)).map(([, sale]) => sale);

  await fc.assert(
    fc.asyncProperty(range, fc.constantFrom(undefined, 'sale', 'refund', 'none'), async (queried, type) => {
      const expected = originals.filter(
        ({ soldAt, type: t }) => soldAt >= queried.from && soldAt < queried.to && (type === undefined || t === type),
      );
      const { count } = await store.records.queryRange({ journalId, range: queried, type, limit: 0 });
      expect(count).toBe(expected.length);
    }),
    { numRuns: 200 },
  );
  expect(await store.health.check()).toMatchObject({
    structure: [],
    damagedRecords: [],
    countFaults: [],
    deliveryFaults: [],
  });
});
