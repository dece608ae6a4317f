// How watchers of the store are notified of changes.

import { expect, test } from 'vitest';

import { openStore } from '../../../server/store/open-store.ts';
import type { StoreWatcher } from '../../../server/store/store.ts';
import {
  arrivalOf,
  makeKey,
  openTemporaryStore,
  refusalOf,
  settleRecords,
  temporaryFolder,
} from '../../support/temp-store.ts';

test('records, deliveries, lanes, refusals and the set-up: each is reported when it changes', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  const laneId = store.outbox.lanes()[0]?.id ?? 0;
  const told: unknown[][] = [];
  const tell =
    (name: keyof StoreWatcher) =>
    (...what: unknown[]): void =>
      void told.push([name, ...what]);
  const next = async (...what: unknown[]): Promise<void> => {
    await expect.poll(() => told).toContainEqual(what);
    told.length = 0;
  };
  store.watch({ setupChanged: tell('setupChanged') });
  store.watch({
    recordsAdded: tell('recordsAdded'),
    deliveriesSettled: tell('deliveriesSettled'),
    laneNoted: tell('laneNoted'),
    refusalsNoted: tell('refusalsNoted'),
  });

  await store.records.append(arrivalOf(key, { externalId: 'a' }));
  await next('recordsAdded', key.journalId, 'current', 1);
  await settleRecords(store, laneId, [1], { state: 'delivered' });
  await next('deliveriesSettled', laneId);
  await store.outbox.noteLane(laneId, { state: 'running', cause: null, since: 1, perSecond: 1 });
  await next('laneNoted', laneId);
  store.setup.noteKeyUse(key.id, 5);
  store.records.noteRefusal(refusalOf(Date.now()));
  await next('refusalsNoted');
  await store.setup.changeAdministration('Bakery', { dayStartsAt: 60 }, 'test');
  await next('setupChanged');
  const command = await openStore({ dataDir, role: 'command' });
  await command.setup.revokeKey(key.id, 'test');
  await next('setupChanged');
  await command.close();
});

test('many records at once cause few notifications, and the last one has the newest record', async () => {
  const store = await openTemporaryStore();
  const key = await makeKey(store);
  const newest: number[] = [];
  store.watch({ recordsAdded: (_journalId, _by, newestId) => void newest.push(newestId) });
  await Promise.all(
    Array.from({ length: 500 }, (_, i) => store.records.append(arrivalOf(key, { externalId: `a-${i}` }))),
  );
  await expect.poll(() => newest.at(-1)).toBe(500);
  expect(newest).toEqual(newest.toSorted((a, b) => a - b));
  expect(newest.length).toBeLessThan(50);
});
