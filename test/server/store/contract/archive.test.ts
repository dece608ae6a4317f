// The contract of the archive, for every engine: which bodies leave the database, and that nothing else changes.

import { describe, expect, test } from 'vitest';

import type { AmountRule } from '../../../../server/contract/amounts.ts';
import { archiveDay, DAY, everythingOf, saleOf, sellDelivered } from '../../../support/archived.ts';
import { settleRecords } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const RULE: AmountRule = { type: 'sale', total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent' };

describe.each(engines)('the archive on $name', ({ makeSite }) => {
  test('after archiving, every query gives the same answer, also after a restart', async () => {
    const site = makeSite();
    const store = await site.open();
    const sold = await sellDelivered(store, 300);
    await store.amounts.setRule('Bakery', 'sale', RULE, 'test');
    while (await store.amounts.fillSlice());
    const before = await everythingOf(store, sold);
    await archiveDay(store, sold);
    const summary = await store.archive.readSummary();
    expect(summary).toMatchObject({
      files: 1,
      records: 300,
      bodyBytes: before.bodies.reduce((sum, { byteLength }) => sum + byteLength, 0),
      fault: null,
    });
    expect(summary.fileBytes).toBeLessThan(summary.bodyBytes / 3);
    expect(await everythingOf(store, sold)).toEqual(before);
    await store.close();
    const again = await site.open();
    expect(await everythingOf(again, sold)).toEqual(before);
    expect(await again.health.check()).toMatchObject({
      structure: [],
      damagedRecords: [],
      countFaults: [],
      saleFaults: [],
      wrongAmounts: [],
      amountFaults: [],
      deliveryFaults: [],
      records: 300,
    });
  });

  test('a resend of an archived sale is IGNORED, with other content it is ERROR with the same differences', async () => {
    const store = await makeSite().open();
    const sold = await sellDelivered(store, 3);
    const [first = 0] = sold.recordIds;
    const send = (more?: { total?: string }) => store.records.append(saleOf(sold.key, 0, more));
    const before = [await send(), await send({ total: '99.00' })];
    await archiveDay(store, sold);
    const after = [await send(), await send({ total: '99.00' })];
    expect(after.map(({ recordId: _, ...outcome }) => outcome)).toEqual(
      before.map(({ recordId: _, ...outcome }) => outcome),
    );
    expect(after).toMatchObject([
      { status: 'IGNORED', originalId: first },
      { status: 'ERROR', originalId: first, differences: ['/object/total'] },
    ]);
    const conflict = await store.records.get(after[1]?.recordId ?? 0);
    expect(conflict?.differences).toEqual([{ pointer: '/object/total', original: '"0.50"', resent: '"99.00"' }]);
  });

  test('a resend with another order of members is compared by its meaning', async () => {
    const store = await makeSite().open();
    const sold = await sellDelivered(store, 1);
    await archiveDay(store, sold);
    const sale = saleOf(sold.key, 0);
    const members = Object.entries(JSON.parse(sale.body.toString()) as object).toReversed();
    const body = Buffer.from(JSON.stringify(Object.fromEntries(members), null, 1));
    expect(await store.records.append({ ...sale, body })).toMatchObject({ status: 'IGNORED' });
  });

  test('conflicts, and sales that are not delivered, stay in the database', async () => {
    const store = await makeSite().open();
    const sold = await sellDelivered(store, 2);
    const { key, laneId } = sold;
    await store.records.append(saleOf(key, 0, { total: '99.00' })); // ERROR
    const waiting = await store.records.append(saleOf(key, 2));
    const held = await store.records.append(saleOf(key, 3));
    await store.records.countStatuses();
    await settleRecords(store, laneId, [held.recordId], { state: 'held' });
    await archiveDay(store, sold);
    expect(await store.archive.readSummary()).toMatchObject({ records: 2 });
    expect((await store.outbox.listWaiting(laneId, 0)).records.map(({ recordId }) => recordId)).toEqual([
      waiting.recordId,
    ]);
  });

  test('an archived sale can be sent again', async () => {
    const store = await makeSite().open();
    const sold = await sellDelivered(store, 3);
    await archiveDay(store, sold);
    const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
    const upstream = { url: 'https://upstream.example', token: 'prod_1' };
    await store.outbox.performAct(lane, { kind: 'set upstream', upstream }, 'test');
    const records = { kind: 'some', recordIds: sold.recordIds } as const;
    await store.outbox.performAct(lane, { kind: 'send again', records, delivered: true }, 'test');
    const { records: waiting } = await store.outbox.listWaiting(sold.laneId, 0);
    expect(waiting.map(({ body }) => Buffer.from(body ?? []).toString())).toEqual(
      [0, 1, 2].map((n) => saleOf(sold.key, n).body.toString()),
    );
  });

  test('a new rule reads the amounts of archived sales', async () => {
    const store = await makeSite().open();
    const sold = await sellDelivered(store, 300);
    await archiveDay(store, sold);
    await store.amounts.setRule('Bakery', 'sale', RULE, 'test');
    while (await store.amounts.fillSlice());
    const total = Array.from({ length: 300 }, (_, n) => n + 0.5).reduce((sum, each) => sum + each, 0);
    const [day] = await store.days.count({ journalId: sold.key.journalId, days: [DAY] });
    expect(day?.amounts).toMatchObject([{ currency: 'EUR', value: total.toFixed(2), withoutAmount: 0 }]);
  });

  test('a late sale of an archived day is archived after the next signature', async () => {
    const store = await makeSite().open();
    const sold = await sellDelivered(store, 2);
    const { journalId } = sold.key;
    await archiveDay(store, sold, 1);
    expect(await store.archive.listDays(journalId)).toEqual(new Map([[DAY.date, 1]]));
    const late = await store.records.append(saleOf(sold.key, 9));
    await store.records.countStatuses();
    await settleRecords(store, sold.laneId, [late.recordId], { state: 'delivered' });
    await archiveDay(store, sold, 2);
    expect(await store.archive.listDays(journalId)).toEqual(new Map([[DAY.date, 2]]));
    expect(await store.archive.readSummary()).toMatchObject({ files: 2, records: 3 });
    expect(Buffer.from((await store.records.getBody(late.recordId)) ?? [])).toEqual(saleOf(sold.key, 9).body);
  });

  test('a day without a body to archive makes no file', async () => {
    const store = await makeSite().open();
    const sold = await sellDelivered(store, 1);
    await archiveDay(store, sold, 1);
    await archiveDay(store, sold, 2);
    expect(await store.archive.readSummary()).toMatchObject({ files: 1, records: 1 });
    expect(await store.archive.listDays(sold.key.journalId)).toEqual(new Map([[DAY.date, 2]]));
  });
});
