// Which declared totals apply, and how they compare with the gateway's records. The expected results are counted one by one.

import { describe, expect, test } from 'vitest';

import type { Amount, AmountRule } from '../../../../server/contract/amounts.ts';
import { MAX_LISTED, MAX_LISTED_IN_DAY } from '../../../../server/contract/days.ts';
import type { NewDeclaredTotal, UndeclaredId } from '../../../../server/store/declared/ledger.ts';
import type { Key } from '../../../../server/store/setup/ledger.ts';
import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

/** The beginning of a store day at 04:15 in Amsterdam, which is 02:15 UTC. */
const FROM = Date.UTC(2025, 9, 9, 2, 15) / 1000;
const RANGE = { from: FROM, to: FROM + 86_400 };
const DATE = '2025-10-09';
const NOW = 1_760_000_000_000;
const ANN = { actor: 'Ann', source: 'typed' } as const;
const eur = (value: string): Amount => ({ currency: 'EUR', value });
const usd = (value: string): Amount => ({ currency: 'USD', value });
const declared = (added: number) => ({ kind: 'declared', added, ids: expect.any(Array) });

describe.each(engines)('declared totals on $name', ({ makeSite }) => {
  async function open() {
    const store = await makeSite().open({ now: () => NOW });
    const key = await makeKey(store, 'Till 1');
    const { journalId } = key;
    const total = (records: number | null, more: Partial<NewDeclaredTotal> = {}): NewDeclaredTotal => ({
      date: DATE,
      type: null,
      tillId: null,
      records,
      ...more,
    });
    return {
      store,
      key,
      journalId,
      total,
      declare: (...totals: NewDeclaredTotal[]) => store.declared.declare(journalId, totals, ANN),
      list: (from = DATE, to = DATE) => store.declared.list({ journalId, from, to }),
      readDay: () => store.declared.compareDay({ journalId, date: DATE, range: RANGE }),
      sell: (of: Key, externalId: string, soldAt = FROM, type = 'sale') =>
        store.records.append(arrivalOf(of, { externalId, soldAt, type })),
    };
  }

  describe('totals in force', () => {
    test('the newest total of each scope, by date, with the total of all tills first', async () => {
      const { declare, total, list, key } = await open();
      const { tillId } = key;
      expect(
        await declare(total(1, { date: '2025-10-10' }), total(2, { tillId }), total(3), total(4, { type: 'sale' })),
      ).toEqual(declared(4));
      expect(await declare(total(5), total(6, { type: 'sale', tillId }))).toEqual(declared(2));
      const entry = {
        ...ANN,
        at: NOW,
        hasIds: false,
        amounts: [],
        till: null,
        tillId: null,
        type: null,
        id: expect.any(Number),
      };
      expect(await list('2025-10-09', '2025-10-10')).toEqual([
        { ...entry, date: DATE, records: 5 },
        { ...entry, date: DATE, tillId, till: 'Till 1', records: 2 },
        { ...entry, date: DATE, type: 'sale', records: 4 },
        { ...entry, date: DATE, type: 'sale', tillId, till: 'Till 1', records: 6 },
        { ...entry, date: '2025-10-10', records: 1 },
      ]);
      expect(await list('2025-10-11', '2025-10-12')).toEqual([]);
    });

    test('the first date is found, and a withdrawn total does not count', async () => {
      const { store, journalId, declare, total } = await open();
      const find = (from: string) => store.declared.findDate(journalId, from);
      expect(await find('')).toBeUndefined();
      await declare(total(1, { date: '1026-10-09' }), total(1), total(2, { type: 'sale' }));
      expect(await find('')).toBe('1026-10-09');
      await declare(total(null, { date: '1026-10-09' }), total(null));
      expect(await find('')).toBe(DATE);
      expect(await find(DATE)).toBe(DATE);
      expect(await find('2025-10-10')).toBeUndefined();
      expect(await store.declared.findDate(journalId + 1, '')).toBeUndefined();
    });

    test('a total is withdrawn, and declared again', async () => {
      const { declare, total, list } = await open();
      await declare(total(1));
      expect(await declare(total(null))).toEqual(declared(1));
      expect(await list()).toEqual([]);
      expect(await declare(total(null))).toEqual(declared(0));
      expect(await declare(total(1))).toEqual(declared(1));
      expect(await list()).toMatchObject([{ records: 1 }]);
    });

    test.each<[name: string, again: Partial<NewDeclaredTotal>, added: number]>([
      ['the same', { records: 2, ids: ['b', 'a'] }, 0],
      ['the same without ids', { records: 2 }, 1],
      ['other ids', { records: 2, ids: ['a', 'c'] }, 1],
      ['another number', { records: 1, ids: ['a'] }, 1],
      ['another type', { records: 2, ids: ['a', 'b'], type: 'sale' }, 1],
      ['none', { records: null }, 1],
    ])('after two ids: %s', async (_name, again, added) => {
      const { declare, total } = await open();
      await declare(total(2, { ids: ['a', 'b'] }));
      expect(await declare(total(2, again))).toEqual(declared(added));
      expect(await declare(total(2, again))).toEqual(declared(0));
    });

    test.each<[name: string, amounts: NewDeclaredTotal['amounts'], added: number]>([
      ['the same', [eur('12.50'), usd('3')], 0],
      ['the same value and order written in another way', [usd('3.00'), eur('12.5')], 0],
      ['another amount', [eur('12.51'), usd('3')], 1],
      ['a currency less', [eur('12.50')], 1],
      ['the same amounts of another currency', [eur('12.50'), { currency: null, value: '3' }], 1],
      ['no amounts', undefined, 1],
    ])('after amounts in two currencies: %s', async (_name, amounts, added) => {
      const { declare, total, list } = await open();
      await declare(total(2, { amounts: [eur('12.50'), usd('3')] }));
      const again = total(2, amounts === undefined ? {} : { amounts });
      expect(await declare(again)).toEqual(declared(added));
      expect(await declare(again)).toEqual(declared(0));
      const byCurrency = ({ currency }: Amount): string => currency ?? '';
      const wanted = added === 0 ? [eur('12.50'), usd('3')] : (amounts ?? []);
      expect((await list())[0]?.amounts).toEqual(wanted.toSorted((a, b) => (byCurrency(a) < byCurrency(b) ? -1 : 1)));
    });

    test('a declaration with ids replaces one without', async () => {
      const { declare, total } = await open();
      await declare(total(0));
      expect(await declare(total(0, { ids: [] }))).toEqual(declared(1));
      expect(await declare(total(0, { ids: [] }))).toEqual(declared(0));
    });

    test('journals have separate totals', async () => {
      const { store, declare, total, list, key } = await open();
      const other = await makeKey(store, 'Till 1', { mode: 'test' });
      await store.declared.declare(other.journalId, [total(7)], ANN);
      await declare(total(1));
      expect(await list()).toMatchObject([{ records: 1 }]);
      expect(key.journalId).not.toBe(other.journalId);
    });

    test('several totals are stored together or not at all, for example if one names a till of another journal', async () => {
      const { store, declare, total, list } = await open();
      const other = await makeKey(store, 'Till 1', { mode: 'test' });
      for (const tillId of [other.tillId, 999])
        expect(await declare(total(1), total(2, { tillId }))).toEqual({ kind: 'unknown till' });
      await expect(declare(total(1), total(2, { type: 'sale', ids: ['a'] }))).rejects.toMatchObject({
        code: 'internal',
      });
      await expect(declare(total(1), total(2, { type: 'sale', ids: ['a', 'a'] }))).rejects.toMatchObject({
        code: 'internal',
      });
      expect(await list()).toEqual([]);
      expect((await store.setup.listActs({ limit: 1 }))[0]?.act.kind).toBe('create key');
    });

    test('totals survive a restart', async () => {
      const site = makeSite();
      const store = await site.open();
      const { journalId } = await makeKey(store);
      await store.declared.declare(journalId, [{ date: DATE, type: null, tillId: null, records: 1, ids: ['a'] }], ANN);
      const beside = await site.open({ role: 'command' });
      expect(await beside.declared.list({ journalId, from: DATE, to: DATE })).toMatchObject([
        { records: 1, hasIds: true },
      ]);
    });
  });

  describe("a declaration is logged with the person's name", () => {
    const one = { kind: 'declare total', date: '2025-10-09', type: null, till: null };
    test.each<[name: string, totals: (tillId: number) => Partial<NewDeclaredTotal>[], act: object]>([
      ['a total', () => [{ records: 412 }], { ...one, records: 412 }],
      [
        'a total with amounts',
        () => [{ records: 412, amounts: [eur('12.50')] }],
        { ...one, records: 412, amounts: [eur('12.50')] },
      ],
      ['a total of a till', (tillId) => [{ records: 412, tillId }], { ...one, till: 'Till 1', records: 412 }],
      [
        'a total of a type and a till',
        (tillId) => [{ records: 0, type: 'sale', tillId }],
        { ...one, type: 'sale', till: 'Till 1', records: 0 },
      ],
      [
        'several totals of a day',
        () => [{}, { type: 'sale' }],
        { kind: 'import totals', from: '2025-10-09', to: '2025-10-09', totals: 2 },
      ],
      [
        'several days',
        () => [{ date: '2025-10-31' }, { date: '2025-10-01' }, {}],
        { kind: 'import totals', from: '2025-10-01', to: '2025-10-31', totals: 3 },
      ],
    ])('%s', async (_name, totals, act) => {
      const { store, declare, total, key } = await open();
      await declare(...totals(key.tillId).map((more) => total(1, more)));
      expect(await store.setup.listActs({ limit: 1 })).toMatchObject([
        { actor: 'Ann', act, administration: 'Bakery', mode: 'production', at: NOW },
      ]);
    });

    test('a withdrawal is logged too; a repeated total and a total from a till are not', async () => {
      const { store, declare, total, journalId, key } = await open();
      await declare(total(1));
      await declare(total(1));
      await declare(total(null));
      await store.declared.declare(journalId, [total(9, { tillId: key.tillId })], { actor: 'Till 1', source: 'till' });
      const acts = await store.setup.listActs({ limit: 10 });
      expect(acts.map(({ act }) => act).filter(({ kind }) => kind.startsWith('declare'))).toEqual([
        { ...one, records: null },
        { ...one, records: 1 },
      ]);
    });

    test('a watcher is notified of each change', async () => {
      const { store, declare, total } = await open();
      let told = 0;
      store.watch({ daysChanged: () => void (told += 1) });
      await declare(total(1), total(1, { type: 'sale' }), total(1, { date: '2025-10-10' }));
      await declare(total(1));
      expect(told).toBe(1);
    });
  });

  describe('the comparison with the records here', () => {
    test('counts NEW records of both interfaces, of the day, the type and the till', async () => {
      const { store, key, declare, total, readDay, sell } = await open();
      const second = await makeKey(store, 'Till 2');
      const elsewhere = await makeKey(store, 'Till 1', { mode: 'test' });
      await sell(key, 'a');
      await sell(key, 'a');
      await sell(key, 'b', RANGE.to - 1, 'refund');
      await sell(second, 'c', FROM + 40_000);
      await sell(key, 'before', FROM - 1);
      await sell(key, 'after', RANGE.to);
      await sell(elsewhere, 'd');
      await store.records.append({
        ...arrivalOf(key, { externalId: 'e', soldAt: FROM }),
        earlier: { version: 'v1', method: 'GET' },
      });
      const scopes = [
        {},
        { tillId: key.tillId },
        { tillId: second.tillId },
        { type: 'refund' },
        { type: 'sale' },
        { type: 'sale', tillId: key.tillId },
        { type: 'nothing' },
      ];
      await declare(...scopes.map((scope) => total(9, scope)));
      const views = await readDay();
      expect(views.map(({ type, till, here, ids }) => [type, till, here, ids])).toEqual([
        [null, null, 4, null],
        [null, 'Till 1', 3, null],
        [null, 'Till 2', 1, null],
        ['nothing', null, 0, null],
        ['refund', null, 1, null],
        ['sale', null, 3, null],
        ['sale', 'Till 1', 2, null],
      ]);
      expect(views[0]).toMatchObject({ records: 9, source: 'typed', actor: 'Ann', at: NOW });
    });

    describe('compares declared amounts with the sums', () => {
      const RULE: AmountRule = { type: 'sale', total: '/total', currency: '/currency', payment: null, sign: 'as sent' };
      async function openWithRule() {
        const site = await open();
        const { store, key } = site;
        await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
        while (await store.amounts.fillSlice());
        const pay = (externalId: string, total: unknown, currency: string, of = key, soldAt = FROM, type = 'sale') =>
          store.records.append(arrivalOf(of, { externalId, soldAt, type, object: { total, currency } }));
        return { ...site, pay, readAmounts: async () => (await site.readDay()).map(({ amounts }) => amounts) };
      }

      test('of the day, the type and the till, by currency; repeats and conflicts do not count', async () => {
        const { store, declare, total, pay, key, readAmounts } = await openWithRule();
        const second = await makeKey(store, 'Till 2');
        await pay('a', 10.1, 'EUR');
        await pay('a', 10.1, 'EUR');
        await pay('a', 99, 'EUR');
        await pay('b', 0.2, 'EUR', second);
        await pay('c', 5, 'USD', second, RANGE.to - 1);
        await pay('before', 1000, 'EUR', key, FROM - 1);
        await pay('after', 1000, 'EUR', key, RANGE.to);
        const amounts = [eur('10.30'), usd('7')];
        await declare(total(3, { amounts }), total(1, { tillId: key.tillId, amounts: [eur('10.10')] }));
        const usdHere = { currency: 'USD', declared: '7', here: '5.00', difference: '2.00' };
        expect(await readAmounts()).toEqual([
          [{ currency: 'EUR', declared: '10.30', here: '10.30', difference: '0.00' }, usdHere],
          [{ currency: 'EUR', declared: '10.10', here: '10.10', difference: '0.00' }],
        ]);
        const days = [{ date: DATE, ...RANGE }];
        const facts = await store.declared.compareDays({ journalId: key.journalId, days });
        expect(facts.get(DATE)?.money).toMatchObject({ more: [usd('2.00')], less: [], gap: null });
      });

      test('a sale without a readable amount makes the sum unknown', async () => {
        const { declare, total, pay, readDay } = await openWithRule();
        await pay('a', 10, 'EUR');
        await pay('b', 'much', 'EUR');
        await declare(total(2, { amounts: [eur('10.00')] }));
        expect(await readDay()).toMatchObject([
          { here: 2, amounts: [{ here: null, difference: null }, {}], amountGap: { kind: 'unreadable', records: 1 } },
        ]);
      });

      test('a sale of a type without a rule makes the sum unknown; its own type or till can still be compared', async () => {
        const { declare, total, pay, readDay, key } = await openWithRule();
        await pay('a', 10, 'EUR');
        await pay('b', -4, 'EUR', key, FROM, 'refund');
        const amounts = [eur('10.00')];
        await declare(
          total(2, { amounts }),
          total(1, { type: 'sale', amounts }),
          total(1, { type: 'refund', amounts }),
        );
        expect((await readDay()).map(({ type, amountGap }) => [type, amountGap])).toEqual([
          [null, { kind: 'no rule', records: 1 }],
          ['refund', { kind: 'no rule', records: 1 }],
          ['sale', null],
        ]);
      });

      test('while amounts of old sales are still being read, the sum is unknown', async () => {
        const { store, declare, total, readDay, sell, key } = await open();
        await sell(key, 'old');
        await store.amounts.setRule('Bakery', 'sale', RULE, 'Ann');
        await declare(total(1, { amounts: [eur('10.00')] }));
        expect(await readDay()).toMatchObject([{ amounts: [{ here: null }], amountGap: { kind: 'filling' } }]);
        while (await store.amounts.fillSlice());
        expect(await readDay()).toMatchObject([{ amountGap: { kind: 'unreadable', records: 1 } }]);
      });
    });

    test('finds ids that are no NEW record of this day, type and till, and ids that were not declared', async () => {
      const { store, key, declare, total, readDay, sell } = await open();
      const second = await makeKey(store, 'Till 2');
      await sell(key, 'here');
      await sell(key, 'undeclared 2', FROM + 2);
      await sell(key, 'undeclared 1', FROM + 1);
      await sell(key, 'another day', RANGE.to);
      await sell(second, 'another till');
      await sell(key, 'another type', FROM, 'refund');
      await store.records.append({
        ...arrivalOf(key, { externalId: 'earlier', type: 'transaction', soldAt: FROM }),
        earlier: { version: 'v1', method: 'GET' },
      });
      await store.records.append({
        ...arrivalOf(key, { externalId: 'undeclared 3', type: 'transaction', soldAt: FROM }),
        earlier: { version: 'v1', method: 'GET' },
      });
      const ids = ['nowhere', 'here', 'another day', 'another till', 'another type', 'earlier'];
      await declare(total(6, { ids }), total(6, { ids, tillId: key.tillId, type: 'sale' }));
      const [all, own] = await readDay();
      expect(all).toMatchObject({
        here: 7,
        ids: { missing: ['another day', 'nowhere'], undeclared: ['undeclared 1', 'undeclared 2', 'undeclared 3'] },
      });
      expect(own).toMatchObject({ here: 3, ids: { undeclared: ['undeclared 1', 'undeclared 2'] } });
      expect(own?.ids?.missing).toEqual(['another day', 'another till', 'another type', 'earlier', 'nowhere']);
      expect(own?.ids).toMatchObject({ missingCount: 5, undeclaredCount: 2 });
    });

    test('is available for a single entry, also when it is no longer in force', async () => {
      const { store, journalId, declare, total, key } = await open();
      const result = await declare(total(1), total(2, { tillId: key.tillId }));
      const [all, own] = result.kind === 'declared' ? result.ids : [];
      const readOne = (declaredId: number | null | undefined) =>
        store.declared.compareDay({ journalId, date: DATE, range: RANGE, declaredId: declaredId ?? 0 });
      expect(await readOne(own)).toMatchObject([{ records: 2, tillId: key.tillId }]);
      await declare(total(null));
      expect(await readOne(all)).toMatchObject([{ records: 1, tillId: null }]);
      expect(await readOne(99)).toEqual([]);
    });

    test('is equal for a repeated declaration, which has the same entry', async () => {
      const { declare, total } = await open();
      const first = await declare(total(1));
      expect(first).toMatchObject({ added: 1, ids: [expect.any(Number)] });
      expect(await declare(total(1))).toEqual({ ...first, added: 0 });
      expect(await declare(total(null))).toMatchObject({ added: 1 });
      expect(await declare(total(null))).toMatchObject({ added: 0 });
    });

    test(`names the first of more than ${MAX_LISTED} and counts all`, async () => {
      const { key, declare, total, readDay, sell } = await open();
      const many = MAX_LISTED + 20;
      const named = (word: string): string[] =>
        Array.from({ length: many }, (_, i) => `${word} ${String(i).padStart(4, '0')}`);
      await Promise.all([...named('here'), ...named('both')].map((id) => sell(key, id)));
      await declare(total(2 * many, { ids: [...named('gone'), ...named('both')].toReversed() }));
      const [view] = await readDay();
      expect(view?.here).toBe(2 * many);
      expect(view?.ids).toEqual({
        missing: named('gone').slice(0, MAX_LISTED),
        missingCount: many,
        undeclared: named('here').slice(0, MAX_LISTED),
        undeclaredCount: many,
      });
    });

    test(`names at most ${MAX_LISTED_IN_DAY} ids of a day and counts all, however many types have a total`, async () => {
      const { declare, total, readDay } = await open();
      const ids = Array.from({ length: MAX_LISTED + 1 }, (_, i) => `gone ${i}`);
      const types = Array.from({ length: MAX_LISTED_IN_DAY / MAX_LISTED + 10 }, (_, i) => `type ${i}`);
      await declare(...types.map((type) => total(ids.length, { type, ids })));
      const compared = (await readDay()).map((each) => each.ids);
      expect(compared.flatMap((each) => each?.missing ?? []).length).toBeLessThanOrEqual(MAX_LISTED_IN_DAY);
      expect(compared.map((each) => each?.missingCount)).toEqual(types.map(() => ids.length));
    });

    test('lists all ids of a total page by page, also if sales have the same time', async () => {
      const { store, key, journalId, declare, total, sell } = await open();
      for (const [i, id] of ['b', 'a', 'said', 'd', 'c'].entries()) await sell(key, id, FROM + Math.floor(i / 3));
      await sell(key, 'refund', FROM, 'refund');
      for (const externalId of ['z', 'y', 'said earlier'])
        await store.records.append({
          ...arrivalOf(key, { externalId, soldAt: FROM, type: 'sale' }),
          earlier: { version: 'v1', method: 'POST' },
        });
      const gone = ['gone 1', 'gone 2', 'gone 3'];
      const ids = ['said', 'said earlier', ...gone.toReversed()];
      const result = await declare(total(ids.length, { type: 'sale', ids }));
      const declaredId = (result.kind === 'declared' ? result.ids[0] : undefined) ?? 0;
      const query = { journalId, range: RANGE, declaredId };
      for (const limit of [1, 2, 3, 10]) {
        const missing: string[] = [];
        const undeclared: UndeclaredId[] = [];
        for (;;) {
          const after = missing.at(-1);
          const page = await store.declared.listMissing({ ...query, limit, ...(after !== undefined && { after }) });
          expect(page.length).toBeLessThanOrEqual(limit);
          missing.push(...page);
          if (page.length === 0) break;
        }
        for (;;) {
          const after = undeclared.at(-1);
          const page = await store.declared.listUndeclared({ ...query, limit, ...(after && { after }) });
          expect(page.length).toBeLessThanOrEqual(limit);
          undeclared.push(...page);
          if (page.length === 0) break;
        }
        expect(missing).toEqual(gone);
        expect(undeclared.map(({ externalId }) => externalId)).toEqual(['b', 'a', 'd', 'c', 'z', 'y']);
      }
      expect(await store.declared.listMissing({ ...query, declaredId: 99, limit: 10 })).toEqual([]);
      expect(await store.declared.listUndeclared({ ...query, declaredId: 99, limit: 10 })).toEqual([]);
    });
  });
});
