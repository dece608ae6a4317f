// The store learns from arrival times at which hours tills are usually quiet.

import { describe, expect, test } from 'vitest';

import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const OPENED = new Date(2026, 9, 1).getTime(); // midnight in this machine's time zone
const lastDay = OPENED + 28 * DAY;

describe.each(engines)('a quiet store on $name', ({ makeSite }) => {
  /**
   * Whether a store is quiet at `now`, after `days` days with a sale each hour from nine to six. `more` are the times of
   * further sales.
   */
  async function isQuietAt(now: number, { days = 28, more = [] as number[] } = {}): Promise<boolean> {
    let clock = OPENED;
    const store = await makeSite().open({ now: () => clock });
    const key = await makeKey(store);
    const hours = Array.from({ length: days }, (_, day) =>
      Array.from({ length: 10 }, (_hour, hour) => day * DAY + (9 + hour) * HOUR),
    );
    const times = [...hours.flat().map((at) => OPENED + at), ...more]
      .filter((at) => at <= now)
      .toSorted((a, b) => a - b);
    await Promise.all(
      times.map((receivedAt, i) => store.records.append(arrivalOf(key, { externalId: String(i), receivedAt }))),
    );
    clock = now;
    return store.glance.isQuiet();
  }

  describe('a store that is open from nine to six', () => {
    test.each([
      ['before it opens', lastDay + 6 * HOUR, true],
      ['shortly before it opens', lastDay + 8 * HOUR + 30 * MINUTE, false],
      ['an hour and a half before it opens, which may be half an hour', lastDay + 7.5 * HOUR, false],
      ['while it is open', lastDay - DAY + 12 * HOUR + 45 * MINUTE, false],
      ['just after the last sale', lastDay - DAY + 18 * HOUR + 20 * MINUTE, false],
      ['half an hour later, as after a clock change', lastDay - DAY + 18 * HOUR + 31 * MINUTE, false],
      ['an hour later', lastDay - DAY + 19 * HOUR + 1 * MINUTE, true],
      ['at night', lastDay + 3 * HOUR, true],
    ])('%s', async (_when, now, isQuiet) => {
      expect(await isQuietAt(now)).toBe(isQuiet);
    });

    test('is not quiet while a till that was offline sends', async () => {
      expect(await isQuietAt(lastDay + 3 * HOUR, { more: [lastDay + 2.75 * HOUR] })).toBe(false);
    });

    test('is not quiet at an hour with one sale in four weeks', async () => {
      const nightSale = OPENED + 10 * DAY + 3.5 * HOUR;
      expect(await isQuietAt(lastDay + 3 * HOUR, { more: [nightSale] })).toBe(false);
      expect(await isQuietAt(lastDay + 5 * HOUR, { more: [nightSale] })).toBe(true);
    });
  });

  test('a store that tried a sale once, or was closed for weeks, is quiet only at night', async () => {
    const firstMorning = OPENED + 10 * DAY + 9.5 * HOUR;
    expect(await isQuietAt(firstMorning, { days: 0, more: [OPENED + HOUR] })).toBe(false);
    expect(await isQuietAt(OPENED + 63 * DAY + 9.5 * HOUR)).toBe(false);
  });

  test('a store that is new, or sells nothing, is quiet only at night', async () => {
    for (const days of [0, 3])
      expect([
        days,
        await isQuietAt(OPENED + 3 * DAY + 3 * HOUR, { days }),
        await isQuietAt(OPENED + 3 * DAY + 7 * HOUR, { days }),
      ]).toEqual([days, true, false]);
  });
});
