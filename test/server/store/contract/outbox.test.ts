// The outbox: the waiting records of a lane, their outcomes, and what the lane reports.

import { describe, expect, test, vi } from 'vitest';

import { causeOf } from '../../../../server/cause.ts';
import type { LaneName, WaitingChoice } from '../../../../server/store/outbox/ledger.ts';
import type { Store } from '../../../../server/store/store.ts';
import { arrivalOf, makeKey, settleRecords } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

describe.each(engines)('the outbox on $name', ({ makeSite }) => {
  describe('a page of waiting records', () => {
    const MIB = 1024 * 1024;

    const MOST = { records: 256, bytes: 4 * MIB };

    /**
     * Reads all waiting records of a lane. Returns the number of records and bytes of each batch, and the ids in reading order.
     */
    async function readPages(store: Store, laneId: number) {
      const pages: { records: number; bytes: number }[] = [];
      const ids: number[] = [];
      let page;
      do {
        page = await store.outbox.listWaiting(laneId, page?.last ?? 0);
        ids.push(...page.records.map(({ recordId }) => recordId));
        const bytes = page.records.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
        pages.push({ records: page.records.length, bytes });
      } while (page.hasMore);
      return { pages, ids };
    }

    test.each([
      ['very large records, and at most one beyond its bytes', 13, MIB - 200],
      ['large and small records', 40, MIB / 3],
      ['small records up to the maximum number', 600, 10],
    ])('a page has %s, and the pages together have all waiting records, in order', async (_name, count, size) => {
      const store = await makeSite().open();
      const key = await makeKey(store);
      const appended: number[] = [];
      const sizes: number[] = [];
      for (let i = 0; i < count; i++) {
        const text = 'x'.repeat(i % 5 === 4 ? 10 : size);
        const arrival = arrivalOf(key, { externalId: `T-${i}`, object: { text } });
        sizes.push(arrival.body.length);
        appended.push((await store.records.append(arrival)).recordId);
      }
      const lane = store.outbox
        .lanes()
        .find(({ journalId, interface: by }) => journalId === key.journalId && by === 'current');
      const { pages, ids } = await readPages(store, lane?.id ?? 0);
      expect(ids).toEqual(appended);
      expect(pages.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sizes.reduce((sum, each) => sum + each, 0));
      const largest = Math.max(...sizes);
      for (const page of pages) {
        expect(page.records).toBeLessThanOrEqual(MOST.records);
        expect(page.bytes).toBeLessThanOrEqual(MOST.bytes + largest);
      }
      // Each batch except the last is full.
      for (const page of pages.slice(0, -1))
        expect(page.records === MOST.records || page.bytes > MOST.bytes).toBe(true);
    });
  });

  const LANE = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
  const EARLIER = { ...LANE, interface: 'earlier' } as const;
  const UPSTREAM = { url: 'https://upstream.example', token: 'prod_there' };
  const END_POINT = { version: 'v1', resource: 'transaction' };

  async function open(site = makeSite()) {
    const store = await site.open();
    const { outbox, records } = store;
    const key = (await store.setup.listKeys())[0] ?? (await makeKey(store));
    const idOf = (name: LaneName): number =>
      outbox.lanes().find((lane) => lane.mode === name.mode && lane.interface === name.interface)?.id ?? 0;
    const sell = async (externalId: string, endPoint?: { version: string; resource: string }): Promise<number> => {
      const arrival = arrivalOf(key, { externalId, ...(endPoint && { type: endPoint.resource }) });
      const earlier = endPoint && ({ version: endPoint.version, method: 'POST' } as const);
      return (await records.append({ ...arrival, earlier })).recordId;
    };
    const waiting = async (lane = LANE as LaneName): Promise<number[]> =>
      (await outbox.listWaiting(idOf(lane), 0)).records.map(({ recordId }) => recordId);
    const statusOf = async (lane = LANE as LaneName) =>
      (await outbox.listLaneStatus()).find(({ id }) => id === idOf(lane));
    return { store, outbox, key, sell, waiting, statusOf, laneId: idOf(LANE), earlierId: idOf(EARLIER) };
  }

  describe('waiting records', () => {
    test('of an empty lane are an empty page, and a lookup finds none', async () => {
      const { outbox, laneId } = await open();
      expect(await outbox.listWaiting(laneId, 0)).toEqual({
        records: [],
        last: 0,
        hasMore: false,
        hasPassedOver: false,
      });
      expect(await outbox.findWaiting(laneId, 0.5)).toBeUndefined();
      expect(await outbox.holdsRecords(laneId, { kind: 'held' })).toBe(false);
    });

    test('are found from a position, oldest to newest', async () => {
      const { outbox, laneId, sell } = await open();
      const ids = [await sell('a'), await sell('b'), await sell('c')];
      for (const [place, recordId] of [
        [0, ids[0]],
        [0.5, ids[1]],
        [1, ids[2]],
      ] as const)
        expect(await outbox.findWaiting(laneId, place)).toMatchObject({ recordId });
    });

    test('can be limited to one end point, or exclude some', async () => {
      const { outbox, earlierId, sell } = await open();
      const other = { version: 'v2', resource: 'refund' };
      const [one, two] = [await sell('a', END_POINT), await sell('b', other)];
      const listOf = async (choice: WaitingChoice) =>
        (await outbox.listWaiting(earlierId, 0, choice)).records.map(({ recordId }) => recordId);
      expect(await listOf({ only: END_POINT })).toEqual([one]);
      expect(await listOf({ except: [END_POINT] })).toEqual([two]);
      expect(await listOf({ except: [] })).toEqual([one, two]);
      expect(await outbox.findWaiting(earlierId, 0, { only: other })).toMatchObject({ recordId: two });
    });

    test('do not include a duplicate until its original was delivered', async () => {
      const { store, outbox, laneId, sell, waiting } = await open();
      await store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED'] }, 'test');
      const [original, duplicate] = [await sell('a'), await sell('a')];
      expect(await outbox.listWaiting(laneId, 0)).toMatchObject({
        records: [{ recordId: original }],
        last: duplicate,
        hasPassedOver: true,
      });
      await settleRecords(store, laneId, [original], { state: 'delivered' });
      expect(await waiting()).toEqual([duplicate]);
    });
  });

  describe('settling', () => {
    test('counts each record once; a record that does not wait is returned and stays unchanged', async () => {
      const { store, laneId, sell, statusOf } = await open();
      const ids = [await sell('a'), await sell('b'), await sell('c')];
      const deliveriesSettled = vi.fn<(laneId: number) => void>();
      store.watch({ deliveriesSettled });
      const settled = { state: 'delivered', answeredAt: 5000 } as const;
      expect(await settleRecords(store, laneId, ids.slice(0, 2), settled)).toEqual([]);
      expect(await settleRecords(store, laneId, ids.slice(0, 2), { state: 'held' })).toEqual(ids.slice(0, 2));
      expect(await statusOf()).toMatchObject({ waiting: 1, delivered: 2, held: 0, deliveredAt: 5000 });
      expect(deliveriesSettled).toHaveBeenCalledWith(laneId);
    });

    test('zero records changes nothing', async () => {
      const { outbox, laneId, sell, statusOf } = await open();
      await sell('a');
      expect(await outbox.settle(laneId, [])).toEqual([]);
      expect(await statusOf()).toMatchObject({ waiting: 1 });
    });

    test('a failed attempt leaves the record waiting, with the number of attempts increased', async () => {
      const { store, laneId, sell, waiting } = await open();
      const id = await sell('a');
      for (const attempts of [1, 2]) await settleRecords(store, laneId, [id], { state: 'waiting', attempts });
      expect(await waiting()).toEqual([id]);
      expect((await store.records.get(id))?.record.delivery).toMatchObject({ state: 'waiting', attempts: 3 });
    });

    test('held records are listed, also by the end point that answered 400', async () => {
      const { store, outbox, earlierId, sell } = await open();
      const id = await sell('a', END_POINT);
      await settleRecords(store, earlierId, [id], { state: 'held', answerStatus: 400 });
      expect(await outbox.holdsRecords(earlierId, { kind: 'held' })).toBe(true);
      const at = { kind: 'held at', ...END_POINT, recordIds: null } as const;
      expect(await outbox.holdsRecords(earlierId, at)).toBe(true);
      expect(await outbox.holdsRecords(earlierId, { ...at, recordIds: [id + 1] })).toBe(false);
      expect(await outbox.holdsRecords(earlierId, { ...at, version: 'v2' })).toBe(false);
    });
  });

  describe('a lane', () => {
    test('exists for each interface of every journal, in the order administration, mode, interface', async () => {
      const { store, outbox } = await open();
      await makeKey(store, 'Till 1', { administration: 'Café', mode: 'test' });
      const names = outbox.lanes().map((lane) => `${lane.administration} ${lane.mode} ${lane.interface}`);
      expect(names).toEqual(names.toSorted());
      expect(names).toContain('Café test earlier');
      expect((await outbox.listLaneStatus()).map(({ id }) => id)).toEqual(outbox.lanes().map(({ id }) => id));
    });

    test('is paused until an upstream is set, and shows the latest notes of the gateway', async () => {
      const { store, outbox, laneId, statusOf } = await open();
      expect(await statusOf()).toMatchObject({ state: 'paused', cause: { code: 'no_upstream' }, url: null });
      expect(await outbox.performAct(LANE, { kind: 'set upstream', upstream: UPSTREAM }, 'Ann')).toMatchObject({
        kind: 'done',
      });
      const laneNoted = vi.fn<(laneId: number) => void>();
      store.watch({ laneNoted });
      const note = {
        state: 'line down',
        cause: causeOf('unreachable', 'ECONNREFUSED'),
        since: 5000,
        perSecond: 0,
      } as const;
      await outbox.noteLane(laneId, note);
      await outbox.noteLane(laneId, note);
      expect(await statusOf()).toMatchObject({ ...note, url: UPSTREAM.url });
      expect(laneNoted).toHaveBeenCalledWith(laneId);
      await expect(outbox.noteLane(999, note)).rejects.toMatchObject({ code: 'internal' });
    });

    test('keeps its upstream, a pause and a request to try now', async () => {
      const site = makeSite();
      const { store, outbox } = await open(site);
      await outbox.performAct(LANE, { kind: 'set upstream', upstream: UPSTREAM }, 'Ann');
      await outbox.performAct(LANE, { kind: 'pause' }, 'Ann');
      await outbox.performAct(LANE, { kind: 'pause' }, 'Ann');
      await store.close();
      const { outbox: again, laneId } = await open(site);
      const lane = () => again.lanes().find(({ id }) => id === laneId);
      expect(lane()).toMatchObject({ upstream: UPSTREAM, isPaused: true, upstreamSetCount: 1, releasedForSet: 0 });
      await again.performAct(LANE, { kind: 'resume' }, 'Ann');
      expect(lane()).toMatchObject({ isPaused: false, triedAt: expect.any(Number) });
    });

    test('keeps the gateways that its records came through, until another upstream is set', async () => {
      const { outbox, key, laneId } = await open();
      const sendersOf = () => outbox.lanes().find(({ id }) => id === laneId)?.senders;
      expect(sendersOf()).toEqual([]);
      await outbox.noteSenders(key.journalId, 'current', ['one', 'two']);
      expect(sendersOf()).toEqual(['one', 'two']);
      await outbox.performAct(LANE, { kind: 'set upstream', upstream: UPSTREAM }, 'Ann');
      expect(sendersOf()).toEqual([]);
    });

    test('stores the upstream for which its held records were released', async () => {
      const { outbox, laneId } = await open();
      await outbox.performAct(LANE, { kind: 'set upstream', upstream: UPSTREAM }, 'Ann');
      await outbox.noteReleased(laneId, 1);
      await outbox.noteReleased(laneId, 1);
      expect(outbox.lanes().find(({ id }) => id === laneId)).toMatchObject({ upstreamSetCount: 1, releasedForSet: 1 });
    });

    test('keeps the state of its end points, replaces it, and forgets all of it on request', async () => {
      const site = makeSite();
      const { store, outbox, earlierId } = await open(site);
      const note = { ...END_POINT, hasPassed: false, isRefused: false, refusedInARow: [3] };
      await outbox.noteEndPoint(earlierId, note);
      await outbox.noteEndPoint(earlierId, { ...note, isRefused: true, refusedInARow: [3, 4] });
      await outbox.noteEndPoint(earlierId, { ...note, resource: 'cancellation', hasPassed: true });
      await store.close();
      const again = await open(site);
      expect(again.outbox.lanes().find(({ id }) => id === earlierId)?.endPoints).toEqual([
        { ...note, resource: 'cancellation', hasPassed: true },
        { ...note, isRefused: true, refusedInARow: [3, 4] },
      ]);
      await again.outbox.forgetEndPoints(earlierId);
      await again.outbox.forgetEndPoints(earlierId);
      await again.store.close();
      const empty = (await open(site)).outbox.lanes().find(({ id }) => id === earlierId);
      expect(empty?.endPoints).toEqual([]);
    });

    test('that does not exist is refused by acts', async () => {
      const { outbox } = await open();
      const nowhere = { ...LANE, administration: 'Café' };
      expect(await outbox.performAct(nowhere, { kind: 'pause' }, 'Ann')).toEqual({ kind: 'unknown lane' });
      const again = { kind: 'send again', records: { kind: 'all' }, delivered: false } as const;
      expect(await outbox.performAct(nowhere, again, 'Ann')).toEqual({ kind: 'unknown lane' });
    });
  });

  describe('acts on records', () => {
    const SET_ALL_ASIDE = { kind: 'set aside', records: { kind: 'all' }, reason: 'typed in twice' } as const;
    const SEND_ALL_AGAIN = { kind: 'send again', records: { kind: 'all' }, delivered: false } as const;

    test('set held records aside and send them again; a repeated act moves nothing', async () => {
      const { store, outbox, laneId, sell, waiting, statusOf } = await open();
      const ids = [await sell('a'), await sell('b'), await sell('c')];
      await settleRecords(store, laneId, ids.slice(0, 2), { state: 'held' });
      for (const records of [2, 0])
        expect(await outbox.performAct(LANE, SET_ALL_ASIDE, 'Ann')).toEqual({ kind: 'done', records });
      expect(await statusOf()).toMatchObject({ waiting: 1, held: 0, setAside: 2 });
      expect((await store.records.get(ids[0] ?? 0))?.record.delivery).toMatchObject({
        state: 'set aside',
        reason: SET_ALL_ASIDE.reason,
      });
      for (const records of [2, 0])
        expect(await outbox.performAct(LANE, SEND_ALL_AGAIN, 'Ann')).toEqual({ kind: 'done', records });
      expect(await waiting()).toEqual(ids);
    });
  });

  describe('outages of a range', () => {
    test('are listed with the records that arrived during each, and the time when the last was delivered', async () => {
      let now = 0;
      const store = await makeSite().open({ now: () => now });
      const key = await makeKey(store);
      await store.outbox.performAct(LANE, { kind: 'set upstream', upstream: UPSTREAM }, 'Ann');
      const laneId = store.outbox.lanes().find(({ interface: by }) => by === 'current')?.id ?? 0;
      const sellAt = async (receivedAt: number): Promise<number> => {
        now = receivedAt;
        return (await store.records.append(arrivalOf(key, { externalId: `T-${receivedAt}`, receivedAt }))).recordId;
      };
      const note = (state: 'running' | 'line down', since: number) =>
        store.outbox.noteLane(laneId, { state, cause: null, since, perSecond: 0 });
      expect(await store.outbox.listOutages(key.journalId, { from: 0, to: 100 })).toEqual([]);

      await sellAt(1000);
      await note('line down', 5000);
      const [one, two] = [await sellAt(6000), await sellAt(7000)];
      await note('running', 8000);
      const list = () => store.outbox.listOutages(key.journalId, { from: 0, to: 100 });
      const outage = { laneId, state: 'line down', cause: null, from: 5000, to: 8000, kept: 2 };
      await settleRecords(store, laneId, [one], { state: 'delivered', answeredAt: 8500 });
      expect(await list()).toEqual([{ ...outage, deliveredBy: null }]);
      await settleRecords(store, laneId, [two], { state: 'delivered', answeredAt: 9000 });
      expect(await list()).toEqual([{ ...outage, deliveredBy: 9000 }]);
      expect(await store.outbox.listOutages(key.journalId, { from: 8, to: 100 })).toEqual([]);
    });
  });
});
