// The styles of every Mantine component that the console uses, also inside another component, are imported. No other styles are
// imported.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { expect, test } from 'vitest';

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

/** The components that have their own styles and are used by the renderer, directly or indirectly. */
function stylesUsed(): Set<string> {
  const renderer = globSync(join(ROOT, 'renderer/**/*.{ts,tsx}'));
  const found = (files: Map<string, string>, names: readonly string[]): string[] =>
    names.flatMap((name) => files.get(name) ?? []);
  const todo = renderer.flatMap((file) => [
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

test('the styles of exactly the used components are imported', () => {
  const imported = readFileSync(join(ROOT, 'renderer/theme/mantine-styles.ts'), 'utf8').matchAll(
    /styles\/(.+)\.layer\.css/g,
  );
  const always = ['default-css-variables', 'baseline', 'global'];
  expect(new Set([...imported].map(([, name]) => name))).toEqual(new Set([...always, ...stylesUsed()]));
});
