import { expect, test } from 'vitest';

import { pageAt, screenAt, SCREENS } from '../../../renderer/model/screens.ts';

test.each([
  ['/', 'today'],
  ['/records', 'records'],
  ['/records/12', 'records'],
  ['/days/2026-11-04', 'days'],
  ['/settings/', 'settings'],
  ['/network', 'settings'],
  ['/recordings', undefined],
  ['/welcome', undefined],
])('the path %s belongs to the screen %s', (path, name) => expect(screenAt(path)?.name).toBe(name));

test('a page that Settings leads to has its own name', () => {
  expect(pageAt('/network/')?.name).toBe('network');
  expect(pageAt('/settings')).toBeUndefined();
});

test('each screen has its own letter', () => {
  expect(new Set(SCREENS.map(({ letter }) => letter)).size).toBe(SCREENS.length);
});
