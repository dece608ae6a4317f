// Before the tests through the front door: the bundle that users run, built from the sources as they are now.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import type { TestProject } from 'vitest/node';

const root = join(import.meta.dirname, '../..');

export default function setup(project: TestProject): void {
  buildAll();
  project.onTestsRerun(buildAll);
}

/** Any command builds what is stale before it runs; this one does no more. */
export function buildAll(): void {
  const command = ['build/run.mjs', 'run', 'serve', '--help'];
  execFileSync(process.execPath, command, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
