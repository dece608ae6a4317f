// The numbers of a run. run.ts passes them by environment variables: the tier, a seed, and a count that replaces the count of
// the tier. Without these variables, the numbers are those of each commit. Their names do not begin
// with COUNTERFOIL_, because the gateway refuses such names if they are not settings.

import type { TestContext } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** What a passed test has shown, for the table at the end of a run. */
    figure?: string;
  }
}

export const TIERS = ['commit', 'nightly', 'release'] as const;

const tier = TIERS.find((each) => each === process.env['FAULTS_TIER']) ?? 'commit';
/** Whether times are compared with their limits. On each commit, the machine is too busy for this. */
export const JUDGES_TIME = tier !== 'commit';
export const SEED = Number(process.env['FAULTS_SEED'] ?? 1);

/** The number of cases in this run. A release has the nightly number unless it has its own. */
export function countOf(counts: {
  readonly commit: number;
  readonly nightly: number;
  readonly release?: number;
}): number {
  const given = process.env['FAULTS_COUNT'];
  return given === undefined ? (counts[tier] ?? counts.nightly) : Number(given);
}

/** The command that repeats this run of a row. `count` is undefined if the numbers are those of the tier. */
export function repeatOf(row: string, count: number | string | undefined): string {
  const counted = count === undefined ? '' : ` --count ${count}`;
  return `npm run test:faults -- --row ${row} --tier ${tier} --seed ${SEED}${counted}`;
}

/** Reports a figure of a passed test. */
export function report({ task }: Pick<TestContext, 'task'>, figure: string): void {
  task.meta.figure = figure;
}
