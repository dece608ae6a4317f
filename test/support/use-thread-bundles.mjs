// Redirects the threads of the store to their bundles. Node loads this module first in every test process and in its threads.

import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');

export const THREADS = ['writer', 'reader', 'comparer', 'examiner', 'copier'];
export const SOURCES = join(root, 'server/store/sqlite/engine');
export const BUNDLES = join(root, 'test-results/threads');

const bundleOf = new Map(
  THREADS.map((name) => [
    pathToFileURL(join(SOURCES, `${name}.ts`)).href,
    pathToFileURL(join(BUNDLES, `${name}.mjs`)).href,
  ]),
);

registerHooks({
  resolve(specifier, context, next) {
    const bundle = context.parentURL === undefined ? bundleOf.get(specifier) : undefined;
    return next(bundle ?? specifier, context);
  },
});
