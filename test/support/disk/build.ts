// Builds what a recorded disk needs, once before the tests: the libraries that LD_PRELOAD loads into a process, and the shop with
// the threads of its store as bundles. The sources of a shop take a second to load, and R4 runs thousands of shops.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'vite';
import type { TestProject } from 'vitest/node';

import shipped, { THREADS } from '../../../build/vite.node.config.ts';
import { BUILT, hasCompiler, libraryOf, LIBRARIES } from './built.ts';

const ROOT = join(import.meta.dirname, '../../..');

export default async function setup(project: TestProject): Promise<void> {
  await buildAll();
  project.onTestsRerun(buildAll);
}

async function buildAll(): Promise<void> {
  if (!hasCompiler()) return;
  await build({
    ...shipped,
    configFile: false,
    logLevel: 'warn',
    build: {
      ...shipped.build,
      outDir: BUILT,
      rolldownOptions: {
        ...shipped.build?.rolldownOptions,
        input: [
          join(import.meta.dirname, 'shop.ts'),
          ...THREADS.map((thread) => join(ROOT, `server/store/sqlite/engine/${thread}.ts`)),
        ],
      },
    },
  });
  mkdirSync(BUILT, { recursive: true });
  for (const source of LIBRARIES) {
    const path = join(import.meta.dirname, source);
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', libraryOf(source), path, '-ldl', '-lpthread']);
  }
}
