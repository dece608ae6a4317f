// The table at the end of a run: for each promise its result, its figures and its time. A promise without a rig, or whose rig
// could not run, is reported as "not run" with the reason.

import type { Reporter, TestCase, TestModule } from 'vitest/node';

import { PROMISES } from './promises.ts';
import { repeatOf } from './tier.ts';

export default class Table implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = process.env['FAULTS_ROWS']?.split(',');
    const files = process.env['FAULTS_FILES']?.split(',') ?? [];
    const [tier, seed] = [process.env['FAULTS_TIER'], process.env['FAULTS_SEED']];
    console.log(`\nPromises, tier ${tier}, seed ${seed}`);
    for (const { id, promise, tests: all } of PROMISES) {
      const tests = all.filter((file) => files.includes(file));
      if (tests.length === 0 || rows?.includes(id) === false) continue;
      const own = modules.filter(({ moduleId }) => tests.some((file) => moduleId.endsWith(`/${file}`)));
      const seconds = own.reduce((sum, module) => sum + module.diagnostic().duration, 0) / 1000;
      const missing = tests.filter((file) => !own.some(({ moduleId }) => moduleId.endsWith(`/${file}`)));
      console.log(`${id.padEnd(4)}${promise}: ${describe(own, missing)} (${seconds.toFixed(0)} s)`);
      if (own.some((module) => !module.ok()))
        console.log(`    repeat it: ${repeatOf(id, process.env['FAULTS_COUNT'])}`);
    }
  }
}

function describe(modules: readonly TestModule[], missing: readonly string[]): string {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const withState = (state: ReturnType<TestCase['result']>['state']): TestCase[] =>
    tests.filter((test) => test.result().state === state);
  const [failed, passed, skipped] = [withState('failed'), withState('passed'), withState('skipped')];
  const reasons = new Set(skipped.map((test) => noteOf(test) ?? test.name));
  const notRun = [...missing.map((file) => `${file} was not found`), ...reasons];
  const figures = passed.flatMap((test) => test.meta().figure ?? []);
  const isBroken = modules.some((module) => !module.ok());
  return [
    isBroken ? `FAILED, ${failed.length} tests` : passed.length > 0 ? `passed, ${passed.length} tests` : 'NOT RUN',
    ...figures,
    ...(notRun.length > 0 ? [`NOT RUN: ${notRun.join(', ')}`] : []),
  ].join('; ');
}

function noteOf(test: TestCase): string | undefined {
  const result = test.result();
  return result.state === 'skipped' ? result.note : undefined;
}
