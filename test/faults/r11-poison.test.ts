// Poison records, which the upstream never accepts or rejects, delay no healthy record, and none of them is discarded. Time is
// virtual, so the delays are exact.

import { expect, test } from 'vitest';

import { answered, openForwarding } from '../support/forwarding.ts';
import { openRandom } from '../support/till/random.ts';
import { MINUTE } from '../support/virtual-time.ts';
import { countOf, repeatOf, report, SEED } from './tier.ts';

const RECORDS = countOf({ commit: 400, nightly: 20_000 });
const EVERY_MS = 100;
const ANSWER_MS = 20;

/** Returns the p99 of the delay of healthy records, in milliseconds. */
async function measure(shareOfPoison: number): Promise<number> {
  const random = openRandom(SEED);
  const { time, play, append, attempts, taken, lane } = await openForwarding(random);
  const isPoison = (id: string): boolean => id.startsWith('poison');
  let hasHealed = false;
  play((id) =>
    isPoison(id) && !hasHealed
      ? { answer: answered(500), afterMs: ANSWER_MS }
      : { answer: answered(201), afterMs: ANSWER_MS },
  );
  const soldAt = new Map<string, number>();
  for (let i = 0; i < RECORDS; i++) {
    const id = `${random() < shareOfPoison ? 'poison' : 'healthy'} ${i}`;
    soldAt.set(id, time.monotonic());
    await append(id);
    await time.pass(EVERY_MS);
  }
  await time.pass(MINUTE);
  const healthy = [...soldAt].filter(([id]) => !isPoison(id));
  expect(
    healthy.filter(([id]) => !taken.has(id)),
    repeatOf('R11', RECORDS),
  ).toEqual([]);
  const sentAt = new Map(attempts.map(({ id, at }) => [id, at]));
  const delays = healthy.map(([id, at]) => (sentAt.get(id) ?? Infinity) + ANSWER_MS - at).toSorted((a, b) => a - b);
  hasHealed = true;
  await time.pass(60 * MINUTE);
  expect(await lane()).toMatchObject({ waiting: 0, held: 0, delivered: RECORDS });
  return delays[Math.floor(0.99 * delays.length)] ?? Infinity;
}

test('beside 30 % poison records, the p99 of healthy records is less than twice as long', async (context) => {
  const [alone, beside] = [await measure(0), await measure(0.3)];
  expect(beside, repeatOf('R11', RECORDS)).toBeLessThan(2 * alone);
  report(context, `${RECORDS} records: p99 ${beside.toFixed(0)} ms beside poison, ${alone.toFixed(0)} ms alone`);
});
