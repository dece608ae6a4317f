// The counts of verdicts for the metrics.

import { expect, test } from 'vitest';

import type { DaysView } from '../../../server/contract/days.ts';
import type { Verdict } from '../../../server/contract/verdicts.ts';
import { addDays } from '../../../server/lib/calendar.ts';
import { openVerdictCounts } from '../../../server/reconcile/verdict-counts.ts';
import { makeKey, openTemporaryStore } from '../../support/temp-store.ts';
import { MINUTE, startVirtualTime } from '../../support/virtual-time.ts';

const TODAY = '2026-11-20';

/** A view of the days between two dates; every day has this verdict. */
function viewOf(verdict: Verdict, first: string, from: string, to: string): DaysView {
  const days: unknown[] = [];
  for (let date = from; date <= to; date = addDays(date, 1)) days.push({ date, verdict });
  return { now: 0, today: TODAY, first, days: days as DaysView['days'], checks: [] };
}

async function open(first: string) {
  const store = await openTemporaryStore();
  await makeKey(store);
  const clock = startVirtualTime(Date.parse(`${TODAY}T10:00Z`));
  const state: { verdict: Verdict; calls: number; fault?: Error } = { verdict: 'complete', calls: 0 };
  const read = openVerdictCounts({
    store,
    clock,
    days: {
      async list(_journalId, from, to) {
        state.calls += 1;
        if (state.fault !== undefined) throw state.fault;
        return viewOf(state.verdict, first, from, to);
      },
    },
  });
  const production = async () => (await read()).find(({ mode }) => mode === 'production')?.counts;
  return { clock, state, production };
}

test('the last 31 finished days count, without today', async () => {
  const { production } = await open('2020-01-01');
  expect(await production()).toEqual({ complete: 31, waiting: 0, differs: 0, 'cannot tell': 0 });
});

test('days before the first sale do not count', async () => {
  const { production } = await open('2026-11-18');
  expect(await production()).toMatchObject({ complete: 2 });
});

test('the days are read at most once a minute, and again at once after a failure', async () => {
  const { clock, state, production } = await open('2020-01-01');
  await production();
  const { calls } = state;
  state.verdict = 'differs';
  expect(await production()).toMatchObject({ complete: 31 });
  expect(state.calls).toBe(calls);
  clock.jump(MINUTE);
  expect(await production()).toMatchObject({ differs: 31 });
  clock.jump(MINUTE);
  state.fault = new Error('the disk failed');
  await expect(production()).rejects.toThrow('the disk failed');
  delete state.fault;
  expect(await production()).toMatchObject({ differs: 31 });
});
