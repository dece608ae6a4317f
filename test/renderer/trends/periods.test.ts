import { expect, test } from 'vitest';

import { movePeriod, periodAt } from '../../../renderer/trends/periods.ts';

const [MONDAY, SUNDAY] = [1, 7];

test('a week begins on the first weekday of the locale', () => {
  expect(periodAt('week', '2026-11-26', MONDAY)).toEqual({ from: '2026-11-23', to: '2026-11-29' });
  expect(periodAt('week', '2026-11-29', MONDAY)).toEqual({ from: '2026-11-23', to: '2026-11-29' });
  expect(periodAt('week', '2026-11-29', SUNDAY)).toEqual({ from: '2026-11-29', to: '2026-12-05' });
});

test('the month before has its own length', () => {
  const march = periodAt('month', '2026-03-31', MONDAY);
  expect(march).toEqual({ from: '2026-03-01', to: '2026-03-31' });
  expect(movePeriod('month', march, -1, MONDAY)).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  expect(movePeriod('week', { from: '2026-03-02', to: '2026-03-08' }, -1, MONDAY)).toEqual({
    from: '2026-02-23',
    to: '2026-03-01',
  });
});
