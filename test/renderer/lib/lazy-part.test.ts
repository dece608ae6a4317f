import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';

import { lazyPart, LazyPartError, preloadParts } from '../../../renderer/lib/lazy-part.tsx';

const Text = () => 'here';

test('preloading loads every part once, including parts that another one registers', async () => {
  const loaded: string[] = [];
  lazyPart(async () => {
    loaded.push('screen');
    lazyPart(async () => {
      loaded.push('chart in it');
      return Text;
    });
    return Text;
  });
  await preloadParts();
  await preloadParts();
  expect(loaded).toEqual(['screen', 'chart in it']);
});

test('a part that failed to load throws its error, and a retry loads it', async () => {
  let isLost = true;
  const Part = lazyPart(async () => {
    if (isLost) throw new TypeError('no answer');
    return Text;
  });
  await Part.preload();
  expect(() => renderToString(createElement(Part))).toThrow(LazyPartError);
  isLost = false;
  await Part.preload();
  expect(renderToString(createElement(Part))).toBe('here');
});
