#!/usr/bin/env node
// Runs after `npm test`: lists the tests that it did not run, and the command for them.

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { z } from 'zod';

import { findHeadlessChromium, HOW_TO_GET_CHROMIUM } from './chromium.ts';

const ROOT = join(import.meta.dirname, '../..');
const report = z.object({
  testResults: z.array(
    z.object({ name: z.string(), assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) }),
  ),
});

const count = (pattern: string): number => globSync(pattern, { cwd: ROOT }).length;
const { testResults } = report.parse(JSON.parse(readFileSync(join(ROOT, 'test-results/vitest.json'), 'utf8')));
const isSkipped = ({ status }: { readonly status: string }): boolean => ['skipped', 'pending'].includes(status);
const skipped = testResults
  .map(({ name, assertionResults }) => ({ name, skipped: assertionResults.filter(isSkipped) }))
  .filter((file) => file.skipped.length > 0);

console.log(`
Not run by npm test:
  ${count('test/**/*.long.test.ts')} files of long tests: npm run test:all
  ${count('test/faults/*.test.ts')} files of rigs: npm run test:faults
  ${count('test/package/*.test.ts')} files about packages: npm run test:package`);
if (findHeadlessChromium() === undefined) console.log(`  tests in a browser, which is missing: ${HOW_TO_GET_CHROMIUM}`);
if (skipped.length > 0) console.log('Skipped on this machine:');
for (const file of skipped) {
  const [first] = file.skipped;
  const more = file.skipped.length > 1 ? ` and ${file.skipped.length - 1} more` : '';
  console.log(`  ${relative(ROOT, file.name)}: ${first?.fullName}${more}`);
}
