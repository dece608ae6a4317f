// Log lines mask a key in a path or a query, however it is spelled.

import { expect, test } from 'vitest';

import { withoutKeys } from '../../../server/api/mask.ts';

const SECRET = 'Canary0123456789';

test.each<[form: string, path: string, shown: string]>([
  ['in plain text', `/v1/prod_${SECRET}/x`, '/v1/prod_…'],
  ['with an encoded underscore', `/v1/test%5F${SECRET}`, '/v1/test%5F…'],
  ['with an encoded letter', `/%70rod_${SECRET}`, '/%70rod_…'],
  ['with every character encoded', `/%74%65%73%74%5f${SECRET}`, '/%74%65%73%74%5f…'],
  ['encoded twice', `/%2570rod%255f${SECRET}`, '/%2570rod%255f…'],
  ['with a JSON escape', `/pro\\u0064_${SECRET}\\/${SECRET}`, '/pro\\u0064_…'],
  ['in capitals', `/PROD_${SECRET}`, '/PROD_…'],
])('a key is masked %s', (_form, path, shown) => {
  expect(withoutKeys(path)).toBe(shown);
});

test('a key is masked wherever the excerpt ends', () => {
  for (let length = 150; length < 200; length++) {
    const shown = withoutKeys(`${'-'.repeat(length)}%2570rod_${SECRET}`);
    expect(shown).not.toContain('Can');
    expect(shown.length).toBeLessThanOrEqual(200);
  }
});

test('a path without a key stays unchanged', () => {
  expect(withoutKeys('/v1/production/%70roduct?test=1')).toBe('/v1/production/%70roduct?test=1');
});
