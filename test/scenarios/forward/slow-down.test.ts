// 429 and Retry-After stop the whole lane until the requested time. The tests run in virtual time.

import { describe, expect, test } from 'vitest';

import { answered, type Forwarding, ids, openForwarding, type Played } from '../../support/forwarding.ts';
import { HOUR, MINUTE } from '../../support/virtual-time.ts';

/** Sells until a lane has reached its maximum concurrency. */
async function warmUp({ sell, time, taken }: Forwarding): Promise<void> {
  await sell(...ids(50, 'warm'));
  await time.passUntil(() => taken.size === 50, MINUTE);
  await time.pass(100);
}

/** The number of attempts between `from` and `to`, both excluded. */
const countBetween = ({ attempts }: Forwarding, from: number, to: number): number =>
  attempts.filter(({ at }) => at > from && at < to).length;

test.each([
  [429, 201],
  [429, 422],
  [429, 500],
  [503, 201],
])('%i with Retry-After: no record leaves until then, although others draw %i meanwhile', async (status, meanwhile) => {
  const forwarding = await openForwarding();
  const { play, sell, time, taken } = forwarding;
  await warmUp(forwarding);
  let askedAt = Infinity;
  play((id) => {
    if (id !== 'S-5' || taken.has(id) || askedAt < Infinity) return { answer: answered(meanwhile), afterMs: 5 };
    time.after(40, () => (askedAt = time.monotonic()));
    return { answer: answered(status, { retryAfterMs: 5000 }), afterMs: 40 };
  });
  await sell(...ids(500));
  await time.passUntil(() => askedAt < Infinity, 1000);
  await time.pass(4990);
  expect(countBetween(forwarding, askedAt, askedAt + 5000)).toBe(0);
  play(() => ({ answer: answered(201) }));
  await time.passUntil(() => taken.size >= 50 + 100, 10 * MINUTE);
});

test('a later, shorter Retry-After does not shorten the running one', async () => {
  const forwarding = await openForwarding();
  const { play, sell, time, attempts } = forwarding;
  await warmUp(forwarding);
  play((id) => {
    if (id === 'S-1') return { answer: answered(429, { retryAfterMs: MINUTE }), afterMs: 10 };
    return { answer: answered(429, { retryAfterMs: 1000 }), afterMs: 20 };
  });
  await sell(...ids(100));
  await time.pass(1000);
  const before = attempts.length;
  await time.pass(MINUTE - 2000);
  expect(attempts.length).toBe(before);
});

describe('a record that was chosen to test the line', () => {
  /**
   * Makes a record fail while the lane sends at its maximum concurrency. The lane then picks the newest sale, S-20, to test the
   * line, and needs 30 ms to find it in the store. Resolves to the ids sent within half a minute.
   */
  async function listLeft(others: Played): Promise<string[]> {
    const forwarding = await openForwarding();
    const { play, sell, time, attempts } = forwarding;
    await warmUp(forwarding);
    play((id) => (id === 'bad' ? { answer: answered(500), afterMs: 1 } : others));
    forwarding.delayFinds(30);
    await sell('bad', ...ids(20));
    await time.pass(MINUTE / 2);
    return attempts.map(({ id }) => id);
  }

  test('is not sent after the upstream asked for a pause', async () => {
    const asks = { answer: answered(429, { retryAfterMs: MINUTE }), afterMs: 20 };
    expect(await listLeft(asks)).not.toContain('S-20');
  });

  test('is sent before its turn if the upstream asked for no pause', async () => {
    const left = await listLeft({ answer: answered(201), afterMs: MINUTE });
    expect(left).toContain('S-20');
    expect(left).not.toContain('S-19');
  });
});

test('“try now” sends one record while Retry-After runs, and its answer may end the pause', async () => {
  const { play, sell, time, attempts, taken, act } = await openForwarding();
  play(() => ({ answer: answered(429, { retryAfterMs: 10 * MINUTE }) }));
  await sell(...ids(20));
  await time.pass(MINUTE);
  const before = attempts.length;
  await act({ kind: 'try now' });
  await time.pass(MINUTE);
  expect(attempts.length).toBe(before + 1);

  play(() => ({ answer: answered(201) }));
  await act({ kind: 'try now' });
  await time.passUntil(() => taken.size === 20, MINUTE);
});

test('“try now” after the end of a Retry-After does not shorten a later one', async () => {
  const { play, sell, time, attempts, act } = await openForwarding();
  play((_id, nth) =>
    nth === 1 ? { answer: answered(429, { retryAfterMs: 1000 }) } : { answer: answered(201), afterMs: 10_000 },
  );
  await sell('first');
  // The pause is over, and the retried record has no answer yet.
  await time.pass(5000);
  await act({ kind: 'try now' });
  await time.pass(MINUTE);
  play(() => ({ answer: answered(429, { retryAfterMs: HOUR }) }));
  const before = attempts.length;
  await sell(...ids(20));
  await time.pass(HOUR - MINUTE);
  // All these records were sent at the same time, before the first answer arrived.
  expect(new Set(attempts.slice(before).map(({ at }) => at)).size).toBe(1);
});

test("another upstream does not wait for this upstream's pause", async () => {
  const { play, sell, time, taken, act } = await openForwarding();
  play((_id, _nth, { upstream }) => ({
    answer: upstream.url === 'https://new.test' ? answered(201) : answered(429, { retryAfterMs: 10 * MINUTE }),
  }));
  await sell(...ids(20));
  await time.pass(MINUTE);
  await act({ kind: 'set upstream', upstream: { url: 'https://new.test', token: 'prod_new' } });
  await time.pass(MINUTE);
  expect(taken.size).toBe(20);
});

test('one record that always draws 429 delays later sales by less than 2 s on average', async () => {
  const { play, sell, time, taken, lane } = await openForwarding();
  play((id) => ({ answer: id === 'poison' ? answered(429, { retryAfterMs: 10_000 }) : answered(201) }));
  await sell('poison', ...ids(50));
  await time.passUntil(() => taken.size === 50, 5 * MINUTE);
  await time.pass(30 * MINUTE);
  let delayedMs = 0;
  for (const id of ids(60, 'later')) {
    await sell(id);
    const before = time.monotonic();
    await time.passUntil(() => taken.has(id), MINUTE);
    delayedMs += time.monotonic() - before;
    await time.pass(MINUTE / 2);
  }
  expect(delayedMs / 60).toBeLessThan(2000);
  expect(await lane()).toMatchObject({ state: 'running', waiting: 1, held: 0 });
});
