// The store on a disk that is really full.

import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { openGateway } from '../../server/gateway.ts';
import { openStore } from '../../server/store/open-store.ts';
import type { Store } from '../../server/store/store.ts';
import { call } from '../support/http-call.ts';
import { DATABASE, killGatewayAfter, WAL } from '../support/killed-gateway.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { arrivalOf, makeKey, openTemporaryStore, refusalOf, settleRecords } from '../support/temp-store.ts';

const NOT_RUN = 'not run: mounting a small disk needs root on Linux';

/** Opens a store on a small disk, with an upstream for its lane and a reserve file. */
async function openOnSmallDisk(disk: string) {
  const dataDir = join(disk, 'data');
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  const upstream = { url: 'https://up.example', token: 'prod_there' };
  const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
  await store.outbox.performAct(lane, { kind: 'set upstream', upstream }, 'test');
  const reserve = join(dataDir, 'disk.reserve');
  const hasReserve = (): boolean => existsSync(reserve) && statSync(reserve).size >= 200_000;
  await expect.poll(hasReserve).toBe(true);
  const filler = join(disk, 'filler');
  const laneId = store.outbox.lanes().find(({ interface: by }) => by === 'current')!.id;

  /** Sells until the disk is full. Resolves to the accepted ids and the last error. */
  async function fill(): Promise<{ kept: string[]; refusal: unknown }> {
    writeFileSync(filler, Buffer.alloc(7 * 1024 * 1024));
    const kept: string[] = [];
    for (let i = 0; i < 400; i++) {
      const externalId = `T-${i}`;
      try {
        await store.records.append(arrivalOf(key, { externalId, object: { text: 'x'.repeat(20_000) } }));
        kept.push(externalId);
      } catch (refusal) {
        return { kept, refusal };
      }
    }
    throw new Error('the disk took everything');
  }
  return { dataDir, store, key, laneId, hasReserve, fill, free: () => rmSync(filler) };
}

/** Retries a write until it succeeds, as the gateway does for deliveries and signatures. */
async function expectDone(work: () => Promise<unknown>): Promise<void> {
  await expect.poll(() => work().then(() => 'done', String)).toBe('done');
}

function expectSound(store: Store): Promise<void> {
  return expect(store.health.check()).resolves.toMatchObject({
    structure: [],
    damagedRecords: [],
    countFaults: [],
    deliveryFaults: [],
  });
}

describe('a full disk', () => {
  test('is answered with store_full, loses no acknowledged sale, and recovers as soon as there is space', async ({
    skip,
  }) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return skip(NOT_RUN);
    const { store, key, fill, free } = await openOnSmallDisk(disk);
    const { kept, refusal } = await fill();
    expect(refusal).toMatchObject({ code: 'store_full', retryAfterSeconds: 2 });
    expect(kept.length).toBeGreaterThan(0);
    expect(await store.records.countStatuses()).toMatchObject([{ records: { current: { NEW: kept.length } } }]);

    free();
    await expect.poll(() => store.health.trouble()).toBeUndefined();
    expect(await store.records.append(arrivalOf(key, { externalId: 'after' }))).toMatchObject({ status: 'NEW' });
    const records = await store.records.list({ limit: 1000 });
    expect(records.map(({ externalId }) => externalId).toSorted()).toEqual([...kept, 'after'].toSorted());
    await expectSound(store);
  });

  test('has a reserve: deliveries are settled, days are signed and keys are made while sales are refused', async ({
    skip,
  }) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return skip(NOT_RUN);
    const { store, key, laneId, fill, free, hasReserve } = await openOnSmallDisk(disk);
    const { kept } = await fill();

    const ids = (await store.records.list({ limit: 1000 })).map(({ recordId }) => recordId);
    await expectDone(() => settleRecords(store, laneId, ids, { state: 'delivered' }));
    const { journalId } = key;
    const signed = {
      kind: 'sign off',
      verdict: 'complete',
      here: 1,
      earlier: 0,
      declared: null,
      declaredAmounts: [],
      reasons: [],
      name: 'Ann',
      note: '',
    } as const;
    const signOff = { ...signed, journalId, date: '2025-10-09', actor: 'test', at: 1 } as const;
    await expectDone(() => store.verdicts.addSignOff(signOff));
    await expectDone(() => makeKey(store, 'Till 2'));
    expect(await store.outbox.listLaneStatus()).toContainEqual(
      expect.objectContaining({ id: laneId, waiting: 0, delivered: kept.length }),
    );
    expect(store.health.trouble()).toMatchObject({ code: 'store_full' });
    await expect(store.records.append(arrivalOf(key, { externalId: 'too early' }))).rejects.toMatchObject({
      code: 'store_full',
    });
    expect(hasReserve()).toBe(false);

    free();
    await expect.poll(() => store.health.trouble()).toBeUndefined();
    await expect.poll(hasReserve).toBe(true);
    await expectSound(store);
  });

  test('keeps its refusals in memory, bounded and counted, and writes them when there is space', async ({ skip }) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return skip(NOT_RUN);
    const { store, key, fill, free } = await openOnSmallDisk(disk);
    const { refusal } = await fill();
    expect(refusal).toMatchObject({ code: 'store_full' });
    for (let i = 0; i < 3000; i++)
      store.records.noteRefusal(refusalOf(Date.now(), { code: 'store_full', keyId: i % 2 === 0 ? key.id : null }));
    for (let i = 0; i < 3000; i++) store.records.noteRefusal(refusalOf(Date.now(), { address: `192.0.2.${i}` }));
    await expect.poll(() => store.health.trouble()).toBeDefined();
    expect(store.records.unwrittenRefusals()).toBe(6000);
    expect(await store.records.listRefusals(10)).toEqual([]);

    free();
    const read = () => store.records.groupRefusals({ journalId: key.journalId, since: 0, limit: 10_000 });
    await expect.poll(read).not.toEqual([]);
    expect(store.records.unwrittenRefusals()).toBe(0);
    const groups = await read();
    const count = (code: string, till: string | null): number =>
      groups.filter((each) => each.code === code && each.till === till).reduce((sum, { calls }) => sum + calls, 0);
    expect([count('store_full', 'Till 1'), count('store_full', null), count('key_unknown', null)]).toEqual([
      1500, 1500, 3000,
    ]);
    expect((await store.records.listRefusals(100_000)).length).toBeLessThan(2200);
  });

  test('at the start releases the reserve, opens, and accepts sales once there is space', async ({ skip }) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return skip(NOT_RUN);
    const { dataDir, store, key, free } = await openOnSmallDisk(disk);
    await store.close();
    // Fills the disk, so that only the space of the reserve file can be freed.
    expect(() => writeFileSync(join(disk, 'filler'), Buffer.alloc(16 * 1024 * 1024))).toThrow(/ENOSPC/);

    const again = await openStore({ dataDir, role: 'gateway' });
    try {
      expect(again.health.trouble()).toMatchObject({ code: 'store_full' });
      await expect(again.records.append(arrivalOf(key, { externalId: 'a' }))).rejects.toMatchObject({
        code: 'store_full',
      });
      expect(await again.records.countStatuses()).toMatchObject([{ records: { current: { NEW: 0 } } }]);
      free();
      await expect.poll(() => again.health.trouble()).toBeUndefined();
      expect(await again.records.append(arrivalOf(key, { externalId: 'a' }))).toMatchObject({ status: 'NEW' });
    } finally {
      await again.close();
    }
  });
});

test.each([
  ['with room for the index of the log only', 40_000],
  ['without any room, with the index of the killed gateway', 0],
])(
  'a full disk with a log and no reserve opens for reading, %s, and accepts sales once there is space',
  async (_name, room) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return;
    const killed = await killGatewayAfter(200, { size: 3000 });
    const dataDir = join(disk, 'data');
    mkdirSync(join(dataDir), { mode: 0o700 });
    for (const name of [DATABASE, WAL]) copyFileSync(join(killed.dataDir, name), join(dataDir, name));
    for (const name of ['owner.lock', ...(room === 0 ? ['counterfoil.db-shm'] : [])])
      writeFileSync(join(dataDir, name), Buffer.alloc(name === 'owner.lock' ? 0 : 32_768));
    const filler = join(disk, 'filler');
    expect(() => writeFileSync(filler, Buffer.alloc(16 * 1024 * 1024))).toThrow(/ENOSPC/);
    truncateSync(filler, statSync(filler).size - room);

    const gateway = await openGateway(
      {
        dataDir,
        host: '127.0.0.1',
        port: 0,
        consoleHost: '127.0.0.1',
        consolePort: 0,
        logLevel: 'info',
        baseDomain: '',
        connectionsPerAddress: 64,
        settings: [],
      } as never,
      () => {},
    );
    try {
      const { store } = gateway;
      expect(store.health.trouble()).toMatchObject({ code: 'store_full' });
      expect(await store.records.countStatuses()).toMatchObject([{ records: { current: { NEW: 200 } } }]);
      expect(await call(`${gateway.consoleUrl}/health`)).toMatchObject({ status: 503 });
      rmSync(filler);
      await expect.poll(() => store.health.trouble()).toBeUndefined();
      expect(
        await store.records.append(arrivalOf(await makeKey(store, 'Till 2'), { externalId: 'after' })),
      ).toMatchObject({
        status: 'NEW',
      });
      await expectSound(store);
    } finally {
      await gateway.close();
    }
  },
);

test('a small disk has a smaller reserve', async ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip(NOT_RUN);
  const { dataDir } = await openOnSmallDisk(disk);
  expect(statSync(join(dataDir, 'disk.reserve')).size).toBeLessThan(0.03 * 12 * 1024 * 1024);
});
