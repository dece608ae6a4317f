import fc from 'fast-check';
import { expect, test } from 'vitest';

import { canonicalInstant, formatInstant, parseInstant, readBound } from '../../../server/lib/instant.ts';

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
  '2026-12-31T23:59:61Z',
  '2026-02-30T00:00:00.5Z',
  '2026-01-01T24:00:00+01:00',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00,5Z',
  '2026-01-01T00:00:00.5',
  `2026-01-01T00:00:00.${'1'.repeat(31)}Z`,
  '2026-01-01T00:00:00+14:01',
  '2026-01-01T00:00:00-14:01',
  '2026-01-01T00:00:00+15:00',
  '2026-01-01T00:00:00+01:60',
  '2026-01-01T00:00:00+1:00',
  '2026-01-01T00:00:00+1',
  '2026-01-01T00:00:00+001',
  '2026-01-01T00:00:00+01:0',
  '2026-01-01T00:00:00+01:00:00',
  '2026-01-01T00:00:00\u221201:00',
  '2026-01-01T00:00:00 01:00',
  '2026-01-01T00:00:00Z+01:00',
  '2026-01-01T00:00:00+01:00Z',
  '2026-01-01T00:00:00+01:00\n',
  '2026-01-01T00:00:00[Europe/Paris]',
  '0000-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '2026-1-1T00:00:00Z',
  '+02026-01-01T00:00:00Z',
  ' 2026-01-01T00:00:00Z',
  '２026-01-01T00:00:00Z',
  '',
])('%j is not an instant', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test('every whole second from year 0 to 9999 is read back correctly', () => {
  const [first, last] = [Date.UTC(2000, 0, 1) / 1000 - 5 * 146_097 * 86_400, Date.UTC(9999, 11, 31, 23, 59, 59) / 1000];
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), (seconds) => {
      expect(parseInstant(`${formatInstant(seconds)}Z`)).toBe(seconds);
    }),
    { examples: [[first], [last], [0], [-1], [Date.UTC(2024, 1, 29) / 1000]] },
  );
});

test('a bound may omit the Z, a record may not', () => {
  expect(readBound('2026-11-20T00:00:00')?.seconds).toBe(parseInstant('2026-11-20T00:00:00Z'));
  expect(parseInstant('2026-11-20T00:00:00')).toBeUndefined();
});

/** Each row is one instant in several spellings: its epoch seconds rounded down, its fraction, and the spellings. */
const SPELLINGS: readonly (readonly [seconds: string, fraction: string, spellings: readonly string[]])[] = [
  [
    '2026-11-20T10:00:00Z',
    '',
    [
      '2026-11-20T10:00:00Z',
      '2026-11-20T10:00:00.0Z',
      '2026-11-20T10:00:00.000Z',
      '2026-11-20T10:00:00+00:00',
      '2026-11-20T10:00:00-00:00',
      '2026-11-20T11:00:00+01:00',
      '2026-11-20T11:00:00+0100',
      '2026-11-20T11:00:00+01',
      '2026-11-20T04:30:00-05:30',
      '2026-11-21T00:00:00.000+14:00',
      '2026-11-19T20:00:00-14:00',
    ],
  ],
  ['2026-11-20T10:00:00Z', '5', ['2026-11-20T10:00:00.5Z', '2026-11-20T10:00:00.500Z', '2026-11-20T11:00:00.50+01:00']],
  ['2026-11-20T10:00:00Z', '005', ['2026-11-20T10:00:00.005Z', '2026-11-20T10:00:00.005000000Z']],
  ['1969-12-31T23:59:59Z', '999999999', ['1969-12-31T23:59:59.999999999Z', '1970-01-01T00:59:59.999999999+01:00']],
  ['2024-02-29T23:30:00Z', '', ['2024-03-01T00:30:00+01:00']],
  ['0000-01-01T00:00:00Z', '', ['0000-01-01T01:00:00+01:00']],
  ['9999-12-31T23:59:59Z', '', ['9999-12-31T22:59:59-01:00']],
];

test.each(SPELLINGS.flatMap(([seconds, fraction, all]) => all.map((text) => [text, seconds, fraction] as const)))(
  '%s is the second %s and the fraction "%s"',
  (text, seconds, fraction) => {
    expect(parseInstant(text)).toBe(Date.parse(seconds) / 1000);
    expect(canonicalInstant(text)).toBe(`${Date.parse(seconds) / 1000}.${fraction}`);
  },
);

test('a record counts in the second in which it began, also before 1970 and with an offset', () => {
  const offset = fc.integer({ min: -840, max: 840 });
  const fraction = fc.integer({ min: 0, max: 999 });
  fc.assert(
    fc.property(fc.integer({ min: -4e9, max: 4e9 }), offset, fraction, (seconds, minutes, ms) => {
      const local = formatInstant(seconds + minutes * 60);
      const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) =>
        String(n).padStart(2, '0'),
      );
      const zone = `${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
      expect(parseInstant(`${local}.${String(ms).padStart(3, '0')}${zone}`)).toBe(seconds);
    }),
  );
});

test('a bound accepts the same forms, and may also omit its zone after a fraction', () => {
  expect(readBound('2026-11-20T10:00:00.500')).toEqual({
    seconds: parseInstant('2026-11-20T10:00:00Z'),
    fraction: '5',
  });
  expect(readBound('2026-11-20T11:00:00+01:00')).toEqual({
    seconds: parseInstant('2026-11-20T10:00:00Z'),
    fraction: '',
  });
  expect(readBound('2026-02-30T00:00:00')).toBeUndefined();
});
