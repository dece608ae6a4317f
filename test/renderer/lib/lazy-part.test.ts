import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';

import { lazyPart, LazyPartError, preloadParts } from '../../../renderer/lib/lazy-part.tsx';

const Text = () => 'here';

test('all parts are loaded beforehand and once, those that come with another one too', async () => {
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

test('a part that could not be loaded says so, and is loaded when it is tried again', async () => {
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
