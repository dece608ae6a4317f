// A restore in the console: the gateway checks a copy of a backup, then restarts on it within its process. A till gets an answer to
// each call meanwhile.

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { RestorableView, RestoreBegunView, RestoreState, RestoreView } from '../../server/contract/restores.ts';
import { enter, passOf, type Window, windowOf } from '../support/console.ts';
import { bodyOf, call, postBody } from '../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../support/open-gateway.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { waitUntil } from '../support/wait-until.ts';

async function openShop() {
  const folder = temporaryFolder();
  const gateway = await openTestGateway({ backupFolder: folder });
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
  const pass = await waitUntil(async () => passOf(await call(`${gateway.consoleUrl}/enter?code=${link}`)));
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

  expect((await window.send('POST', '/api/restore/check', { name })).status).toBe(202);
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

test('a file that is not a backup is refused with its name, and the data stay', async () => {
  const { folder, gateway, window } = await openShop();
  writeFileSync(join(folder, 'notes.db'), 'no database');
  const before = readdirSync(gateway.dataDir).toSorted();
  await window.send('POST', '/api/restore/check', { name: 'notes.db' });
  expect(await stateOnceIdle(window)).toMatchObject({ kind: 'refused', file: 'notes.db', fault: 'foreign' });
  expect(readdirSync(gateway.dataDir).toSorted()).toEqual(before);
  expect((await window.send('POST', '/api/restore', { isOnlyGateway: true })).status).toBe(404);
  expect((await sell(gateway, 'S-1')).status).toBe(201);
});
