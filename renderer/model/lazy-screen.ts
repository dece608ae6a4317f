// A screen, or a part of one, with texts or styles that do not load with the first screen. Shows nothing before its code, texts
// and styles are loaded. A part that needs only the first texts and styles, or is only on such a screen, uses `lazyPart`.

import type { ComponentType } from 'react';

import { lazyPart } from '../lib/lazy-part.tsx';
import { loadLaterWords } from '../locales/words.ts';

export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazyPart(async () => {
    const styles = import('../theme/later-mantine-styles.ts');
    const [component] = await Promise.all([load(), loadLaterWords(), styles]);
    return component;
  });
}
