// Records: how they are stored, classified and read, and the refusal log.

import { describe, expect, test } from 'vitest';

import type { GatewayError } from '../../../../server/errors.ts';
import type { Outcome } from '../../../../server/store/records/ledger.ts';
import { arrivalOf, makeKey, refusalOf } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const statusOf = ({ status }: Outcome): string => status;

describe.each(engines)('records on $name', ({ makeSite }) => {
  describe('dedup', () => {
    test('the first is NEW, the same content again is IGNORED, other content is ERROR with the differences', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      expect(await store.records.append(arrivalOf(key, { externalId: 'a', object: { total: 12.5 } }))).toEqual({
        status: 'NEW',
        recordId: 1,
      });
      expect(await store.records.append(arrivalOf(key, { externalId: 'a', object: { total: 12.5 } }))).toEqual({
        status: 'IGNORED',
        recordId: 2,
        originalId: 1,
      });
      expect(await store.records.append(arrivalOf(key, { externalId: 'a', object: { total: 12.05 } }))).toEqual({
        status: 'ERROR',
        recordId: 3,
        originalId: 1,
        differences: ['/object/total'],
      });
    });

    test('a resend is compared with the original, never with an ERROR in between', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const statuses = [];
      for (const total of [1, 2, 2, 1])
        statuses.push(statusOf(await store.records.append(arrivalOf(key, { externalId: 'a', object: { total } }))));
      expect(statuses).toEqual(['NEW', 'ERROR', 'ERROR', 'IGNORED']);
    });

    test('the same id with another type is ERROR', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      await store.records.append(arrivalOf(key, { externalId: 'a', type: 'sale' }));
      expect(await store.records.append(arrivalOf(key, { externalId: 'a', type: 'refund' }))).toMatchObject({
        status: 'ERROR',
        differences: ['/type'],
      });
    });

    test('an id is NEW once per journal: tills share it, modes and administrations do not', async () => {
      const store = await makeSite().open();
      const first = await makeKey(store, 'Till 1');
      const keys = [
        first,
        await makeKey(store, 'Till 2'),
        await makeKey(store, 'Till 1', { mode: 'test' }),
        await makeKey(store, 'Till 1', { administration: 'Café' }),
      ];
      const outcomes = [];
      for (const key of keys) outcomes.push(statusOf(await store.records.append(arrivalOf(key, { externalId: 'a' }))));
      expect(outcomes).toEqual(['NEW', 'IGNORED', 'NEW', 'NEW']);
    });

    test('of many simultaneous arrivals with one id, one is NEW', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const outcomes = await Promise.all(
        Array.from({ length: 64 }, () => store.records.append(arrivalOf(key, { externalId: 'a' }))),
      );
      expect(outcomes.map(statusOf).toSorted()).toEqual([...Array.from({ length: 63 }, () => 'IGNORED'), 'NEW']);
    });

    test('ids that differ only in case, Unicode form or trailing space are different ids', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      for (const externalId of ['a', 'A', 'a ', '\u00e9', 'e\u0301']) {
        expect(await store.records.append(arrivalOf(key, { externalId }))).toMatchObject({ status: 'NEW' });
      }
    });

    test('a repeated record is IGNORED after a restart', async () => {
      const site = makeSite();
      const before = await site.open();
      const key = await makeKey(before);
      await before.records.append(arrivalOf(key, { externalId: 'a' }));
      await before.close();
      const after = await site.open();
      expect(await after.records.append(arrivalOf(key, { externalId: 'a' }))).toMatchObject({
        status: 'IGNORED',
        originalId: 1,
      });
    });
  });

  describe('groups', () => {
    test('an arrival that cannot be stored fails alone; the rest of its group is stored', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const arrivals = ['a', 'b', 'c'].map((externalId) => arrivalOf(key, { externalId }));
      const unknownKey = { ...arrivalOf(key, { externalId: 'x' }), keyId: 999 };
      const results = await Promise.allSettled(
        [...arrivals, unknownKey].map((arrival) => store.records.append(arrival)),
      );
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
      expect(await store.records.countStatuses()).toMatchObject([
        { records: { current: { NEW: 3, IGNORED: 0, ERROR: 0 } } },
      ]);
      expect(await store.health.check()).toMatchObject({ records: 3, countFaults: [] });
    });

    test('waiting arrivals are committed before the store closes', async () => {
      const site = makeSite();
      const store = await site.open();
      const key = await makeKey(store);
      const appended = Promise.all(
        Array.from({ length: 500 }, (_, i) => store.records.append(arrivalOf(key, { externalId: `T-${i}` }))),
      );
      await store.close();
      await appended;
      const after = await site.open();
      expect(await after.records.countStatuses()).toMatchObject([{ records: { current: { NEW: 500 } } }]);
    });

    test('arrivals beyond the limit of the queue are refused with store_busy, and not stored', async () => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const results = await Promise.allSettled(
        Array.from({ length: 12_000 }, (_, i) => store.records.append(arrivalOf(key, { externalId: `T-${i}` }))),
      );
      const kept = results.filter(({ status }) => status === 'fulfilled').length;
      const refused = results.filter(
        (result) => result.status === 'rejected' && (result.reason as GatewayError).code === 'store_busy',
      ).length;
      expect(refused).toBeGreaterThan(0);
      expect(kept + refused).toBe(12_000);
      expect(await store.records.countStatuses()).toMatchObject([{ records: { current: { NEW: kept } } }]);
    });
  });

  describe('the refusal log', () => {
    const refusal = refusalOf(1000);

    test('a refusal is listed with the till of its key', async () => {
      const store = await makeSite().open({ now: () => 1000 });
      const key = await makeKey(store, 'Till 7');
      store.records.noteRefusal({ ...refusal, keyId: key.id });
      expect(await store.records.listRefusals(10)).toMatchObject([{ label: 'Till 7', code: 'key_unknown' }]);
    });

    test('refusals are dropped after thirty days', async () => {
      let now = 1000;
      const store = await makeSite().open({ now: () => now });
      store.records.noteRefusal(refusal);
      expect(await store.records.listRefusals(10)).toHaveLength(1);
      now = 1000 + 30 * 86_400_000 + 1;
      store.records.noteRefusal({ ...refusal, at: now });
      expect(await store.records.listRefusals(10)).toMatchObject([{ at: now }]);
    });

    test('a flood of refusals fills no memory, and is counted', async () => {
      const store = await makeSite().open();
      for (let i = 0; i < 5000; i++) store.records.noteRefusal({ ...refusal, at: Date.now() });
      const listed = await store.records.listRefusals(5000);
      expect(listed).toHaveLength(1001);
      expect(listed[0]).toMatchObject({ calls: 4000 });
    });
  });

  describe('reading', () => {
    const FROM = 1_760_000_000;
    const BODY = '{"type":"sale","external_id":"c","timestamp":"2025-10-09T08:53:20Z","object":{"text":"é"}}';

    /** Sells A to D, one second apart, and sends A again. */
    async function sellSome() {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const recordIds: number[] = [];
      for (const [n, externalId] of ['a', 'b', 'c', 'd', 'a'].entries()) {
        const arrival = arrivalOf(key, { externalId, type: n === 1 ? 'refund' : 'sale', soldAt: FROM + (n % 4) });
        const body = externalId === 'c' ? Buffer.from(BODY) : arrival.body;
        recordIds.push((await store.records.append({ ...arrival, body })).recordId);
      }
      return { records: store.records, store, key, recordIds };
    }

    test('a store without records returns empty answers', async () => {
      const { records, setup } = await makeSite().open();
      const journalId = 1;
      expect(await records.countStatuses()).toEqual([]);
      expect(await records.list({ limit: 10 })).toEqual([]);
      expect(await records.search({ journalId, order: 'newest', limit: 10 })).toMatchObject({
        records: [],
        next: undefined,
      });
      const range = { from: FROM, to: FROM + 10 };
      expect(await records.queryRange({ journalId, range, type: undefined, limit: 10 })).toMatchObject({
        count: 0,
        rows: [],
        continuation: undefined,
      });
      expect(await records.get(1)).toBeUndefined();
      expect(await records.getBody(1)).toBeUndefined();
      expect(await records.getExcerpts([1], 10)).toEqual(new Map());
      expect(await records.listRefusals(10)).toEqual([]);
      expect(await records.groupRefusals({ journalId, since: 0, limit: 10 })).toEqual([]);
      expect(await records.listUnusualForms()).toEqual([]);
      expect(records.unwrittenRefusals()).toBe(0);
      expect(await setup.listKeys()).toEqual([]);
    });

    test('statuses are counted for every journal, even one without records', async () => {
      const { records, store } = await sellSome();
      await makeKey(store, 'Till 1', { mode: 'test' });
      const none = { NEW: 0, IGNORED: 0, ERROR: 0 };
      expect(await records.countStatuses()).toEqual([
        {
          administration: 'Bakery',
          mode: 'production',
          records: { current: { NEW: 4, IGNORED: 1, ERROR: 0 }, earlier: none },
        },
        { administration: 'Bakery', mode: 'test', records: { current: none, earlier: none } },
      ]);
    });

    test('a list is newest first, page by page', async () => {
      const { records, recordIds } = await sellSome();
      const newest = recordIds.toReversed();
      const first = await records.list({ limit: 3 });
      expect(first.map(({ recordId }) => recordId)).toEqual(newest.slice(0, 3));
      const next = await records.list({ limit: 3, beforeId: first.at(-1)?.recordId });
      expect(next.map(({ recordId }) => recordId)).toEqual(newest.slice(3));
      expect((await records.list({ status: 'IGNORED', limit: 3 })).map(({ externalId }) => externalId)).toEqual(['a']);
      expect((await records.list({ externalId: 'b', limit: 3 })).map(({ type }) => type)).toEqual(['refund']);
    });

    test.each([
      ['newest', ['d', 'c', 'b', 'a', 'a']],
      ['oldest', ['a', 'a', 'b', 'c', 'd']],
    ] as const)('a search by sale is ordered with the %s first, page by page', async (order, ids) => {
      const { records, key } = await sellSome();
      const found: string[] = [];
      let after;
      do {
        const page = await records.search({ journalId: key.journalId, order, limit: 2, after });
        found.push(...page.records.map(({ externalId }) => externalId));
        after = page.next;
      } while (after !== undefined);
      expect(found).toEqual(ids);
    });

    test('a search by the beginning of an id is ordered by id', async () => {
      const { records, key } = await sellSome();
      const search = { journalId: key.journalId, order: 'newest', limit: 10 } as const;
      const idsOf = async (idPrefix: string) =>
        (await records.search({ ...search, idPrefix })).records.map(({ externalId }) => externalId);
      expect(await idsOf('')).toEqual(['a', 'a', 'b', 'c', 'd']);
      expect(await idsOf('b')).toEqual(['b']);
      expect(await idsOf('x')).toEqual([]);
    });

    test('a range query pages through the set of its first page, even if records arrive meanwhile', async () => {
      const { records, key } = await sellSome();
      const query = { journalId: key.journalId, range: { from: FROM, to: FROM + 4 }, type: 'sale', limit: 2 };
      const first = await records.queryRange(query);
      expect(first).toMatchObject({ count: 3, rows: [{ externalId: 'a' }, { externalId: 'c' }] });
      await records.append(arrivalOf(key, { externalId: 'late', soldAt: FROM + 3 }));
      const second = await records.queryRange({ ...query, continuation: first.continuation });
      expect(second).toMatchObject({ count: 3, rows: [{ externalId: 'd' }], continuation: undefined });
      expect(await records.queryRange({ ...query, limit: 0 })).toMatchObject({ count: 4, rows: [] });
    });

    test('a body is returned byte for byte, as a whole or up to a limit', async () => {
      const { records, recordIds } = await sellSome();
      const id = recordIds[2] ?? 0;
      expect(Buffer.from((await records.getBody(id)) ?? []).toString()).toBe(BODY);
      const excerpts = await records.getExcerpts([id, 999], 7);
      expect([...excerpts.keys()]).toEqual([id]);
      expect(excerpts.get(id)).toMatchObject({ head: Uint8Array.from(Buffer.from(BODY.slice(0, 7))) });
    });

    test('the secret of cursors stays the same after a restart', async () => {
      const site = makeSite();
      const before = await site.open();
      const secret = Buffer.from(before.records.cursorSecret);
      await before.close();
      expect(secret.byteLength).toBeGreaterThanOrEqual(32);
      expect(Buffer.from((await site.open()).records.cursorSecret)).toEqual(secret);
    });

    test('a key without running comparisons has room', async () => {
      const { records, key } = await sellSome();
      expect(records.waitForRoom(key.id)).toBeUndefined();
    });
  });

  describe('unusual forms', () => {
    const offset = (example: string) => ({ form: 'timestamp_offset', example }) as const;

    test('are counted by key and form, with the newest example, and survive a restart', async () => {
      const site = makeSite();
      const store = await site.open();
      const key = await makeKey(store);
      store.records.noteUnusualForms(key.id, 1000, [offset('a')]);
      store.records.noteUnusualForms(key.id, 2000, [offset('b'), { form: 'timestamp_fraction', example: 'c' }]);
      await store.close();
      const { records } = await site.open();
      expect(await records.listUnusualForms()).toEqual([
        { keyId: key.id, form: 'timestamp_fraction', calls: 1, firstAt: 2000, lastAt: 2000, example: 'c' },
        { keyId: key.id, form: 'timestamp_offset', calls: 2, firstAt: 1000, lastAt: 2000, example: 'b' },
      ]);
    });
  });
});
