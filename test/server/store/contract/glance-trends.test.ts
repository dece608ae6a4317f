// The sales of some store days, by till and hour of local time.

import { describe, expect, test } from 'vitest';

import { listStoreDays, always } from '../../../../server/store-day.ts';
import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

/** Clocks in Amsterdam went back on 25 October 2026, so the hour from two to three occurred twice. */
const ZONE = 'Europe/Amsterdam';
const days = listStoreDays('2026-10-24', '2026-10-26', always({ timeZone: ZONE, dayStartsAt: 4 * 60 }));

describe.each(engines)('trends on $name', ({ makeSite }) => {
  test('count NEW records of both interfaces by store day, till and hour, also when a clock change repeats an hour', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store, 'Till 1');
    const other = await makeKey(store, 'Till 2');
    await makeKey(store, 'Till 3');
    const foreign = await makeKey(store, 'Till 1', { mode: 'test' });
    const sell = (at: string, externalId: string, by = key) =>
      store.records.append(arrivalOf(by, { externalId, soldAt: Date.parse(at) / 1000 }));
    await sell('2026-10-24T01:59:59Z', 'before the first day');
    await sell('2026-10-24T02:00:00Z', 'four in the morning');
    await sell('2026-10-25T00:30:00Z', 'half past two');
    await sell('2026-10-25T01:30:00Z', 'half past two again');
    await sell('2026-10-25T01:30:00Z', 'half past two again');
    await sell('2026-10-26T12:00:00Z', 'one in the afternoon', other);
    await sell('2026-10-26T12:00:00Z', 'another journal', foreign);
    const earlier = { version: 'v1', method: 'POST' } as const;
    await store.records.append({
      ...arrivalOf(other, { externalId: 'earlier', soldAt: Date.parse('2026-10-26T12:59:00Z') / 1000 }),
      earlier,
    });

    const { tills, outages } = await store.glance.getTrends({ journalId: key.journalId, days, timeZone: ZONE });
    const sold = tills.map(({ label, hours }) => ({
      label,
      sold: hours.flatMap((day, index) =>
        day.flatMap((n, hour) => (n === 0 ? [] : [`${days[index]?.date} ${hour}h: ${n}`])),
      ),
    }));
    expect(sold).toEqual([
      { label: 'Till 1', sold: ['2026-10-24 2h: 2', '2026-10-24 4h: 1'] },
      { label: 'Till 2', sold: ['2026-10-26 13h: 2'] },
    ]);
    expect(outages).toEqual([]);
  });
});
