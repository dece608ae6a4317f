// The progress of a check while the upstream does not answer.

import { expect, test } from 'vitest';

import { causeOf } from '../../../server/cause.ts';
import { machineClock } from '../../../server/lib/clock.ts';
import { openProgress } from '../../../server/reconcile/progress.ts';
import { makeKey, openTemporaryStore } from '../../support/temp-store.ts';

test('the newest cause of the silence is stored, also if only the status differs', async () => {
  const store = await openTemporaryStore();
  const { journalId } = await makeKey(store);
  const days = { from: '2026-11-20', to: '2026-11-20', byIds: false, resend: false };
  const check = await store.checks.request({ journalId, ...days, actor: 'test', askedAt: Date.now() });
  const progress = openProgress(check, {
    store,
    clock: machineClock,
    holder: 'test',
    signal: new AbortController().signal,
    onLongSilence: async () => {},
  });
  for (const status of [500, 502]) {
    await progress.onSilence(causeOf('trouble', status));
    expect(await store.checks.listOpen()).toMatchObject([{ cause: causeOf('trouble', status) }]);
  }
  await progress.onSilence(undefined);
  expect(await store.checks.listOpen()).toMatchObject([{ cause: null, stalledAt: null }]);
});
