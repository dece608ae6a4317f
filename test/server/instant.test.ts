import fc from 'fast-check';
import { expect, test } from 'vitest';

import { formatInstant, parseInstant } from '../../server/instant.ts';

test.each([
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2100-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-12-31T23:59:60Z',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00:00z',
  '2026-01-01t00:00:00Z',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00.5Z',
  '2026-01-01T00:00:00+00:00',
  '2026-1-1T00:00:00Z',
  '+02026-01-01T00:00:00Z',
  ' 2026-01-01T00:00:00Z',
  '２026-01-01T00:00:00Z',
  '',
])('%j is not an instant', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test('every whole second from year 0 to 9999 is read as what it was written from', () => {
  const [first, last] = [Date.UTC(2000, 0, 1) / 1000 - 5 * 146_097 * 86_400, Date.UTC(9999, 11, 31, 23, 59, 59) / 1000];
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), (seconds) => {
      expect(parseInstant(`${formatInstant(seconds)}Z`)).toBe(seconds);
    }),
    { examples: [[first], [last], [0], [-1], [Date.UTC(2024, 1, 29) / 1000]] },
  );
});

test('a bound may leave the Z out, a record may not', () => {
  expect(parseInstant('2026-11-20T00:00:00', 'optional')).toBe(parseInstant('2026-11-20T00:00:00Z'));
  expect(parseInstant('2026-11-20T00:00:00')).toBeUndefined();
});
