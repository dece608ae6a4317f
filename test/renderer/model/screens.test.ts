import { expect, test } from 'vitest';

import { screenAt, SCREENS } from '../../../renderer/model/screens.ts';

test.each([
  ['/', 'today'],
  ['/records', 'records'],
  ['/records/12', 'records'],
  ['/days/2026-11-04', 'days'],
  ['/settings/', 'settings'],
  ['/recordings', undefined],
  ['/welcome', undefined],
])('%s is at %s', (path, name) => expect(screenAt(path)?.name).toBe(name));

test('each screen has a letter of its own', () => {
  expect(new Set(SCREENS.map(({ letter }) => letter)).size).toBe(SCREENS.length);
});
