// Bundles each thread of the store into one file before the tests. Most tests open a store, and a thread starts much faster from
// one file than from its 150 sources. The bundles run in reused threads (reused-threads.ts).

import { join } from 'node:path';

import { build } from 'vite';
import type { TestProject } from 'vitest/node';

import shipped, { THREADS } from '../../build/vite.node.config.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The bundles of this run. Vitest loads this file again for each of its projects, but in the same process. */
const run = globalThis as { threadBundles?: Promise<void> };

export default async function setup(project: TestProject): Promise<void> {
  await (run.threadBundles ??= bundleThreads());
  project.onTestsRerun(bundleThreads);
}

/** Each thread has a separate build, so that no two threads share a file. */
async function bundleThreads(): Promise<void> {
  for (const thread of THREADS)
    await build({
      ...shipped,
      configFile: false,
      logLevel: 'warn',
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
            // Evaluated only once in a reused thread, because its address stays the same.
            codeSplitting: { groups: [{ name: 'libraries', test: /node_modules/ }] },
          },
        },
      },
    });
}
