// The contract of packed bodies, for every engine: nothing that people, tills or the upstream see changes.

import { describe, expect, test } from 'vitest';

import type { Store } from '../../../../server/store/store.ts';
import {
  archiveDay,
  everythingOf,
  MAX_PACK_RECORDS,
  packAll,
  saleOf,
  sellDelivered,
} from '../../../support/archived.ts';
import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const RULE = { type: 'sale', total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent' } as const;
const DAY_MS = 86_400_000;

const bodyOf = async (store: Store, recordId: number): Promise<string> =>
  Buffer.from((await store.records.getBody(recordId)) ?? []).toString();

describe.each(engines)('packs on $name', ({ makeSite }) => {
  test('after packing, every query gives the same answer, also after a restart', async () => {
    const site = makeSite();
    const store = await site.open();
    const sold = await sellDelivered(store, 2 * MAX_PACK_RECORDS + 50);
    await store.amounts.setRule('Bakery', 'sale', RULE, 'test');
    while (await store.amounts.fillSlice());
    const before = await everythingOf(store, sold);
    expect(await packAll(store)).toBe(2);
    expect(await everythingOf(store, sold)).toEqual(before);
    await store.close();
    const again = await site.open();
    expect(await everythingOf(again, sold)).toEqual(before);
    expect(await packAll(again)).toBe(0);
    expect(await again.health.check()).toMatchObject({
      structure: [],
      damagedRecords: [],
      archiveFaults: [],
      countFaults: [],
      saleFaults: [],
      wrongAmounts: [],
      amountFaults: [],
      deliveryFaults: [],
    });
  });

  test('a resend of a packed sale is IGNORED, with other content it is ERROR with its differences', async () => {
    const store = await makeSite().open();
    const { key, recordIds } = await sellDelivered(store, MAX_PACK_RECORDS);
    expect(await packAll(store)).toBe(1);
    const [originalId] = recordIds;
    expect(await store.records.append(saleOf(key, 0))).toMatchObject({ status: 'IGNORED', originalId });
    expect(await store.records.append(saleOf(key, 0, { total: '99.00' }))).toMatchObject({
      status: 'ERROR',
      originalId,
      differences: ['/object/total'],
    });
  });

  test('a body stays in its row for a day, and a time of arrival in the future does not stop the records after it', async () => {
    let now = 1_760_000_000_000;
    const store = await makeSite().open({ now: () => now });
    const key = await makeKey(store);
    const sell = (n: number, receivedAt: number) =>
      store.records.append(arrivalOf(key, { externalId: `S-${n}`, receivedAt }));
    await sell(0, now + 365 * DAY_MS); // from a clock that was a year ahead
    for (let n = 1; n < MAX_PACK_RECORDS; n++) await sell(n, now);
    now += DAY_MS - 1;
    expect(await packAll(store)).toBe(0);
    now += 1;
    expect(await packAll(store)).toBe(1);
  });

  test('a lane reads the same pages from packs as from rows', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    const filler = 'x'.repeat(10_000);
    const sent = Array.from({ length: 600 }, (_, n) => saleOf(key, n, { filler: filler + n }));
    for (const each of sent) await store.records.append(each);
    await store.records.countStatuses(); // folds
    const laneId = store.outbox.lanes().find(({ interface: by }) => by === 'current')?.id ?? 0;
    const pages = async (): Promise<string[][]> => {
      const found: string[][] = [];
      for (let after = 0, hasMore = true; hasMore;) {
        const page = await store.outbox.listWaiting(laneId, after);
        found.push(page.records.map(({ body }) => Buffer.from(body ?? []).toString()));
        ({ last: after, hasMore } = page);
      }
      return found;
    };
    const before = await pages();
    expect(before.length).toBeGreaterThan(1);
    expect(before.flat()).toEqual(sent.map(({ body }) => body.toString()));
    expect(await packAll(store)).toBeGreaterThan(10);
    expect(await pages()).toEqual(before);
  });

  test('the archive takes bodies out of packs, and leaves the bodies of other records in them', async () => {
    const store = await makeSite().open();
    const sold = await sellDelivered(store, MAX_PACK_RECORDS - 1);
    const conflict = await store.records.append(saleOf(sold.key, 0, { total: '99.00' }));
    const bodies = async () => Promise.all([...sold.recordIds, conflict.recordId].map((id) => bodyOf(store, id)));
    const before = await bodies();
    expect(await packAll(store)).toBe(1);
    await archiveDay(store, sold);
    expect(await store.archive.readSummary()).toMatchObject({ records: MAX_PACK_RECORDS - 1 });
    expect((await store.archive.readSummary()).bodyBytes).toBe(
      before.slice(0, -1).reduce((sum, body) => sum + body.length, 0),
    );
    expect(await bodies()).toEqual(before);
    expect(await store.records.append(saleOf(sold.key, 1))).toMatchObject({ status: 'IGNORED' });
  });

  test('suggestions for rules use packed bodies', async () => {
    const store = await makeSite().open();
    await sellDelivered(store, MAX_PACK_RECORDS);
    const before = await store.amounts.suggest('Bakery');
    expect(before).toMatchObject([{ rule: { total: '/object/total' } }]);
    expect(await packAll(store)).toBe(1);
    expect(await store.amounts.suggest('Bakery')).toEqual(before);
  });
});
