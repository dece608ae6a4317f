// The first screen loads only the texts that it uses. The build divides the texts by `later.ts`.

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { LATER_NAMESPACES } from '../../../renderer/locales/later.ts';

const ROOT = join(import.meta.dirname, '../../../renderer');

const STATIC_IMPORT = /^(?:import|export)(?! type\b)[^;]*?from '(\.[^']+\.tsx?)';/gm;
/** A part behind `lazyScreen` waits for the later texts. Every other part is counted to the first screen. */
const LAZY_IMPORT = /(lazyScreen\(\s*async \(\) =>\s*\(?await )?import\('(\.[^']+\.tsx?)'\)/g;

/** The sources that may be used before the later texts are loaded. */
function listFirstSources(path: string, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(path)) return seen;
  const source = readFileSync(path, 'utf8');
  seen.set(path, source);
  const named = [
    ...[...source.matchAll(STATIC_IMPORT)].map(([, each = '']) => each),
    ...[...source.matchAll(LAZY_IMPORT)].filter(([, waits]) => waits === undefined).map(([, , each = '']) => each),
  ].map((each) => join(dirname(path), each));
  for (const each of named) if (!relative(ROOT, each).startsWith('..')) listFirstSources(each, seen);
  return seen;
}

/** The namespaces that a source takes texts from. */
function namespacesIn(source: string): Set<string> {
  const asked = [...source.matchAll(/useTranslation\(([^)]*)\)/g)].flatMap(([, names = '']) => [
    ...names.matchAll(/'(\w+)'/g),
  ]);
  const named = source.matchAll(/(?:\bns: |\bwordsFor\()'(\w+)'/g);
  const prefixed = source.matchAll(/['"`](\w+):\w/g);
  return new Set([...asked, ...named, ...prefixed].map(([, name = '']) => name).filter((name) => name in en));
}

test('the first screen uses no later texts, and all texts that it does not use are later ones', () => {
  const users = [...listFirstSources(join(ROOT, 'main.tsx'))].map(
    ([path, source]) => [relative(ROOT, path), namespacesIn(source)] as const,
  );
  expect(users.length).toBeGreaterThan(40);
  const tooEarly = users.flatMap(([path, names]) =>
    [...names].filter((name) => LATER_NAMESPACES.includes(name)).map((name) => `${path} uses ${name}`),
  );
  expect(tooEarly, 'load the part by lazyScreen, or take the namespace out of later.ts').toEqual([]);

  const used = new Set(users.flatMap(([, names]) => [...names]));
  expect(
    Object.keys(en)
      .filter((name) => !used.has(name))
      .toSorted(),
    'later.ts',
  ).toEqual(LATER_NAMESPACES.toSorted());
});
