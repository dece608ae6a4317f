// Tests run in processes of their own, because SQLite is a native module and the tests start real gateways. A test that
// fails is not tried again: it is mended.

import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { defineConfig } from 'vitest/config';

/** Too long for what is run before every push: half a year of sales over and over, thousands of spoiled calls, many processes. */
const LONG = 'test/**/*.long.test.ts';

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    // Files share the processes: starting one and loading the same modules in it again would be a fifth of the whole time.
    isolate: false,
    // Hundreds of stores with two threads each are opened: most of what those do in their short lives is load modules.
    execArgv: ['--min-semi-space-size=16', '--single-threaded-gc'],
    // More than the two processors that the tests are meant to get by with: those of real gateways wait a good part of the time.
    maxWorkers: 4,
    // Of a file whose tests are independent and wait for processes.
    maxConcurrency: 3,
    // Generous, because time passes faster than the tests on a busy machine. A limit never proves that something is quick.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    retry: 0,
    allowOnly: false,
    env: {
      // The same few programs and threads start hundreds of times: what V8 made of their code is kept.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'test-results/compile-cache'),
      TMPDIR: findQuickFolder(),
    },
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
    coverage: { include: ['server/**'], reporter: ['text-summary', 'html'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'long',
          include: [LONG],
          globalSetup: 'test/e2e/build.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/electron/*.test.ts'],
          exclude: [LONG],
          globalSetup: 'test/e2e/build.ts',
        },
      },
      {
        extends: true,
        test: { name: 'parts', include: ['test/!(e2e|electron|package)/**/*.test.ts'], exclude: [LONG] },
      },
      { extends: true, test: { name: 'package', include: ['test/package/*.test.ts'] } },
    ],
  },
});

/** Where the tests keep their data: in memory where there is plenty, which syncs at once however busy the disk is. */
function findQuickFolder(): string {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= 2 ** 30 ? memory : tmpdir();
  } catch {
    return tmpdir(); // not Linux
  }
}
