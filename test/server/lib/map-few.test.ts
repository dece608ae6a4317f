import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { mapFew } from '../../../server/lib/map-few.ts';

test.each([0, 1, 3, 100])(
  'the results of %i items are in their order, and at most three calls run at once',
  async (n) => {
    let [running, most] = [0, 0];
    const items = Array.from({ length: n }, (_, i) => i);
    const results = await mapFew(items, 3, async (item) => {
      most = Math.max(most, (running += 1));
      for (let turns = item % 4; turns >= 0; turns--) await nextTurn();
      running -= 1;
      return -item;
    });
    expect([results, most]).toEqual([items.map((item) => -item), Math.min(n, 3)]);
  },
);

test('an error of one call rejects', async () => {
  await expect(mapFew([1, 2], 1, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
