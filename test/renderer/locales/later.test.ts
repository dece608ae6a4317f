// The first screen loads only the texts that it uses. The build reads `later.ts` to find the texts that load later.

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

import { expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { LATER_NAMESPACES } from '../../../renderer/locales/later.ts';
import { listFirstSources, RENDERER } from '../../support/first-sources.ts';

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
  const users = listFirstSources().map(
    (path) => [relative(RENDERER, path), namespacesIn(readFileSync(path, 'utf8'))] as const,
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
