// The sources of the console that may run before the later texts and styles are loaded.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const RENDERER = join(import.meta.dirname, '../../renderer');

const STATIC_IMPORT = /^(?:import|export)(?! type\b)[^;]*?from '(\.[^']+\.tsx?)';/gm;
const LAZY_IMPORT = /(lazyScreen\(\s*async \(\) =>\s*\(?await )?import\('(\.[^']+\.tsx?)'\)/g;

/**
 * The entry and everything that it imports, except parts behind `lazyScreen`. Those parts wait for the later texts and styles.
 */
export function listFirstSources(): string[] {
  const seen = new Set<string>([join(RENDERER, 'main.tsx')]);
  for (const path of seen) {
    const source = readFileSync(path, 'utf8');
    const lazy = [...source.matchAll(LAZY_IMPORT)].filter(([, waits]) => waits === undefined);
    const named = [
      ...[...source.matchAll(STATIC_IMPORT)].map(([, each = '']) => each),
      ...lazy.map(([, , each = '']) => each),
    ];
    for (const each of named) {
      const imported = join(dirname(path), each);
      if (imported.startsWith(RENDERER)) seen.add(imported); // the loop also visits the files that it adds
    }
  }
  return [...seen];
}
