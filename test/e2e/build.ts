// Builds the bundles from the current sources before the tests of the built program.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import type { TestProject } from 'vitest/node';

const root = join(import.meta.dirname, '../..');

export default function setup(project: TestProject): void {
  buildAll();
  project.onTestsRerun(buildAll);
}

export function buildAll(): void {
  const command = ['build/run.mjs', 'build', '--stale'];
  execFileSync(process.execPath, command, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
