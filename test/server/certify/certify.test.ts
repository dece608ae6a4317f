// The run of a certification while a gateway runs, and after the gateway has stopped or crashed.

import { expect, onTestFinished, test } from 'vitest';

import { type Certify, openCertify } from '../../../server/certify/certify.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';
import type { Store } from '../../../server/store/store.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';
import { engines } from '../store/contract/engines.ts';

const [engine] = engines;
if (engine === undefined) throw new Error('there is no engine');
const clock = startVirtualTime();

async function open(store: Pick<Store, 'certifications'>): Promise<Certify> {
  const certify = await openCertify({
    store,
    clock,
    onChange: () => {},
    onFault: (error) => {
      throw error;
    },
  });
  onTestFinished(() => certify.close());
  return certify;
}

async function makeKey(store: Store): Promise<Key> {
  const wanted = { administration: 'Bar', mode: 'test', label: 'Till 1', interface: 'both' } as const;
  const key = await store.setup.createKey({ ...wanted, secret: 'test_0123456789', isAdopted: false }, 'Ann');
  if (key === undefined) throw new Error('no key was made');
  return key;
}

test('a key has no trial before its run and after it', async () => {
  const store = await engine.makeSite().open();
  const certify = await open(store);
  const key = await makeKey(store);
  expect(certify.find(key.id)).toBeUndefined();
  const { id } = await certify.begin(key, 'Ann');
  expect(certify.find(key.id)).toBeDefined();
  expect(certify.find(key.id + 1)).toBeUndefined();
  await certify.act(id, { kind: 'end' }, 'Ann');
  expect(certify.find(key.id)).toBeUndefined();
});

test('a stop of the gateway ends a run as interrupted', async () => {
  const site = engine.makeSite();
  const store = await site.open();
  const certify = await open(store);
  const { id } = await certify.begin(await makeKey(store), 'Ann');
  await certify.close();
  expect(await store.certifications.get(id)).toMatchObject({ state: 'interrupted' });
});

test('a run that a crash has left ends as interrupted at the next start, and its act is noted', async () => {
  const site = engine.makeSite();
  const store = await site.open();
  const certify = await open(store);
  const { id } = await certify.begin(await makeKey(store), 'Ann');
  const next = await open(store); // the first instance was not closed, as after a crash
  expect(await next.get(id)).toMatchObject({ state: 'interrupted', endedAt: expect.any(Number) });
  expect((await next.get(id))?.steps[0]).toMatchObject({ state: 'open' });
  expect(await next.act(999, { kind: 'end' }, 'Ann')).toBeUndefined();
  await expect(next.act(id, { kind: 'start', step: 'retry', attempts: 0 }, 'Ann')).rejects.toMatchObject({
    code: 'run_over',
  });
  const [entry] = await store.setup.listActs({ limit: 1 });
  expect(entry).toMatchObject({ actor: 'Ann', act: { kind: 'certify till', passed: 0, failed: 0, skipped: 0 } });
});

test('a run whose steps are all skipped ends', async () => {
  const store = await engine.makeSite().open();
  const certify = await open(store);
  const begun = await certify.begin(await makeKey(store), 'Ann');
  for (const { name: step } of begun.steps)
    await certify.act(begun.id, { kind: 'skip', step, reason: 'does not apply' }, 'Ann');
  expect(await certify.get(begun.id)).toMatchObject({ state: 'ended' });
});

test('a run whose end is not stored yet has ended for everybody, and its key can begin another', async () => {
  const store = await engine.makeSite().open();
  const [reached, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const certifications: Store['certifications'] = {
    ...store.certifications,
    async end(id, report) {
      reached.resolve();
      await mayEnd.promise;
      return store.certifications.end(id, report);
    },
  };
  const certify = await open({ ...store, certifications });
  const key = await makeKey(store);
  const { id, journalId } = await certify.begin(key, 'Ann');
  const ended = certify.act(id, { kind: 'end' }, 'Ann');
  await reached.promise;
  expect(await certify.get(id)).toMatchObject({ state: 'ended' });
  expect(await certify.list(journalId)).toMatchObject([{ id, state: 'ended' }]);
  await expect(certify.act(id, { kind: 'start', step: 'retry', attempts: 0 }, 'Ann')).rejects.toMatchObject({
    code: 'run_over',
  });
  const second = await certify.begin(key, 'Ann');
  expect(second).toMatchObject({ state: 'running' });
  mayEnd.resolve();
  expect(await ended).toMatchObject({ id, state: 'ended' });
  expect(certify.find(key.id)).toBeDefined();
  expect(await certify.begin(key, 'Ann')).toMatchObject({ id: second.id });
});
