// The outbox: what waits on a lane, what becomes of it, and what a lane reports.

import { describe, expect, test } from 'vitest';

import type { Store } from '../../../../server/store/store.ts';
import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

describe.each(engines)('the outbox on $name', ({ makeSite }) => {
  describe('a page of waiting records', () => {
    const MIB = 1024 * 1024;

    const MOST = { records: 256, bytes: 4 * MIB };

    /** How many records and bytes each page has, from the first to the last; and all ids in the order they were read. */
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
      ['of very large records no more than one beyond its bytes', 13, MIB - 200],
      ['of large and small ones too', 40, MIB / 3],
      ['of small records as many as it may have', 600, 10],
    ])('a page has %s, and the pages together are all that waits, in order', async (_name, count, size) => {
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
      // And none is needlessly small.
      for (const page of pages.slice(0, -1))
        expect(page.records === MOST.records || page.bytes > MOST.bytes).toBe(true);
    });
  });
});
