// The console imports the styles of exactly the Mantine components that it uses, directly or inside other components. The first
// screen loads only the styles of its own components.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { expect, test } from 'vitest';

import { listFirstSources } from '../../support/first-sources.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MANTINE = join(ROOT, 'node_modules/@mantine');
const STYLES = join(MANTINE, 'core/styles');

/** The names that a file imports from a package or a folder. */
function namesFrom(file: string, from: string): string[] {
  const imports = readFileSync(file, 'utf8').matchAll(/import \{([^}]*)\} from ['"]([^'"]+)['"]/g);
  return [...imports]
    .filter(([, , source]) => source === from)
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim().replace(/ as .*/, ''))
    .filter((name) => name !== '' && !name.startsWith('type '));
}

const filesOf = (part: string): Map<string, string> =>
  new Map(globSync(join(MANTINE, part, 'esm/**/*.mjs')).map((file) => [basename(file, '.mjs'), file]));
const core = filesOf('core');
const charts = filesOf('charts');

/** The components that have their own styles and are used by the sources, directly or indirectly. */
function stylesUsed(sources: readonly string[]): Set<string> {
  const found = (files: Map<string, string>, names: readonly string[]): string[] =>
    names.flatMap((name) => files.get(name) ?? []);
  const todo = sources.flatMap((file) => [
    ...found(core, namesFrom(file, '@mantine/core')),
    ...found(charts, namesFrom(file, '@mantine/charts')),
  ]);
  const seen = new Set<string>();
  const styles = new Set<string>();
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    const name = basename(file, '.module.mjs');
    if (file.endsWith('.module.mjs') && existsSync(join(STYLES, `${name}.layer.css`))) styles.add(name);
    const here = dirname(file);
    const near = readFileSync(file, 'utf8').matchAll(/ from "(\.[^"]+)"/g);
    todo.push(
      ...[...near].map(([, path = '']) => resolve(here, path)),
      ...found(core, namesFrom(file, '@mantine/core')),
    );
  }
  return styles;
}

/** The styles that a file of renderer/theme/ imports. */
function stylesIn(file: string): Set<string> {
  const imported = readFileSync(join(ROOT, 'renderer/theme', file), 'utf8').matchAll(/styles\/(.+)\.layer\.css/g);
  return new Set([...imported].map(([, name = '']) => name));
}

const ALWAYS = ['default-css-variables', 'baseline', 'global'];
const FIRST = stylesUsed(listFirstSources());

test('the first screen loads the styles of exactly its own components', () => {
  expect(FIRST.size).toBeGreaterThan(20);
  expect(stylesIn('mantine-styles.ts')).toEqual(new Set([...ALWAYS, ...FIRST]));
});

test('the other screens load the styles of exactly the other used components', () => {
  const all = stylesUsed(globSync(join(ROOT, 'renderer/**/*.{ts,tsx}')));
  expect(stylesIn('later-mantine-styles.ts')).toEqual(all.difference(FIRST));
});
