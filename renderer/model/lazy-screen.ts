// A screen, or a part of one, with texts that do not load with the first screen. Shows nothing before its code and its texts are
// loaded. Parts that use only first texts, or appear only on such a screen, need only `lazyPart`.

import type { ComponentType } from 'react';

import { lazyPart } from '../lib/lazy-part.tsx';
import { loadLaterWords } from '../locales/words.ts';

export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazyPart(async () => {
    const [component] = await Promise.all([load(), loadLaterWords()]);
    return component;
  });
}
