// What the store does when the disk is really full.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { mountSmallDisk } from '../../support/small-disk.ts';
import { arrivalOf, makeKey, openTemporaryStore } from '../../support/temp-store.ts';

describe('a full disk', () => {
  test('is answered with store_full, loses nothing that was answered, and is over as soon as there is space', async (context) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return context.skip('not run: mounting a small disk needs root on Linux');
    const store = await openTemporaryStore({ dataDir: join(disk, 'data') });
    const key = await makeKey(store);
    const filler = join(disk, 'filler');
    writeFileSync(filler, Buffer.alloc(7 * 1024 * 1024));

    const kept: string[] = [];
    let refusal: unknown;
    for (let i = 0; i < 400 && refusal === undefined; i++) {
      const externalId = `T-${i}`;
      await store.append(arrivalOf(key, { externalId, object: { text: 'x'.repeat(20_000) } })).then(
        () => kept.push(externalId),
        (error: unknown) => (refusal = error),
      );
    }
    expect(refusal).toMatchObject({ code: 'store_full', retryAfterSeconds: 2 });
    expect(kept.length).toBeGreaterThan(0);
    expect(await store.countStatuses()).toMatchObject([{ records: { current: { NEW: kept.length } } }]);

    rmSync(filler);
    await expect.poll(() => store.trouble(), { timeout: 5000 }).toBeUndefined();
    expect(await store.append(arrivalOf(key, { externalId: 'after' }))).toMatchObject({ status: 'NEW' });
    const records = await store.listRecords({ limit: 1000 });
    expect(records.map(({ externalId }) => externalId).toSorted()).toEqual([...kept, 'after'].toSorted());
    expect(await store.check()).toMatchObject({ structure: [], damagedRecords: [], countFaults: [] });
  });
});
