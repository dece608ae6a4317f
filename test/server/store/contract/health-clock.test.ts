// While the gateway's clock is wrong, arriving records get a flag and no till is blamed. The store notices when the clock is
// right again.

import { describe, expect, test } from 'vitest';

import type { ClockFlag } from '../../../../server/contract/records.ts';
import type { Key } from '../../../../server/store/setup/ledger.ts';
import type { Store } from '../../../../server/store/store.ts';
import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BUILT = Date.parse('2026-11-20T00:00:00Z');
const NOON = Date.parse('2026-11-23T12:00:00Z');
/** The flags of all records, oldest first. */
async function flagsOf(store: Store): Promise<(ClockFlag | undefined)[]> {
  return (await store.records.list({ limit: 100 })).map(({ clock }) => clock).toReversed();
}
const faultOf = async (store: Store): Promise<unknown> => (await store.health.readMachine()).clock;

describe.each(engines)('a wrong clock of the gateway on $name', ({ makeSite }) => {
  async function openShop(site = makeSite(), givenKey?: Key) {
    let now = NOON;
    const store = await site.open({ builtAt: BUILT, now: () => now });
    const key = givenKey ?? (await makeKey(store));
    let sold = 0;
    /** Sells while the gateway's clock shows `atShown`. The till runs on another machine unless `isTimedElsewhere` is false. */
    async function sell(
      atShown: number,
      soldAt: number,
      { by = key, isTimedElsewhere = true }: { by?: Key; isTimedElsewhere?: boolean } = {},
    ): Promise<void> {
      now = atShown;
      const externalId = `T-${atShown}-${sold++}`;
      const arrival = { externalId, soldAt: soldAt / 1000, receivedAt: atShown, isTimedElsewhere };
      await store.records.append(arrivalOf(by, arrival));
    }
    return { site, store, key, sell, show: (at: number): void => void (now = at) };
  }

  test('a clock at 1970 is reported as wrong, and no till is reported as ahead', async () => {
    const { store, sell, show } = await openShop();
    show(3 * MINUTE);
    expect(await faultOf(store)).toEqual({ code: 'before_build', now: 3 * MINUTE, earliest: BUILT });
    await sell(4 * MINUTE, NOON);
    await sell(5 * MINUTE, NOON + MINUTE);
    expect(await flagsOf(store)).toEqual(['gateway', 'gateway']);

    await sell(NOON + 2 * MINUTE, NOON + 2 * MINUTE);
    expect(await faultOf(store)).toBeNull();
    expect(await flagsOf(store)).toEqual(['gateway', 'gateway', undefined]);
  });

  test('a clock before the newest record is wrong, and blames no till until it has caught up', async () => {
    const { store, sell, show } = await openShop();
    await sell(NOON, NOON);
    show(NOON - DAY);
    expect(await faultOf(store)).toEqual({ code: 'before_newest', now: NOON - DAY, earliest: NOON });
    await sell(NOON - DAY, NOON + MINUTE);
    expect(await flagsOf(store)).toEqual([undefined, 'gateway']);
    show(NOON + HOUR);
    expect(await faultOf(store)).toBeNull();
  });

  test('a clock that was set back by a few minutes is not reported', async () => {
    const { store, sell } = await openShop();
    await sell(NOON, NOON);
    await sell(NOON - 4 * MINUTE, NOON - 4 * MINUTE);
    expect(await faultOf(store)).toBeNull();
    expect(await flagsOf(store)).toEqual([undefined, undefined]);
  });

  test('a till whose clock is ahead is still reported, while the clock of the gateway is right', async () => {
    const { store, sell } = await openShop();
    await sell(NOON, NOON + HOUR);
    await sell(NOON, NOON - 3 * DAY);
    expect(await flagsOf(store)).toEqual(['ahead', 'late']);
  });

  describe('a clock that was ten years ahead and is right again', () => {
    const AHEAD = NOON + 3650 * DAY;

    test('is believed once three sales in a row agree with it; for the sales before, only our clock was wrong', async () => {
      const { store, sell, show } = await openShop();
      await sell(NOON - HOUR, NOON - HOUR);
      await sell(AHEAD, NOON);
      await sell(AHEAD + MINUTE, NOON + MINUTE);
      expect(await flagsOf(store)).toEqual([undefined, 'late', 'late']);

      show(NOON + 2 * MINUTE);
      expect(await faultOf(store)).toMatchObject({ code: 'before_newest' });
      for (const minute of [2, 3]) await sell(NOON + minute * MINUTE, NOON + minute * MINUTE);
      expect(await faultOf(store)).toMatchObject({ code: 'before_newest' });
      await sell(NOON + 4 * MINUTE, NOON + 4 * MINUTE);
      expect(await faultOf(store)).toBeNull();
      expect(await flagsOf(store)).toEqual([undefined, 'gateway', 'gateway', undefined, undefined, undefined]);
      await sell(NOON + 5 * MINUTE, NOON + HOUR);
      expect((await flagsOf(store)).at(-1)).toBe('ahead');
    });

    test('is believed for one till, whatever the clocks of the others show', async () => {
      const { store, sell } = await openShop();
      const second = await makeKey(store, 'Till 2');
      await sell(AHEAD, NOON);
      for (const minute of [1, 2, 3]) {
        await sell(NOON + minute * MINUTE, NOON + minute * MINUTE + HOUR, { by: second });
        expect(await faultOf(store)).toMatchObject({ code: 'before_newest' });
        await sell(NOON + minute * MINUTE, NOON + minute * MINUTE);
      }
      expect(await faultOf(store)).toBeNull();
      expect(await flagsOf(store)).toEqual(['gateway', 'ahead', undefined, 'ahead', undefined, 'ahead', undefined]);
    });

    test('is believed for a key that several tills share, if every third sale has another time', async () => {
      const { store, sell } = await openShop();
      await sell(AHEAD, NOON);
      for (let i = 0; i < 5; i++) await sell(NOON + i * MINUTE, NOON + i * MINUTE + (i % 3 === 2 ? HOUR : 0));
      expect(await faultOf(store)).toBeNull();
    });

    test('is not believed for different tills that agree once each', async () => {
      const { store, sell } = await openShop();
      await sell(AHEAD, NOON);
      for (const label of ['Till 2', 'Till 3', 'Till 4', 'Till 5'])
        await sell(NOON, NOON, { by: await makeKey(store, label) });
      expect(await faultOf(store)).toMatchObject({ code: 'before_newest' });
    });

    test('is believed once it is confirmed, with or without later sales', async () => {
      const { store, sell, show } = await openShop();
      await sell(NOON - HOUR, NOON - HOUR);
      await sell(AHEAD, NOON);
      show(NOON + MINUTE);
      await store.health.confirmClock();
      expect(await faultOf(store)).toBeNull();
      await sell(AHEAD, NOON + MINUTE);
      await sell(NOON + 2 * MINUTE, NOON + 2 * MINUTE);
      expect(await faultOf(store)).toMatchObject({ code: 'before_newest' });
      await store.health.confirmClock();
      expect(await faultOf(store)).toBeNull();
      expect(await flagsOf(store)).toEqual([undefined, 'gateway', 'gateway', undefined]);
      await sell(NOON + 3 * MINUTE, NOON + 2 * HOUR);
      expect((await flagsOf(store)).at(-1)).toBe('ahead');
    });

    test('is not believed for sales that a till sends late', async () => {
      const { store, sell } = await openShop();
      await sell(NOON, NOON);
      for (let i = 0; i < 5; i++) await sell(NOON - DAY + i * MINUTE, NOON - 2 * DAY + i * MINUTE);
      expect(await faultOf(store)).toMatchObject({ code: 'before_newest' });
      expect(await flagsOf(store)).toEqual([undefined, ...Array<ClockFlag>(5).fill('gateway')]);
    });
  });

  test('a wrong clock is not confirmed by tills with the same time, and blames no earlier record', async () => {
    const { store, sell } = await openShop();
    await sell(NOON, NOON);
    for (let i = 0; i < 10; i++) await sell(NOON - 2 * DAY, NOON - 2 * DAY, { isTimedElsewhere: false });
    expect(await faultOf(store)).toMatchObject({ code: 'before_newest' });
    expect(await flagsOf(store)).toEqual([undefined, ...Array<ClockFlag>(10).fill('gateway')]);
  });

  test('a clock before the build date cannot be confirmed', async () => {
    const { store, sell, show } = await openShop();
    show(BUILT - DAY);
    await sell(BUILT - DAY, BUILT - DAY);
    await store.health.confirmClock();
    expect(await faultOf(store)).toMatchObject({ code: 'before_build' });
    expect(await flagsOf(store)).toEqual(['gateway']);
  });

  test('confirming a clock that is not in doubt changes nothing', async () => {
    const { store, sell, show } = await openShop();
    await store.health.confirmClock();
    await sell(NOON, NOON);
    show(NOON - MINUTE);
    await store.health.confirmClock();
    expect(await flagsOf(store)).toEqual([undefined]);
  });

  test('the state of the clock survives a restart', async () => {
    const { site, store, key, sell } = await openShop();
    await sell(NOON, NOON);
    await sell(NOON - DAY, NOON + MINUTE);
    await store.close();

    const again = await openShop(site, key);
    again.show(NOON - DAY + MINUTE);
    expect(await faultOf(again.store)).toEqual({ code: 'before_newest', now: NOON - DAY + MINUTE, earliest: NOON });
    await again.sell(NOON - DAY + MINUTE, NOON + 2 * MINUTE);
    await again.sell(NOON + 3 * MINUTE, NOON + 3 * MINUTE);
    expect(await flagsOf(again.store)).toEqual([undefined, 'gateway', 'gateway', undefined]);
  });

  test('a failed transaction does not change the state of the clock', async () => {
    const { store, key, sell } = await openShop();
    await sell(NOON, NOON);
    const wrong = { externalId: 'a', soldAt: NOON / 1000, receivedAt: NOON - DAY };
    await expect(store.records.append({ ...arrivalOf(key, wrong), keyId: 99 })).rejects.toMatchObject({
      code: 'internal',
    });
    await sell(NOON - DAY, NOON);
    expect(await flagsOf(store)).toEqual([undefined, 'gateway']);
  });
});
