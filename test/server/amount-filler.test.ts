// The gateway reads old records slice by slice for their amounts. It starts again when a rule is set or the store has
// recovered.

import { expect, test } from 'vitest';

import { openAmountFiller } from '../../server/amount-filler.ts';
import type { StoreWatcher } from '../../server/store/store.ts';
import { MINUTE, startVirtualTime } from '../support/virtual-time.ts';

/** Opens a filler whose slices give these results, one after another. After the last result, nothing is left to read. */
function openFiller(...results: (boolean | Error)[]) {
  const time = startVirtualTime();
  const faults: unknown[] = [];
  const watchers: Partial<StoreWatcher>[] = [];
  const slices: number[] = [];
  const filler = openAmountFiller({
    store: {
      amounts: {
        fillSlice() {
          slices.push(time.monotonic());
          const result = results.shift() ?? false;
          return time.track(result instanceof Error ? Promise.reject(result) : Promise.resolve(result));
        },
      },
      watch: (watcher) => void watchers.push(watcher),
    },
    clock: time,
    onFault: (error) => void faults.push(error),
  });
  const setRule = (): void => watchers.forEach((watcher) => watcher.setupChanged?.());
  return { time, faults, slices, filler, setRule };
}

test('slices follow with a pause for the tills, until nothing is left', async () => {
  const { time, slices } = openFiller(true, true, false, true);
  await time.pass(MINUTE);
  expect(slices).toHaveLength(3);
  expect(Math.min(...slices.slice(1).map((at, n) => at - (slices[n] ?? 0)))).toBeGreaterThan(0);
});

test('a rule that is set later is followed, also during a slice', async () => {
  const { time, slices, setRule } = openFiller(false, true);
  await time.pass(MINUTE);
  expect(slices).toHaveLength(1);
  setRule();
  setRule();
  await time.pass(MINUTE);
  expect(slices).toHaveLength(3);
});

test('a failed slice is reported and tried again', async () => {
  const failure = new Error('the disk is full');
  const { time, slices, faults } = openFiller(failure, true);
  await time.pass(2 * MINUTE);
  expect(faults).toEqual([failure]);
  expect(slices).toHaveLength(3);
});

test('a closed filler starts no slice', async () => {
  const { time, slices, filler, setRule } = openFiller(true, true);
  filler.close();
  setRule();
  await time.pass(MINUTE);
  expect(slices).toHaveLength(1);
});
