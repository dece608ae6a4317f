// Amounts of money, for every engine: rules, sums of days and tills, the amount of a record, and the proposals.

import { describe, expect, test } from 'vitest';

import type { AmountRule } from '../../../../server/contract/amounts.ts';
import type { Key } from '../../../../server/store/setup/ledger.ts';
import type { Store } from '../../../../server/store/store.ts';
import { actLine, arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

/** 2025-10-09T08:53:20Z. */
const SOLD_AT = 1_760_000_000;
const MIDNIGHT = 1_759_968_000;
const DAY = { date: '2025-10-09', from: MIDNIGHT, to: MIDNIGHT + 86_400 };
const RULE: AmountRule = {
  type: 'sale',
  total: '/object/total',
  currency: '/object/currency',
  payment: '/object/paid/0/method',
  sign: 'as sent',
};

async function sell(store: Store, key: Key, externalId: string, object: unknown, more: { type?: string } = {}) {
  const { recordId } = await store.records.append(arrivalOf(key, { externalId, object, soldAt: SOLD_AT, ...more }));
  return recordId;
}

/** Sells one record each of the types "type 0", "type 1" and so on. */
async function sellTypes(store: Store, key: Key, types: number, object: unknown): Promise<void> {
  const count = Array.from({ length: types }, (_, n) => n);
  await Promise.all(count.map((n) => sell(store, key, `T${n}`, object, { type: `type ${n}` })));
}

async function fillAll(store: Store): Promise<void> {
  while (await store.amounts.fillSlice());
}

/** Returns the sums of the day, and asserts that the overview and the list of days agree. */
async function sumsOf(store: Store, { journalId }: Key) {
  const [day] = await store.days.count({ journalId, days: [DAY] });
  const now = (SOLD_AT + 60) * 1000;
  const overview = await store.glance.getOverview({ journalId, day: DAY, timeZone: 'UTC', now });
  expect(overview.amounts).toEqual(day?.amounts);
  return day?.amounts;
}

async function amountOf(store: Store, recordId: number) {
  return (await store.records.get(recordId))?.record.amount;
}

describe.each(engines)('amounts on $name', ({ makeSite }) => {
  test('without a rule, there are no amounts', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    const recordId = await sell(store, key, 'A', { total: 12.5 });
    expect(await sumsOf(store, key)).toEqual([]);
    expect(await amountOf(store, recordId)).toBeNull();
    expect(await store.amounts.listRules()).toEqual([]);
  });

  test('sums are exact, one per currency, and a record without an amount is counted beside them', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    await fillAll(store);
    for (let n = 0; n < 3; n++) await sell(store, key, `A${n}`, { total: 0.1, currency: 'EUR' });
    await sell(store, key, 'B', { total: '12.50', currency: 'usd' });
    await sell(store, key, 'C', { total: null, currency: 'EUR' });
    await sell(store, key, 'D', { total: 5 });
    expect(await sumsOf(store, key)).toEqual([
      { currency: 'EUR', value: '0.30', withoutAmount: 0 },
      { currency: 'USD', value: '12.50', withoutAmount: 0 },
      { currency: null, value: '0.00', withoutAmount: 2 },
    ]);
  });

  test('with any rule, records of types without one are without an amount, in every sum', async () => {
    const store = await makeSite().open();
    const [first, second] = [await makeKey(store), await makeKey(store, 'Till 2')];
    await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    await fillAll(store);
    await sell(store, first, 'A', { total: 12.5, currency: 'EUR' });
    await sell(store, first, 'B', { total: 5 });
    await sell(store, second, 'R', { total: 7, currency: 'EUR' }, { type: 'refund' });
    const lacking = (withoutAmount: number) => ({ currency: null, value: '0.00', withoutAmount });
    const eur = { currency: 'EUR', value: '12.50', withoutAmount: 0 };
    expect(await sumsOf(store, first)).toEqual([eur, lacking(2)]);
    const { journalId } = first;
    const { rows } = await store.days.sum({ journalId, day: DAY, verdictId: undefined });
    expect(rows.map(({ type, amounts }) => [type, amounts])).toEqual([
      ['refund', [lacking(1)]],
      ['sale', [eur, lacking(1)]],
    ]);
    const overview = await store.glance.getOverview({ journalId, day: DAY, timeZone: 'UTC', now: SOLD_AT * 1000 });
    expect(overview.tills.map(({ amounts }) => amounts)).toEqual([[eur, lacking(1)], [lacking(1)]]);
  });

  test('with the code of a currency, records without an amount belong to it', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    await store.amounts.setRule('Bakery', 'sale', { ...RULE, currency: 'EUR' }, 'Ann');
    await fillAll(store);
    await sell(store, key, 'A', { total: 12.5 });
    await sell(store, key, 'B', {});
    expect(await sumsOf(store, key)).toEqual([{ currency: 'EUR', value: '12.50', withoutAmount: 1 }]);
  });

  test('there is no sum while old records are still being read', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    const old = await sell(store, key, 'A', { total: 1, currency: 'EUR' });
    await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    const later = await sell(store, key, 'B', { total: 2, currency: 'EUR' });
    expect(await sumsOf(store, key)).toBeNull();
    expect(await amountOf(store, old)).toBe('pending');
    expect(await amountOf(store, later)).toEqual({ currency: 'EUR', value: '2.00' });
    expect(await store.amounts.listRules()).toMatchObject([{ administration: 'Bakery', fill: { done: 0, total: 1 } }]);
    await fillAll(store);
    expect(await sumsOf(store, key)).toEqual([{ currency: 'EUR', value: '3.00', withoutAmount: 0 }]);
    expect(await amountOf(store, old)).toEqual({ currency: 'EUR', value: '1.00' });
    expect(await store.amounts.listRules()).toMatchObject([{ fill: null }]);
  });

  test('a changed rule applies to old records too, and a removed rule leaves no amounts', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    const sale = await sell(store, key, 'A', { total: 1, net: 0.8, currency: 'EUR' });
    const unreadable = await sell(store, key, 'B', { total: 1, currency: 'EUR' });
    await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    await fillAll(store);
    await store.amounts.setRule('Bakery', 'sale', { ...RULE, total: '/object/net' }, 'Ann');
    await fillAll(store);
    expect(await sumsOf(store, key)).toEqual([
      { currency: 'EUR', value: '0.80', withoutAmount: 0 },
      { currency: null, value: '0.00', withoutAmount: 1 },
    ]);
    expect(await amountOf(store, unreadable)).toBe('unreadable');
    expect(await store.amounts.setRule('Bakery', 'sale', null, 'Ann')).toEqual({ kind: 'removed' });
    await fillAll(store);
    expect(await sumsOf(store, key)).toEqual([]);
    expect(await amountOf(store, sale)).toBeNull();
    expect(await store.health.check()).toMatchObject({ wrongAmounts: [], amountFaults: [] });
  });

  test('a rule applies to both journals of its administration, and to no other administration', async () => {
    const store = await makeSite().open();
    const keys = [
      await makeKey(store),
      await makeKey(store, 'Till 1', { mode: 'test' }),
      await makeKey(store, 'Till 1', { administration: 'Café' }),
    ];
    await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    for (const key of keys) await sell(store, key, 'A', { total: 1, currency: 'EUR' });
    await fillAll(store);
    const sums = await Promise.all(keys.map((key) => sumsOf(store, key)));
    expect(sums.map((each) => each?.length)).toEqual([1, 1, 0]);
  });

  test('a day has the sums of each type and till, and refunds reduce the sum', async () => {
    const store = await makeSite().open();
    const [first, second] = [await makeKey(store), await makeKey(store, 'Till 2')];
    await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    await store.amounts.setRule('Bakery', 'refund', { ...RULE, type: 'refund', sign: 'negative' }, 'Ann');
    await fillAll(store);
    await sell(store, first, 'A', { total: 10, currency: 'EUR' });
    await sell(store, second, 'B', { total: 4, currency: 'EUR' });
    await sell(store, second, 'R1', { total: 1.5, currency: 'EUR' }, { type: 'refund' });
    await sell(store, second, 'R2', { total: -0.5, currency: 'EUR' }, { type: 'refund' });
    const { journalId } = first;
    const { rows } = await store.days.sum({ journalId, day: DAY, verdictId: undefined });
    expect(rows.map(({ type, till, amounts }) => [type, till, amounts?.[0]?.value])).toEqual([
      ['refund', 'Till 2', '-2.00'],
      ['sale', 'Till 1', '10.00'],
      ['sale', 'Till 2', '4.00'],
    ]);
    const overview = await store.glance.getOverview({ journalId, day: DAY, timeZone: 'UTC', now: SOLD_AT * 1000 });
    expect(overview.tills.map(({ label, amounts }) => [label, amounts?.[0]?.value])).toEqual([
      ['Till 1', '10.00'],
      ['Till 2', '2.00'],
    ]);
  });

  test('resent and changed sales do not count twice', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    await fillAll(store);
    for (const total of [1, 1, 2]) await sell(store, key, 'A', { total, currency: 'EUR' });
    expect(await sumsOf(store, key)).toEqual([{ currency: 'EUR', value: '1.00', withoutAmount: 0 }]);
  });

  test('the payment method of a record is shown as the till wrote it', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    const recordId = await sell(store, key, 'A', { total: 1, currency: 'EUR', paid: [{ method: 'PIN' }] });
    expect(await store.records.get(recordId)).toMatchObject({ payment: 'PIN' });
  });

  test('a set rule is in the log of acts, and setting it again is not', async () => {
    const store = await makeSite().open();
    await makeKey(store);
    for (let n = 0; n < 2; n++)
      expect(await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann')).toEqual({ kind: 'set' });
    const acts = (await store.setup.listActs({ limit: 10 })).filter(({ actor }) => actor === 'Ann').map(actLine);
    expect(acts).toEqual([
      'Ann: set amounts (sale: total /object/total, currency /object/currency, payment /object/paid/0/method, as sent)',
    ]);
  });

  test('an unknown administration and a missing rule are answers', async () => {
    const store = await makeSite().open();
    await makeKey(store);
    expect(await store.amounts.setRule('Nobody', 'sale', RULE, 'Ann')).toEqual({ kind: 'unknown administration' });
    expect(await store.amounts.setRule('Bakery', 'sale', null, 'Ann')).toEqual({ kind: 'no rule' });
  });

  test('another process may set a rule and read the old records while tills sell', async () => {
    const site = makeSite();
    const gateway = await site.open();
    const key = await makeKey(gateway);
    await sell(gateway, key, 'A', { total: 1, currency: 'EUR' });
    const command = await site.open({ role: 'command' });
    await command.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    await sell(gateway, key, 'B', { total: 2, currency: 'EUR' });
    await Promise.all([fillAll(command), fillAll(gateway)]);
    await sell(gateway, key, 'C', { total: 4, currency: 'EUR' });
    expect(await sumsOf(gateway, key)).toEqual([{ currency: 'EUR', value: '7.00', withoutAmount: 0 }]);
    expect(await gateway.health.check()).toMatchObject({ wrongAmounts: [], amountFaults: [] });
  });

  test('for each type without a rule, a place is suggested with an example', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    const object = {
      lines: [{ price: 3 }],
      total: '12.50',
      total_tax: 1.03,
      currency: 'EUR',
      payments: [{ method: 'PIN', amount: 12.5 }],
    };
    await sell(store, key, 'A', object);
    await sell(store, key, 'R', { amount: { value: 3, currency: 'EUR' } }, { type: 'refund' });
    await sell(store, key, 'N', { note: 'no money' }, { type: 'note' });
    const rule = { type: 'sale', total: '/object/total', currency: '/object/currency', sign: 'as sent' };
    expect(await store.amounts.suggest('Bakery')).toMatchObject([
      {
        rule: { type: 'refund', sign: 'negative' },
        example: { externalId: 'R', amount: { value: '-3.00' } },
      },
      {
        rule: { ...rule, payment: '/object/payments/0/method' },
        looked: 1,
        readable: 1,
        example: { externalId: 'A', amount: { currency: 'EUR', value: '12.50' }, payment: 'PIN' },
      },
    ]);
    await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
    expect((await store.amounts.suggest('Bakery')).map((each) => each.rule.type)).toEqual(['refund']);
  });

  test('rules are suggested for the most frequent types only, however many types the tills use', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    await sellTypes(store, key, 100, { total: 1 });
    for (const n of [1, 2]) await sell(store, key, `S${n}`, { total: 1 });
    const types = (await store.amounts.suggest('Bakery')).map(({ rule }) => rule.type);
    expect(types).toHaveLength(30);
    expect(types).toContain('sale');
  });

  test('a rule is suggested from few records if they are large, and records that are too large are skipped', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    const objectOf = (bytes: number) => ({ total: 1, note: 'x'.repeat(bytes) });
    for (let n = 0; n < 10; n++) await sell(store, key, `L${n}`, objectOf(60_000), { type: 'large' });
    await sell(store, key, 'S', objectOf(10), { type: 'too large' });
    await sell(store, key, 'T', objectOf(100_000), { type: 'too large' });
    expect(await store.amounts.suggest('Bakery')).toMatchObject([
      { rule: { type: 'large' }, looked: 4 },
      { rule: { type: 'too large' }, looked: 1, example: { externalId: 'S' } },
    ]);
  });

  test('other queries are answered between the types of a suggestion', async () => {
    const store = await makeSite().open();
    await sellTypes(store, await makeKey(store), 10, { total: 1 });
    let isRunning = true;
    const suggested = store.amounts.suggest('Bakery').finally(() => (isRunning = false));
    let answered = 0;
    for (; isRunning; answered++) await store.amounts.listRules();
    expect(await suggested).toHaveLength(10);
    expect(answered).toBeGreaterThanOrEqual(10);
  });

  test('simultaneous suggestions are made once, but again after a rule is set', async () => {
    const store = await makeSite().open();
    await sellTypes(store, await makeKey(store), 2, { total: 1 });
    const [one, other] = [store.amounts.suggest('Bakery'), store.amounts.suggest('Bakery')];
    await store.amounts.setRule('Bakery', 'type 1', { ...RULE, type: 'type 1' }, 'Ann');
    const after = store.amounts.suggest('Bakery');
    expect(await one).toBe(await other);
    expect((await after).map(({ rule }) => rule.type)).toEqual(['type 0']);
  });
});
