// The API of backups: a manager makes a backup now, and confirms a restore.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { BackupsView } from '../../../server/contract/backups.ts';
import { backUp, restoreBackup } from '../../../server/store/data-directory.ts';
import { enter } from '../../support/console.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { temporaryFolder } from '../../support/temp-store.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';
import { waitUntil } from '../../support/wait-until.ts';

const LANE = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;

async function openGateway(...opening: Parameters<typeof openTestGateway>) {
  const gateway = await openTestGateway(...opening);
  onTestFinished(() => gateway.close());
  return { gateway, window: await enter(gateway) };
}

test('a backup begins at once, and the state then says how it ended', async () => {
  const folder = temporaryFolder();
  const { window } = await openGateway({ backupFolder: folder });
  const read = async (): Promise<BackupsView> => JSON.parse((await window.get('/api/backups')).text) as BackupsView;
  async function backUpNow(): Promise<BackupsView> {
    expect((await window.send('POST', '/api/backups')).status).toBe(202);
    await waitUntil(async () => (await read()).progress === null);
    return read();
  }
  const none = { lastAt: null, folder, isOnDataDisk: false, progress: null, failure: null };
  expect(await read()).toEqual(none);
  const made = await backUpNow();
  expect(made).toEqual({ ...none, lastAt: expect.any(Number), isOnDataDisk: true });
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^counterfoil-.+\.db$/)]);

  rmSync(folder, { recursive: true });
  const failed = await backUpNow();
  expect(failed).toMatchObject({ lastAt: made.lastAt, failure: { fault: 'unreachable', since: expect.any(Number) } });
  expect((await backUpNow()).failure).toMatchObject({ fault: 'unreachable', since: failed.failure?.since });
});

test('a restored gateway forwards after a manager has confirmed it, and only once', async () => {
  const upstream = await openStandIn({ script: 'down' });
  onTestFinished(() => upstream.close());
  const { gateway: old } = await openGateway();
  const act = { kind: 'set upstream', upstream: { url: upstream.url, token: 'prod_upstream' } } as const;
  await old.store.outbox.performAct(LANE, act, 'test');
  expect((await postBody(old.apiUrl, old.production.secret, bodyOf({ external_id: 'S-1' }))).status).toBe(201);
  const file = join(temporaryFolder(), 'backup.db');
  await backUp(old.dataDir, file);
  await old.store.outbox.performAct(LANE, { kind: 'pause' }, 'test'); // stands for the stop of the old gateway
  const { gateway, window } = await openGateway({}, undefined, {
    prepare: async (dataDir) => void (await restoreBackup(dataDir, file, Date.now())),
  });
  const stateOf = async () => (await gateway.store.outbox.listLaneStatus()).find(({ url }) => url !== null);
  expect(await stateOf()).toMatchObject({ cause: { code: 'restored' }, waiting: 1 });

  await upstream.setScript('accept');
  expect(await window.send('POST', '/api/restore/confirm')).toMatchObject({ status: 200, text: '{}' });
  expect((await window.send('POST', '/api/restore/confirm')).status).toBe(404);
  await upstream.waitUntil(({ records }) => records === 1);
});
