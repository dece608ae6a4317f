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
])('the path %s belongs to the screen %s', (path, name) => expect(screenAt(path)?.name).toBe(name));

test('each screen has its own letter', () => {
  expect(new Set(SCREENS.map(({ letter }) => letter)).size).toBe(SCREENS.length);
});
