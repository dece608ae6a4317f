// Bundles each thread of the store into one file before the tests. Most tests open a store, and a thread starts much faster from
// one file than from its 150 sources. `use-thread-bundles.mjs` redirects the threads to the bundles.

import { join } from 'node:path';

import { build } from 'vite';
import type { TestProject } from 'vitest/node';

import shipped from '../../build/vite.node.config.ts';
import { BUNDLES, SOURCES, THREADS } from './use-thread-bundles.mjs';

export default async function setup(project: TestProject): Promise<void> {
  await bundleThreads();
  project.onTestsRerun(bundleThreads);
}

/** Each thread has a separate build, so that no two threads share a file. */
async function bundleThreads(): Promise<void> {
  for (const thread of THREADS)
    await build({
      ...shipped,
      configFile: false,
      logLevel: 'warn',
      build: {
        ...shipped.build,
        outDir: BUNDLES,
        emptyOutDir: false,
        rolldownOptions: { ...shipped.build?.rolldownOptions, input: join(SOURCES, `${thread}.ts`) },
      },
    });
}
