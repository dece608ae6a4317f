// Bundles each thread of the store into one file before the tests. Most tests open a store, and a thread starts much faster from
// one file than from its 150 sources. The bundles run in reused threads (reused-threads.ts). Each bundle is a function, so a
// thread compiles it once and calls it for each use.

import { join } from 'node:path';

import { build, type Plugin } from 'vite';
import type { TestProject } from 'vitest/node';

import shipped, { THREADS } from '../../build/vite.node.config.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The bundles of this run. Vitest loads this file again for each of its projects, but in the same process. */
const run = globalThis as { threadBundles?: Promise<void> };

export default async function setup(project: TestProject): Promise<void> {
  await (run.threadBundles ??= bundleThreads());
  project.onTestsRerun(bundleThreads);
}

/** Wraps the statements of a bundle into a function. Its lines stay where the source map expects them. */
const asFunction: Plugin = {
  name: 'as-function',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk' || !file.isEntry) continue;
      const [, imports, body, end] = /^((?:import .*;\n)*)([^]*)export \{\};(\n[^]*)$/.exec(file.code) ?? [];
      if (imports === undefined || body === undefined || end === undefined)
        throw new Error(`${file.fileName} exports something`);
      file.code = `${imports.trimEnd()} export default function use() {\n${body}}${end}`;
    }
  },
};

/** Each thread has a separate build, so that no two threads share a file. */
async function bundleThreads(): Promise<void> {
  for (const thread of THREADS)
    await build({
      ...shipped,
      configFile: false,
      logLevel: 'warn',
      plugins: [...(shipped.plugins ?? []), asFunction],
      resolve: { alias: { 'node:worker_threads': join(import.meta.dirname, 'thread-in-use.mjs') } },
      build: {
        ...shipped.build,
        outDir: join(ROOT, 'test-results/threads'),
        emptyOutDir: false,
        rolldownOptions: {
          ...shipped.build?.rolldownOptions,
          input: join(ROOT, `server/store/sqlite/engine/${thread}.ts`),
          output: {
            entryFileNames: '[name].mjs',
            chunkFileNames: `${thread}-[name].mjs`,
            // Evaluated only once in a reused thread.
            codeSplitting: { groups: [{ name: 'libraries', test: /node_modules/ }] },
          },
        },
      },
    });
}
