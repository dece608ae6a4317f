// Tests run in processes of their own, because SQLite is a native module and the tests start real gateways. A test that
// fails is not tried again: it is mended.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    retry: 0,
    allowOnly: false,
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
    coverage: { include: ['server/**'], reporter: ['text-summary', 'html'] },
  },
});
