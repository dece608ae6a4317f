// How the console writes times, also on days with a clock change.

import i18next from 'i18next';
import { expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { formatsFor } from '../../../renderer/locales/format.ts';

const words = i18next.createInstance();
await words.init({ lng: 'en', resources: { en } });

/** The formats of a shop in Amsterdam at the instant `now`. */
const at = (now: string) => formatsFor('Europe/Amsterdam', words.getFixedT('en', 'format'), () => Date.parse(now));

const said = (now: string, then: string): string => {
  const formats = at(now);
  return formats.time(Date.parse(then)).replace(formats.clock(Date.parse(then)), '…');
};

test('a time has its date if it is not today', () => {
  const now = '2026-11-22T12:00Z';
  expect(said(now, '2026-11-22T08:05Z')).toBe('…');
  expect(said(now, '2026-11-21T08:05Z')).toBe('yesterday …');
  expect(said(now, '2026-11-20T08:05Z')).toBe('Nov 20 …');
  expect(said(now, '2025-11-20T08:05Z')).toBe('Nov 20, 2025 …');
});

test.each([
  ['late on a day of 25 hours', '2026-10-25T23:30+01:00', '2026-10-25T00:15+02:00', '2026-10-24T20:00+02:00'],
  ['early after a day of 23 hours', '2026-03-30T00:30+02:00', '2026-03-30T00:15+02:00', '2026-03-29T20:00+02:00'],
])('yesterday is the day before today: %s', (_, now, today, yesterday) => {
  expect(said(now, today)).toBe('…');
  expect(said(now, yesterday)).toBe('yesterday …');
  expect(at(now).dayName(Date.parse(yesterday))).toBe('Yesterday');
});

test('the day before yesterday has its own name on such a day, too', () => {
  expect(said('2026-03-30T00:30+02:00', '2026-03-28T20:00+01:00')).toBe('Mar 28 …');
});

test('an amount keeps every digit, and its currency decides the sign', () => {
  const { amount } = at('2026-11-22T12:00Z');
  expect(amount({ currency: 'EUR', value: '12.50' })).toBe('€12.50');
  expect(amount({ currency: 'JPY', value: '1250' })).toBe('¥1,250');
  expect(amount({ currency: null, value: '-0.125' })).toBe('-0.125');
  expect(amount({ currency: 'EUR', value: '90071992547409931.10' })).toBe('€90,071,992,547,409,931.10');
});
