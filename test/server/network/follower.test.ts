// How the network settings are applied: never twice at the same time, again after each change, and again later while something
// is missing.

import { expect, onTestFinished, test } from 'vitest';

import { openFollower } from '../../../server/network/follower.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

const SECOND = 1000;

/** Opens a follower. The test decides when the follower has finished applying the settings. */
function open() {
  const time = startVirtualTime();
  const begun: PromiseWithResolvers<void>[] = [];
  const faults: unknown[] = [];
  const state = { isToRepeat: false };
  const follower = openFollower({
    async apply() {
      const application = Promise.withResolvers<void>();
      begun.push(application);
      return application.promise;
    },
    isToRepeat: () => state.isToRepeat,
    onFault: (error) => void faults.push(error),
    clock: time,
  });
  const end = (): void => begun.at(-1)?.resolve();
  async function start(): Promise<void> {
    const started = follower.start();
    end();
    await started;
  }
  onTestFinished(async () => {
    end();
    await follower.close();
  });
  return { follower, begun, end, faults, start, state, time };
}

test('changes during an application cause one more after it, and `settle` waits for that', async () => {
  const { follower, begun, end, start } = open();
  await start();
  const settled = follower.settle();
  for (let change = 0; change < 3; change += 1) follower.follow();
  expect(begun).toHaveLength(2);
  let isSettled = false;
  void settled.then(() => (isSettled = true));
  end();
  await expect.poll(() => begun.length).toBe(3);
  expect(isSettled).toBe(false);
  end();
  await settled;
  expect(begun).toHaveLength(3);
});

test('the first fault rejects the start; a later one is reported and tried again after ten seconds', async () => {
  const first = open();
  const started = first.follower.start();
  first.begun[0]?.reject(new Error('the port is used'));
  await expect(started).rejects.toThrow('the port is used');

  const { follower, begun, faults, start, time } = open();
  await start();
  const settled = follower.settle();
  begun.at(-1)?.reject(new Error('the disk failed'));
  await settled;
  expect(faults).toEqual([new Error('the disk failed')]);
  await time.pass(9 * SECOND);
  expect(begun).toHaveLength(2);
  await time.pass(SECOND);
  expect(begun).toHaveLength(3);
});

test('it applies again every ten seconds while something is missing, and then no more', async () => {
  const { follower, begun, end, start, state, time } = open();
  state.isToRepeat = true;
  await start();
  await time.pass(10 * SECOND);
  expect(begun).toHaveLength(2);
  state.isToRepeat = false;
  const settled = follower.settle();
  end();
  await expect.poll(() => begun.length).toBe(3);
  end();
  await settled;
  expect(time.countTimers()).toBe(0);
});

test('closed, it waits for the present application and begins no other', async () => {
  const { follower, begun, end, start, state, time } = open();
  state.isToRepeat = true;
  await start();
  follower.follow();
  follower.follow();
  const closed = follower.close();
  end();
  await closed;
  expect(begun).toHaveLength(2);
  expect(time.countTimers()).toBe(0);
});
