// One check of a backup at a time. Whole restores are tested in renewal.test.ts.

import { expect, test } from 'vitest';

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
