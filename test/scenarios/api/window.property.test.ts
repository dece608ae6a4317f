// The count of any window equals the number of sent records in it. The counts of two adjacent windows add up to the count of the
// window that covers both. Bounds and timestamps are mostly near quarter hours, days and epoch 0, because buckets begin there.

import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';

import { MAX_WINDOW_SECONDS } from '../../../server/contract/codes.ts';
import { bodyOf, getRange, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

const DAY = 86_400;
const TYPES = ['sale', 'refund', 'void'];

/** The beginnings of 30-day periods in which the sales of a test lie. */
const STRETCHES = {
  'a month': Date.UTC(2026, 10, 1) / 1000,
  'around a leap day': Date.UTC(2024, 1, 20) / 1000,
  'around 1970': -5 * DAY,
  'the first days there are': Date.UTC(2000, 0, 1) / 1000 - 5 * 146_097 * DAY,
  'the last days there are': Date.UTC(9999, 11, 1) / 1000,
};
const STRETCH_SECONDS = 30 * DAY;

/**
 * Seconds since the beginning of a period: at the edge of a quarter hour or day, one second before or after an edge, or
 * anywhere.
 */
const offset = fc
  .oneof(
    fc.tuple(fc.nat(29), fc.constantFrom(-1, 0, 1)).map(([day, more]) => day * DAY + more),
    fc.tuple(fc.nat(29 * 96), fc.constantFrom(-1, 0, 1)).map(([quarter, more]) => quarter * 900 + more),
    fc.nat(STRETCH_SECONDS),
  )
  .map((seconds) => Math.min(Math.max(seconds, 0), STRETCH_SECONDS - 1));

const written = (seconds: number): string => {
  const [date = '', time = ''] = new Date(seconds * 1000).toISOString().split('T');
  return `${date}T${time.slice(0, 8)}`;
};

test.each(Object.entries(STRETCHES))('counts of windows in %s are exact and add up', async (name, start) => {
  const { secret } = await gateway.makeKey({ administration: name });
  const sales = fc
    .sample(fc.tuple(offset, fc.constantFrom(...TYPES)), 150)
    .map(([into, type]) => ({ at: start + into, type }));
  const answers = await Promise.all(
    sales.map(({ at, type }, i) =>
      postBody(gateway.apiUrl, secret, bodyOf({ external_id: `${name} ${i}`, timestamp: `${written(at)}Z`, type })),
    ),
  );
  for (const answer of answers) expect(answer.status).toBe(201);
  // Sends duplicates and changed resends, which must not be counted.
  for (const { at } of sales.slice(0, 10))
    await postBody(gateway.apiUrl, secret, bodyOf({ external_id: `${name} 0`, timestamp: `${written(at)}Z` }));

  const count = async (from: number, to: number, type: string | undefined): Promise<unknown> => {
    const answer = await getRange(gateway.apiUrl, secret, {
      timestamp_gte: written(from),
      timestamp_lt: written(to),
      ...(type !== undefined && { type }),
    });
    return answer.json()['raw_transaction_count'];
  };
  const plainCount = (from: number, to: number, type: string | undefined): number =>
    sales.filter((sale) => sale.at >= from && sale.at < to && (type === undefined || sale.type === type)).length;

  const cuts = fc
    .uniqueArray(offset, { minLength: 3, maxLength: 3 })
    .map((three) => three.map((into) => start + into).toSorted((a, b) => a - b));
  await fc.assert(
    fc.asyncProperty(
      cuts,
      fc.option(fc.constantFrom(...TYPES, 'unheard of'), { nil: undefined }),
      async ([a = 0, b = 0, c = 0], type) => {
        const [left, right, union] = [await count(a, b, type), await count(b, c, type), await count(a, c, type)];
        expect([left, right]).toEqual([plainCount(a, b, type), plainCount(b, c, type)]);
        expect(union).toBe(plainCount(a, c, type));
      },
    ),
    { numRuns: 60 },
  );
  const whole = Math.min(start + MAX_WINDOW_SECONDS, Date.UTC(9999, 11, 31, 23, 59, 59) / 1000);
  expect(await count(start, whole, undefined)).toBe(sales.length);
  expect(
    (await Promise.all(TYPES.map((type) => count(start, whole, type)))).reduce(
      (sum: number, one) => sum + Number(one),
      0,
    ),
  ).toBe(sales.length);
});
