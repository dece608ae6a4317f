// Counts and pages are right (promise R15) while tills keep posting. The pages of a query together contain exactly the records
// that page one counted, each once and in order.

import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';

import { PATHS } from '../../support/api/refusal-table.ts';
import { bodyOf, getRange, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestKey } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

interface Page {
  readonly raw_transaction_count: number;
  readonly next_cursor: string | null;
  readonly raw_transactions: readonly {
    readonly external_id: string;
    readonly type: string;
    readonly timestamp: string;
  }[];
}

let shops = 0;
let ids = 0;

/** A sale on 2026-11-20. Its second is one of a few values, so that many sales share a second. */
const sale = fc.record({
  second: fc.oneof(fc.nat(3), fc.nat(86_399)),
  type: fc.constantFrom('sale', 'sale', 'refund'),
});
type Sale = typeof sale extends fc.Arbitrary<infer T> ? T : never;

async function sell(key: TestKey, { second, type }: Sale): Promise<string> {
  const external_id = `page-${(ids += 1)}`;
  const timestamp = `${new Date(Date.UTC(2026, 10, 20) + second * 1000).toISOString().slice(0, 19)}Z`;
  const answer = await postBody(gateway.apiUrl, key.secret, bodyOf({ external_id, timestamp, type }));
  expect(answer.status).toBe(201);
  return external_id;
}

test('pages of any limit under concurrent posts add up to the count of page one, without gap or repeat', async () => {
  const limit = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 60 }), fc.constantFrom(1, 500));
  const query = fc.record({
    limit,
    type: fc.option(fc.constantFrom('sale', 'refund'), { nil: undefined }),
    path: fc.constantFrom(...PATHS),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(sale, { maxLength: 60 }),
      fc.array(sale, { minLength: 1, maxLength: 60 }),
      query,
      async (before, meanwhile, { limit, type, path }) => {
        shops += 1;
        const key = await gateway.makeKey({ administration: `Shop ${shops}` });
        const isAsked = (one: Sale): boolean => type === undefined || one.type === type;
        const known = (await Promise.all(before.map(async (one) => ({ one, id: await sell(key, one) }))))
          .filter(({ one }) => isAsked(one))
          .map(({ id }) => id);

        // Tills keep posting from before the first page until after the last page. A few posts are sent with every page.
        const underway = meanwhile.slice(0, 5).map((one) => sell(key, one));
        const later = meanwhile.slice(5);
        const afterPageOne: Promise<string>[] = [];
        const pages: Page[] = [];
        let cursor: string | null = null;
        do {
          const parameters: Record<string, string> = {
            expand: 'raw_transactions',
            limit: String(limit),
            ...(type !== undefined && { type }),
            ...(cursor !== null && { cursor }),
          };
          const answer = await getRange(gateway.apiUrl, key.secret, parameters, path);
          expect(answer.status).toBe(200);
          const page = answer.json() as unknown as Page;
          pages.push(page);
          ({ next_cursor: cursor } = page);
          afterPageOne.push(...later.splice(0, 3).map((one) => sell(key, one)));
        } while (cursor !== null);
        await Promise.all(underway);

        const listed = pages.flatMap(({ raw_transactions }) => raw_transactions);
        const listedIds = listed.map(({ external_id }) => external_id);
        expect(pages.map((page) => page.raw_transaction_count)).toEqual(pages.map(() => listed.length));
        expect(new Set(listedIds).size).toBe(listed.length);
        expect(known.filter((id) => !listedIds.includes(id))).toEqual([]);
        const laterIds = await Promise.all(afterPageOne);
        expect(laterIds.filter((id) => listedIds.includes(id))).toEqual([]);
        expect(listed.map(({ timestamp }) => timestamp)).toEqual(listed.map(({ timestamp }) => timestamp).toSorted());
        if (type !== undefined) expect(new Set(listed.map((one) => one.type)).size).toBeLessThanOrEqual(1);
        for (const page of pages.slice(0, -1)) expect(page.raw_transactions).toHaveLength(limit);
        if (listed.length > 0) expect(pages.at(-1)?.raw_transactions.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 40 },
  );
});

test('changing the limit between pages loses nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sale, { minLength: 5, maxLength: 30 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
      async (sales, limits) => {
        shops += 1;
        const key = await gateway.makeKey({ administration: `Shop ${shops}` });
        const sent = await Promise.all(sales.map((one) => sell(key, one)));
        const listed: string[] = [];
        let cursor: string | null = null;
        do {
          const limit = String(limits.next().value);
          const page = (
            await getRange(gateway.apiUrl, key.secret, {
              expand: 'raw_transactions',
              limit,
              ...(cursor !== null && { cursor }),
            })
          ).json() as unknown as Page;
          listed.push(...page.raw_transactions.map(({ external_id }) => external_id));
          ({ next_cursor: cursor } = page);
        } while (cursor !== null);
        expect(listed.toSorted()).toEqual(sent.toSorted());
      },
    ),
    { numRuns: 15 },
  );
});

test('pages of two queries may be read alternately', async () => {
  const key = await gateway.makeKey({ administration: 'Two readers' });
  const sent = [];
  for (let second = 0; second < 12; second++)
    sent.push(await sell(key, { second, type: second % 2 === 0 ? 'sale' : 'refund' }));
  const listed: Record<string, string[]> = { sale: [], refund: [] };
  const cursors: Record<string, string | null | undefined> = {};
  for (let turn = 0; turn < 6; turn++) {
    for (const type of ['sale', 'refund']) {
      const cursor = cursors[type];
      const page = (
        await getRange(gateway.apiUrl, key.secret, {
          type,
          expand: 'raw_transactions',
          limit: '1',
          ...(typeof cursor === 'string' && { cursor }),
        })
      ).json() as unknown as Page;
      listed[type]?.push(...page.raw_transactions.map(({ external_id }) => external_id));
      cursors[type] = page.next_cursor;
    }
  }
  expect(listed).toEqual({ sale: sent.filter((_, i) => i % 2 === 0), refund: sent.filter((_, i) => i % 2 === 1) });
  expect(cursors).toEqual({ sale: null, refund: null });
});
