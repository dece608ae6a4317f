// A lazy screen, or a lazy part of a screen, whose texts or styles are not loaded with the first screen. Shows nothing until
// its code, texts and styles are loaded. A part whose texts and styles are already loaded uses `lazyPart`.

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
