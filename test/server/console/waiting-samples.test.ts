// The samples for the chart of waiting records: the maximum of each minute, for one day.

import { expect, test } from 'vitest';

import { openWaitingSamples } from '../../../server/console/waiting-samples.ts';
import type { LaneStatus } from '../../../server/store/outbox/ledger.ts';
import { DAY, MINUTE, startVirtualTime } from '../../support/virtual-time.ts';

const LANE = 7;

function watch(waitingAt: (now: number) => number) {
  const time = startVirtualTime();
  const start = time.now();
  const samples = openWaitingSamples(
    { listLaneStatus: async () => [{ id: LANE, waiting: waitingAt(time.now() - start) } as LaneStatus] },
    time,
    (error) => expect.unreachable(String(error)),
  );
  return { time, start, samples };
}

test('a backlog of only twenty seconds is in the sample of its minute', async () => {
  const { time, start, samples } = watch((at) => (at >= 70_000 && at < 90_000 ? 12 : 0));
  await time.pass(3 * MINUTE - 1000);
  expect(samples.listOf(LANE)).toEqual([
    { at: start, waiting: 0 },
    { at: start + MINUTE, waiting: 12 },
    { at: start + 2 * MINUTE, waiting: 0 },
  ]);
  expect(samples.listOf(LANE + 1)).toEqual([]);
});

test('a day of samples is kept, and no more', async () => {
  const { time, start, samples } = watch((at) => Math.floor(at / MINUTE));
  await time.pass(DAY + 10 * MINUTE);
  const kept = samples.listOf(LANE);
  expect(kept).toHaveLength(24 * 60);
  expect(kept[0]).toEqual({ at: start + 11 * MINUTE, waiting: 11 });
});
