// The format of exports follows the user's region.

import { expect, test } from 'vitest';

import { formatOfLocale } from '../../../renderer/model/csv-format.ts';

test.each([
  ['en', 'comma'],
  ['en-GB', 'comma'],
  ['nl', 'semicolon'],
  ['nl-BE', 'semicolon'],
  ['de', 'semicolon'],
  ['de-AT', 'semicolon'],
  ['de-CH', 'semicolonPoint'],
  ['en-NL', 'semicolon'],
])('a spreadsheet of %s opens the format %s as columns', (locale, format) => {
  expect(formatOfLocale(locale)).toBe(format);
});
