// Time-outs of work that cannot be cancelled.

import { expect, test } from 'vitest';

import { TimeoutError, withinTime } from '../../../server/lib/time-out.ts';

test('work that takes too long rejects with a code, and other work keeps its outcome', async () => {
  const late = withinTime(new Promise(() => {}), 1);
  await expect(late).rejects.toThrow(TimeoutError);
  await expect(late).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  expect(await withinTime(Promise.resolve(7), 60_000)).toBe(7);
  const failure = new Error('not found');
  await expect(withinTime(Promise.reject(failure), 60_000)).rejects.toBe(failure);
});
