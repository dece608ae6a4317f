// A store is backed up under load, lost, and restored on another machine. Then it forwards again, without a second effect.
// COUNTERFOIL_RESTORE_RECORDS sets the number of records; a million takes some minutes.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { openStore as openData } from '../../server/store/open-store.ts';
import { fillStore } from '../bench/fill.ts';
import { passOf, windowOf } from '../support/console.ts';
import { bodyOf, call, postBody } from '../support/http-call.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { waitUntil } from '../support/wait-until.ts';
import { expectInEffect, LANE, laneOf, openStore } from './lane.ts';
import { openTestSite } from './test-site.ts';

const RECORDS = Number(process.env['COUNTERFOIL_RESTORE_RECORDS'] ?? 5000);

/** Posts sales with these ids, and keeps their bodies. */
async function sell(url: string, key: string, ids: readonly string[], bodies: Map<string, string>): Promise<void> {
  for (const id of ids) {
    const body = bodyOf({ external_id: id, object: `{ "id": "${id}" }` });
    expect((await postBody(url, key, body)).status).toBe(201);
    bodies.set(id, body);
  }
}

const range = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`);

test('sales that the old gateway forwards after the backup are not sent again by the restored one', async ({
  onTestFinished,
}) => {
  const { site: old, key, upstream } = await openStore(onTestFinished, 'accept');
  const bodies = new Map<string, string>();
  const gateway = await old.startGateway();
  await sell(gateway.url, key, range('delivered', 20), bodies);
  await upstream.waitUntil(({ records }) => records === 20);
  await upstream.setScript('down');
  await sell(gateway.url, key, range('waiting', 30), bodies);
  const file = join(temporaryFolder(), 'backup.db');
  expect(await old.run('backup', file)).toMatchObject({ code: 0 });
  // Of the waiting sales, the old gateway still sends some; then its machine is lost.
  await upstream.setScript('accept x10, down');
  await old.run('upstream', 'try-now', ...LANE);
  await upstream.waitUntil(({ records }) => records === 30);
  gateway.kill('SIGKILL');
  await gateway.exited;
  const sent = upstream.effects.map(({ id }) => id);

  await upstream.setScript('accept');
  const site = await openTestSite(onTestFinished);
  expect(await site.runJson('restore', file)).toMatchObject({
    records: 50,
    set_aside: null,
    since: [{ administration: 'Bakery', mode: 'test', upstream: expect.any(Number) }],
    confirmed: false,
  });
  const restored = await site.startGateway();
  await sell(restored.url, key, range('new', 5), bodies);
  expect(await laneOf(site)).toMatchObject({ state: 'paused', waiting: 35 });
  expect(upstream.summary().records).toBe(30);

  expect(await site.run('restore', '--new-identity')).toMatchObject({ code: 0 });
  await upstream.waitUntil(({ records }) => records === 55);
  await expect.poll(() => laneOf(site)).toMatchObject({ state: 'running', waiting: 0, delivered: 55 });
  expectInEffect(upstream, bodies);
  for (const { id, statuses } of upstream.effects)
    if (sent.includes(id)) expect(statuses).toMatchObject({ IGNORED: 0 });
  await restored.stop();
});

/** Stores that the upstream has accepted all records. */
async function deliverAll(dataDir: string): Promise<void> {
  const store = await openData({ dataDir, role: 'gateway' });
  const lane = store.outbox.lanes().find(({ interface: by }) => by === 'current')!;
  for (let after = 0, hasMore = true; hasMore;) {
    const page = await store.outbox.listWaiting(lane.id, after);
    const answer = {
      attempts: 1,
      answeredAt: Date.now(),
      answerStatus: 201,
      answer: null,
      upstreamStatus: 'NEW',
    } as const;
    await store.outbox.settle(
      lane.id,
      page.records.map(({ recordId, status, soldAt }) => ({ recordId, status, soldAt, state: 'delivered', ...answer })),
    );
    ({ last: after, hasMore } = page);
  }
  await store.close();
}

test(
  `a store of ${RECORDS} records is backed up under load, and restored on an empty machine`,
  { timeout: 900_000 },
  async ({ onTestFinished }) => {
    const { site: old, key, upstream } = await openStore(onTestFinished, 'accept');
    await fillStore(old.dataDir, RECORDS);
    await deliverAll(old.dataDir);
    const gateway = await old.startGateway();
    const bodies = new Map<string, string>();
    const file = join(temporaryFolder(), 'backup.db');
    let isBackedUp = false;
    const slowest = { ms: 0 };
    const selling = (async () => {
      for (let i = 1; !isBackedUp; i++) {
        const began = performance.now();
        await sell(gateway.url, key, [`load-${i}`], bodies);
        slowest.ms = Math.max(slowest.ms, performance.now() - began);
      }
    })();
    const startedAt = performance.now();
    expect(await old.run('backup', file)).toMatchObject({ code: 0, stderr: '' });
    const backedUpAt = performance.now();
    isBackedUp = true;
    await selling;
    await upstream.waitUntil(({ records }) => records === bodies.size);
    await gateway.stop();

    const site = await openTestSite(onTestFinished);
    const beganAt = performance.now();
    const { records } = (await site.runJson('restore', file, '--new-identity')) as { records: number };
    const restoredAt = performance.now();
    const restored = await site.startGateway();
    const readyAt = performance.now();
    await sell(restored.url, key, ['after'], bodies);
    await upstream.waitUntil((summary) => summary.records === bodies.size);
    const forwardedAt = performance.now();
    expect(records).toBeGreaterThanOrEqual(RECORDS);
    await expect.poll(() => laneOf(site)).toMatchObject({ state: 'running', waiting: 0 });
    expectInEffect(upstream, bodies);
    for (const { statuses } of upstream.effects) expect(statuses).toMatchObject({ IGNORED: 0 });
    await restored.stop();
    const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(1)} s`;
    console.log(
      `${records} records: backed up in ${seconds(startedAt, backedUpAt)} with ${bodies.size} sales at the same time (slowest answer ${slowest.ms.toFixed(0)} ms), restored in ${seconds(beganAt, restoredAt)}, ready after ${seconds(restoredAt, readyAt)}, forwards after ${seconds(readyAt, forwardedAt)}`,
    );
  },
);

test.each(['check', 'confirmation', 'restore', 'first refused sale'] as const)(
  'a gateway that is killed at the %s of a restore in the console has all data of one side',
  async (moment) => {
    const { site, key } = await openStore(onTestFinished, 'accept');
    const folder = temporaryFolder();
    const gateway = await site.startGateway(0, '--backup-folder', folder);
    await sell(gateway.url, key, ['before'], new Map());
    expect(await site.run('backup', join(folder, 'monday.db'))).toMatchObject({ code: 0 });
    await sell(gateway.url, key, ['after'], new Map());
    const { link } = (await site.runJson('console')) as { link: string };
    const window = windowOf(gateway, passOf(await call(link)));
    await window.send('POST', '/api/restore/check', { name: 'monday.db', isUploaded: false });
    if (moment !== 'check') {
      await waitUntil(async () => (await window.get('/api/restore')).text.includes('"checked"'));
      if (moment !== 'confirmation') await window.send('POST', '/api/restore', { isOnlyGateway: true });
      if (moment === 'first refused sale')
        await waitUntil(
          async () => (await postBody(gateway.url, key, bodyOf({ external_id: 'before' }))).status === 503,
          1,
        ).catch(() => undefined);
    }
    gateway.kill('SIGKILL');
    await gateway.exited;

    const again = await site.startGateway();
    const records = (await site.runJson('records')) as readonly { readonly external_id: string }[];
    const ids = [...new Set(records.map(({ external_id: id }) => id))].toSorted();
    const isRestored = readdirSync(site.dataDir).some((name) => name.includes('before-restore'));
    expect(ids).toEqual(isRestored ? ['before'] : ['after', 'before']);
    if (moment === 'check' || moment === 'confirmation') expect(isRestored).toBe(false);
    expect(readdirSync(site.dataDir).filter((name) => name.includes('.new-'))).toEqual([]);
    await sell(again.url, key, ['later'], new Map());
    again.kill('SIGTERM');
    await again.exited; // with the message about the restore
  },
);
