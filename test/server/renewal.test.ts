// A restore in the console: the gateway checks a copy of a backup, then restarts on it within its process. A till gets an answer to
// each call meanwhile.

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { RestorableView, RestoreBegunView, RestoreState, RestoreView } from '../../server/contract/restores.ts';
import { backUp as backUpData } from '../../server/store/data-directory.ts';
import { openStore } from '../../server/store/open-store.ts';
import { makeCertificate } from '../support/certificate.ts';
import { openGivenNetwork } from '../support/console-network.ts';
import { enter, KEPT_PASSWORD, passOf, signIn, type Window, windowOf } from '../support/console.ts';
import { bodyOf, call, postBody } from '../support/http-call.ts';
import { openTestGateway, type TestGateway, type TestSurroundings } from '../support/open-gateway.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../support/temp-store.ts';
import { openStandIn } from '../support/upstream/stand-in.ts';
import { startVirtualTime } from '../support/virtual-time.ts';
import { waitUntil } from '../support/wait-until.ts';

async function openShop(surroundings: TestSurroundings = {}) {
  const folder = temporaryFolder();
  const gateway = await openTestGateway({ backupFolder: folder }, undefined, surroundings);
  onTestFinished(() => gateway.close());
  const window = await enter(gateway);
  return { folder, gateway, window };
}

const sell = (gateway: TestGateway, id: string) =>
  postBody(gateway.apiUrl, gateway.production.secret, bodyOf({ external_id: id }));

async function read<View>(window: Window, path: string): Promise<View> {
  return JSON.parse((await window.get(path)).text) as View;
}

async function stateOnceIdle(window: Window): Promise<RestoreState> {
  return waitUntil(async () => {
    const { state } = await read<RestoreView>(window, '/api/restore');
    return state.kind === 'checking' ? undefined : state;
  });
}

async function backUp(window: Window): Promise<string> {
  await window.send('POST', '/api/backups');
  const { backups } = await waitUntil(async () => {
    const found = await read<RestorableView>(window, '/api/restore/backups');
    return found.backups.some(({ isChecked }) => isChecked) ? found : undefined;
  });
  return backups[0]?.name ?? '';
}

/** Waits until the restarted gateway lets the manager in. */
async function enterAgain(gateway: TestGateway, link: string): Promise<Window> {
  const pass = await waitUntil(async () => {
    const answer = await call(`${gateway.consoleUrl}/enter?code=${link}`).catch(() => undefined);
    return answer && passOf(answer);
  });
  return windowOf(gateway, pass);
}

test('a manager restores a backup, and the gateway continues at the same addresses', async () => {
  const { gateway, window } = await openShop();
  await sell(gateway, 'S-1');
  const name = await backUp(window);
  await sell(gateway, 'S-2');
  expect(await read(window, '/api/restore/backups')).toMatchObject({
    isReadable: true,
    backups: [{ name, records: 1, isChecked: true }],
  });

  expect((await window.send('POST', '/api/restore/check', { name, isUploaded: false })).status).toBe(202);
  expect(await stateOnceIdle(window)).toMatchObject({
    kind: 'checked',
    content: { records: 1, isMigrated: false },
    since: { records: 1, notUpstream: 1, areSameData: true },
  });
  const begun = await window.send('POST', '/api/restore', { isOnlyGateway: true });
  expect(begun.status).toBe(202);
  const statuses = new Set<number>();
  const { link } = JSON.parse(begun.text) as RestoreBegunView;
  const restored = await waitUntil(async () => {
    // a connection that the ending run closes is no answer, and the till calls again
    const answer = await sell(gateway, 'S-1').catch(() => undefined);
    statuses.add(answer?.status ?? 503);
    if (answer?.status === 503) expect(answer.headers['retry-after']).toBe('5');
    const session = await window.get('/api/session').catch(() => undefined);
    return session?.status === 401;
  }).then(() => enterAgain(gateway, link));
  expect([...statuses].filter((status) => ![200, 503].includes(status))).toEqual([]);

  const { last } = await read<RestoreView>(restored, '/api/restore');
  expect(last).toEqual({ kind: 'done', setAside: expect.stringMatching(/^counterfoil\.db\.before-restore-/) });
  expect(existsSync(join(gateway.dataDir, last?.kind === 'done' ? last.setAside : ''))).toBe(true);
  expect((await sell(gateway, 'S-2')).status).toBe(201);
  expect((await restored.get('/api/acts')).text).toContain('"confirm restore"');
});

/** A backup of another shop, which has no users. */
async function backUpOther(folder: string): Promise<string> {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await store.records.append(arrivalOf(await makeKey(store), { externalId: 'other' }));
  const file = join(folder, 'other.db');
  await backUpData(dataDir, file);
  return file;
}

test('an empty gateway asks the upstreams of the backup for newer sales, and names one whose key is encrypted', async () => {
  const upstream = await openStandIn();
  onTestFinished(() => upstream.close());
  const sealKey = randomBytes(32);
  const { gateway, folder, window } = await openShop({ sealKey });
  const ask = async (name: string, sealedWith?: Uint8Array): Promise<unknown> => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir, sealKey: sealedWith });
    await store.records.append(
      arrivalOf(await makeKey(store, 'Till 1', { administration: 'Café' }), { externalId: 'before' }),
    );
    const lane = { administration: 'Café', mode: 'production', interface: 'current' } as const;
    const access = { url: upstream.url, token: 'prod_up' };
    await store.outbox.performAct(lane, { kind: 'set upstream', upstream: access }, 'test');
    await backUpData(dataDir, join(folder, name));
    const sale = bodyOf({ external_id: `after ${name}`, timestamp: new Date().toISOString() });
    expect((await postBody(upstream.url, 'prod_up', sale)).status).toBe(201);
    await window.send('POST', '/api/restore/check', { name, isUploaded: false });
    return waitUntil(async () => {
      const state = await stateOnceIdle(window);
      expect(state.kind).toBe('checked');
      return state.kind === 'checked' && state.upstreams;
    });
  };
  const cafe = { administration: 'Café', mode: 'production' };
  expect(await ask('plain.db')).toEqual([{ ...cafe, records: 1, isKeySealed: false }]);
  // Somebody without the keyring may have changed the address beside the encrypted key. So the key must not be sent to it.
  for (const [name, key] of [
    ['foreign.db', randomBytes(32)],
    ['own.db', sealKey],
  ] as const)
    expect(await ask(name, key)).toEqual([{ ...cafe, records: null, isKeySealed: true }]);
  expect(upstream.attempts.filter(({ method }) => method === 'GET')).toHaveLength(1);
  expect((await window.get('/api/restore')).text).not.toContain('prod_up');
  expect(gateway.store.outbox.lanes().every(({ administration }) => administration === 'Bakery')).toBe(true);
});

test('an uploaded backup of another gateway is restored, and forwards nothing without a confirmation', async () => {
  const { gateway, window } = await openShop();
  const bytes = readFileSync(await backUpOther(temporaryFolder()));
  const send = (offset: number, part: Uint8Array) =>
    window.sendBytes(`/api/restore/upload?offset=${offset}&total=${bytes.length}`, part);
  const half = Math.floor(bytes.length / 2);
  expect((await send(0, bytes.subarray(0, half))).status).toBe(204);
  expect((await send(half + 1, bytes.subarray(half + 1))).status).toBe(409);
  expect((await send(half, Buffer.alloc(bytes.length))).status).toBe(409);
  expect((await send(half, bytes.subarray(half))).status).toBe(204);
  await window.send('POST', '/api/restore/check', { name: 'my backup.db', isUploaded: true });
  expect(await stateOnceIdle(window)).toMatchObject({
    kind: 'checked',
    file: 'my backup.db',
    content: { records: 1 },
    since: { records: 0, areSameData: false },
  });
  const begun = await window.send('POST', '/api/restore', { isOnlyGateway: false });
  const restored = await enterAgain(gateway, (JSON.parse(begun.text) as RestoreBegunView).link);
  expect((await restored.get('/api/acts')).text).not.toContain('"confirm restore"');
  expect((await restored.send('POST', '/api/restore/confirm')).status).toBe(200);
});

test('if the restored data do not fit this machine, the gateway returns to the previous data', async () => {
  const folder = temporaryFolder();
  await backUpOther(folder);
  const isOpenToNetwork = { consoleHost: '0.0.0.0', backupFolder: folder } as const;
  const gateway = await openTestGateway(isOpenToNetwork, makeCertificate(), {
    prepare: async (dataDir) => {
      const store = await openStore({ dataDir, role: 'command' });
      await store.people.add({ name: 'Mia', role: 'manager', createdAt: 1, password: KEPT_PASSWORD }, 'test');
      await store.close();
    },
  });
  onTestFinished(() => gateway.close());
  const local = { consoleUrl: gateway.localConsoleUrl };
  const window = await signIn(local, 'Mia');
  await window.send('POST', '/api/restore/check', { name: 'other.db', isUploaded: false });
  expect(await stateOnceIdle(window)).toMatchObject({ kind: 'checked' });
  const begun = await window.send('POST', '/api/restore', { isOnlyGateway: true });
  const { link } = JSON.parse(begun.text) as RestoreBegunView;
  const pass = await waitUntil(async () => {
    const answer = await call(`${local.consoleUrl}/enter?code=${link}`).catch(() => undefined);
    return answer && passOf(answer);
  });
  const { last } = await read<RestoreView>(windowOf(local, pass), '/api/restore');
  expect(last).toEqual({ kind: 'failed', detail: expect.stringContaining('user') });
  await signIn(local, 'Mia').then(async (again) => expect((await again.get('/api/session')).status).toBe(200));
  expect(readdirSync(gateway.dataDir)).toContainEqual(expect.stringMatching(/failed-restore-.*Z$/));
});

test('a stop does not wait for a long restart', async () => {
  const backupFolder = temporaryFolder();
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let isLong = false;
  const clock = startVirtualTime(Date.now());
  const gateway = await openTestGateway({ backupFolder }, undefined, {
    clock,
    async openConsoleNetwork(store) {
      if (isLong) {
        begun.resolve();
        await end.promise;
      }
      return openGivenNetwork(store);
    },
  });
  const window = await enter(gateway);
  const name = await backUp(window);
  await window.send('POST', '/api/restore/check', { name, isUploaded: false });
  await stateOnceIdle(window);
  isLong = true;
  await window.send('POST', '/api/restore', { isOnlyGateway: true });
  await begun.promise;
  let isClosed = false;
  const closing = gateway.close().then(() => (isClosed = true));
  await waitUntil(() => {
    clock.jump(2000);
    return isClosed;
  });
  await closing;
  await expect(call(`${gateway.apiUrl}/healthz`)).rejects.toThrow('ECONNREFUSED');
  end.resolve();
});

test('a cancelled check leaves no file behind', async () => {
  const { gateway, window, folder } = await openShop();
  await backUpOther(folder);
  await window.send('POST', '/api/restore/check', { name: 'other.db', isUploaded: false });
  expect((await window.send('DELETE', '/api/restore')).status).toBe(200);
  expect(await stateOnceIdle(window)).toEqual({ kind: 'none' });
  expect(readdirSync(gateway.dataDir).filter((name) => name.includes('.new-'))).toEqual([]);
});

test('a file that is not a backup is refused with its name, and the data stay', async () => {
  const { folder, gateway, window } = await openShop();
  writeFileSync(join(folder, 'notes.db'), 'no database');
  const before = readdirSync(gateway.dataDir).toSorted();
  await window.send('POST', '/api/restore/check', { name: 'notes.db', isUploaded: false });
  expect(await stateOnceIdle(window)).toMatchObject({ kind: 'refused', file: 'notes.db', fault: 'foreign' });
  expect(readdirSync(gateway.dataDir).toSorted()).toEqual(before);
  expect((await window.send('POST', '/api/restore', { isOnlyGateway: true })).status).toBe(404);
  expect((await sell(gateway, 'S-1')).status).toBe(201);
});
