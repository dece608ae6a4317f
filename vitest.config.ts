// Tests run in separate processes, because SQLite is a native module and the tests start real gateways.

import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { defineConfig } from 'vitest/config';

import { serveMutants } from './test/faults/mutants.ts';

/**
 * Tests that take too long for a run before every push. They replay half a year of sales, send thousands of invalid calls or
 * start many processes.
 */
const LONG = 'test/**/*.long.test.ts';

/**
 * A failed test is not retried; it has to be fixed. Only `.ci/run` retries tests of whole processes and browsers once, because
 * they depend on how busy the machine is. It names each of them.
 */
const retry = Number(process.env['TEST_RETRIES'] ?? 0);

export default defineConfig({
  // Test files open hundreds of stores, and threads that are used again save almost half of the processor time.
  resolve: { alias: { 'node:worker_threads': join(import.meta.dirname, 'test/support/reused-threads.ts') } },
  test: {
    environment: 'node',
    pool: 'forks',
    // Test files share processes. A new process for each file would load the same modules again, which is a fifth of the
    // total time.
    isolate: false,
    // The tests open hundreds of stores with two threads each. Such a thread lives briefly and mostly loads modules, so these
    // flags reduce the cost of garbage collection.
    execArgv: ['--min-semi-space-size=16', '--single-threaded-gc'],
    // The tests must pass on two processors, but more workers than that are faster: tests with real gateways wait much of the
    // time.
    maxWorkers: 4,
    // How many tests of one file run at the same time, if the file allows it. Such tests mostly wait for processes.
    maxConcurrency: 3,
    // Generous, because a busy machine makes tests slow. No time-out serves to prove that something is fast.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    retry: 0,
    setupFiles: ['test/support/real-clock.ts'],
    allowOnly: false,
    env: {
      // The same few programs and threads start hundreds of times, so Node keeps their compiled code here.
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
          retry,
          testTimeout: 300_000, // half a year of sales takes two minutes on a busy machine
          globalSetup: ['test/support/thread-bundles.ts', 'test/e2e/build.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/electron/*.test.ts'],
          exclude: [LONG],
          retry,
          globalSetup: ['test/support/thread-bundles.ts', 'test/e2e/build.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/!(e2e|electron|faults|package)/**/*.test.ts'],
          exclude: [LONG],
          globalSetup: 'test/support/thread-bundles.ts',
        },
      },
      {
        extends: true,
        plugins: [serveMutants()],
        test: {
          name: 'faults',
          include: ['test/faults/*.test.ts'],
          testTimeout: 86_400_000, // the numbers of the tier decide how long a rig runs
          globalSetup: ['test/support/thread-bundles.ts', 'test/e2e/build.ts', 'test/support/disk/build.ts'],
        },
      },
      { extends: true, test: { name: 'package', include: ['test/package/*.test.ts'] } },
    ],
  },
});

/**
 * The folder for the tests' data: in memory if at least 1 GiB is free there. A sync in memory is immediate, however busy the
 * disk is.
 */
function findQuickFolder(): string {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= 2 ** 30 ? memory : tmpdir();
  } catch {
    return tmpdir(); // only Linux has this folder
  }
}
