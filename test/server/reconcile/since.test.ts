// Counts the sales that an upstream has from after a backup.

import { MockAgent } from 'undici';
import { expect, test } from 'vitest';

import type { OpenDispatcher } from '../../../server/forward/connection.ts';
import { machineClock } from '../../../server/lib/clock.ts';
import { countUpstream } from '../../../server/reconcile/since.ts';

test('an upstream is not said to have no sales from after a backup of the future', async () => {
  const openDispatcher: OpenDispatcher = () => new MockAgent();
  const parts = { openDispatcher, clock: machineClock };
  const upstream = { url: 'https://api.example.com', token: 'prod_key' };
  expect(await countUpstream(upstream, { from: 61, to: 60 }, parts)).toBeUndefined();
});

test.each(['http://169.254.169.254/latest', 'https://[64:ff9b::a9fe:a9fe]', 'no address'])(
  'an upstream at %s is not asked',
  async (url) => {
    let asked = 0;
    const openDispatcher: OpenDispatcher = () => {
      asked += 1;
      throw new Error('it was asked');
    };
    const parts = { openDispatcher, clock: machineClock };
    expect(await countUpstream({ url, token: 'prod_key' }, { from: 0, to: 60 }, parts)).toBeUndefined();
    expect(asked).toBe(0);
  },
);
