// One check of a backup at a time. Whole restores are tested in renewal.test.ts.

import { expect, test } from 'vitest';

import type { CheckedContent, UpstreamSince } from '../../server/contract/restores.ts';
import { machineClock } from '../../server/lib/clock.ts';
import { openRestores, type RestoreParts } from '../../server/restores.ts';

test('while a cancelled check ends, no other check begins, and its late failure is not shown', async () => {
  const [ending, checking] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  const ledger: Partial<RestoreParts['store']['restores']> = {
    check: () => checking.promise,
    discard: () => ending.promise,
  };
  const restores = openRestores({
    store: { restores: ledger as RestoreParts['store']['restores'], outbox: { lanes: () => [] } },
    clock: machineClock,
    folder: '/backups',
    archiveFolder: undefined,
    countUpstream: async () => undefined,
    restart: async () => {},
    last: null,
    onFault() {},
  });
  expect(restores.check('a.db', false)).toBe(true);
  const cancelled = restores.cancel();
  expect([restores.check('b.db', false), await restores.receive(0, Buffer.from('x'), 1)]).toEqual([false, false]);
  expect(await restores.cancel()).toBe(false);
  checking.reject(new Error('the thread has ended'));
  ending.resolve();
  expect(await cancelled).toBe(true);
  expect(restores.view().state).toEqual({ kind: 'none' });
  expect(restores.check('b.db', false)).toBe(true);
});

test('at most eight upstreams of a backup are asked at a time, and no more after a cancel', async () => {
  const upstreams = Array.from({ length: 1000 }, (_, index) => ({
    administration: `Shop ${index}`,
    mode: 'production' as const,
    upstream: { url: `https://${index}.example`, token: 'prod_up' },
  }));
  const content = { madeAt: 0 } as CheckedContent;
  const since = { records: 0, notUpstream: 0, areSameData: true };
  const ledger: Partial<RestoreParts['store']['restores']> = {
    check: async () => ({ kind: 'sound', content, since, upstreams }),
    discard: async () => {},
  };
  let [asking, mostAsking, asked] = [0, 0, 0];
  let gate: Promise<void> = Promise.resolve();
  const restores = openRestores({
    store: { restores: ledger as RestoreParts['store']['restores'], outbox: { lanes: () => [] } },
    clock: machineClock,
    folder: '/backups',
    archiveFolder: undefined,
    async countUpstream({ url }) {
      asked += 1;
      mostAsking = Math.max(mostAsking, (asking += 1));
      await gate;
      asking -= 1;
      return Number.parseInt(new URL(url).hostname, 10);
    },
    restart: async () => {},
    last: null,
    onFault() {},
  });
  const answers = (): readonly UpstreamSince[] | null => {
    const { state } = restores.view();
    return state.kind === 'checked' ? state.upstreams : null;
  };
  restores.check('a.db', false);
  await expect.poll(() => answers()?.map(({ records }) => records)).toEqual(upstreams.map((_, index) => index));
  expect([asked, mostAsking]).toEqual([1000, 8]);

  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  restores.check('a.db', false);
  await expect.poll(() => asking).toBe(8);
  await restores.cancel();
  resolve();
  await expect.poll(() => asking).toBe(0);
  expect(asked).toBe(1008);
});
