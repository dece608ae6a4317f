// The demo's tills with a stand-in that accepts their calls as the gateway would.

import { expect, onTestFinished, test } from 'vitest';

import { type DemoTills, openDemoTills } from '../../../server/demo/tills.ts';
import { openRandom } from '../../support/till/random.ts';
import { openStandIn, type StandIn } from '../../support/upstream/stand-in.ts';
import { startVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

const KEYS = ['test_one', 'test_two', 'test_three'];
/** A time longer than any pause of a demo till. */
const PAUSE_MS = 10_000;

interface Shop {
  readonly standIn: StandIn;
  readonly tills: DemoTills;
  readonly clock: VirtualTime;
  /** Makes every till sell once and send its queue. */
  sellOnce(): Promise<void>;
}

async function openShop(script = 'accept'): Promise<Shop> {
  const clock = startVirtualTime();
  const standIn = await openStandIn({ script });
  const tills = openDemoTills({ apiUrl: standIn.url, keys: KEYS, random: openRandom(1), clock });
  onTestFinished(async () => {
    await tills.close();
    await standIn.close();
  });
  const sellOnce = async (): Promise<void> => {
    clock.jump(PAUSE_MS);
    await clock.waitForTimers(KEYS.length); // each till sets a timer again when it has finished
  };
  return { standIn, tills, clock, sellOnce };
}

test('each till sells with its key and its own ids, and sometimes sends a sale again or changed', async () => {
  const { standIn, sellOnce, clock } = await openShop();
  for (let i = 0; i < 60; i++) await sellOnce();
  const { records, statuses, invalid } = standIn.summary();
  expect(records).toBe(180);
  expect(invalid).toBe(0);
  expect(statuses.IGNORED).toBeGreaterThan(4);
  expect(statuses.ERROR).toBeGreaterThan(0);
  expect(new Set(standIn.attempts.map(({ headers }) => headers['token']))).toEqual(new Set(KEYS));
  expect(new Set(standIn.effects.map(({ id }) => id.slice(0, 2)))).toEqual(new Set(['T1', 'T2', 'T3']));
  for (const { bytes } of standIn.effects) {
    const { timestamp, object } = JSON.parse(String(bytes)) as {
      timestamp: string;
      object: { total: number; items: { quantity: number; price: number }[] };
    };
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(clock.now());
    const total = object.items.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
    expect(object.total).toBeCloseTo(total, 5);
    expect(object.total).toBeGreaterThan(0);
  }
});

test('unanswered sales are sent again until they are answered; permanently refused sales are not', async () => {
  const first = 'id=*-0001';
  const { standIn, sellOnce } = await openShop(
    `${first} attempt=1: 503; ${first} attempt=2: close; ${first} attempt=3: 429; ${first}: 400; accept`,
  );
  for (let i = 0; i < 3; i++) await sellOnce();
  expect(standIn.summary()).toMatchObject({ attempts: 9, records: 0, behaviours: { 503: 3, close: 3, 429: 3 } });
  await sellOnce();
  expect(standIn.summary().behaviours['400']).toBeGreaterThanOrEqual(3);
  expect(new Set(standIn.effects.map(({ id }) => id.slice(-4)))).toEqual(new Set(['0002', '0003', '0004']));
  expect(standIn.summary().records).toBe(9);
});

test('the tills keep their sales while the gateway is down', async () => {
  const { standIn, sellOnce } = await openShop('down');
  for (let i = 0; i < 3; i++) await sellOnce();
  await standIn.setScript('accept');
  await sellOnce();
  expect(standIn.summary().records).toBe(12);
});

test('closing stops the sales and aborts the calls in progress', async () => {
  const { standIn, tills, clock } = await openShop('hang');
  clock.jump(PAUSE_MS);
  await standIn.waitUntil(({ attempts }) => attempts === 3);
  await tills.close();
  clock.jump(PAUSE_MS);
  expect(standIn.summary().attempts).toBe(3);
});
