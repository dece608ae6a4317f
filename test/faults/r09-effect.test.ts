// Each record takes effect once, and each is forwarded in the end, whatever happens meanwhile. The simulation finds the fault
// of each broken variant, so it is able to fail.

import { expect, test } from 'vitest';

import { MUTANTS } from './mutants.ts';
import { simulate } from './simulation.ts';
import { countOf, report, SEED } from './tier.ts';

type Forwarding = typeof import('../../server/forward/forwarder.ts');

const SEEDS = countOf({ commit: 40, nightly: 90_000 });
/** A test has several seeds, because a run of 90,000 tests would take much memory. */
const SEEDS_PER_TEST = 100;
const FIRST_SEEDS = Array.from({ length: Math.ceil(SEEDS / SEEDS_PER_TEST) }, (_, n) => SEED + n * SEEDS_PER_TEST);
/** Maximum seeds until a broken variant is caught. */
const MUTANT_SEEDS = 60;

test.for(FIRST_SEEDS)(
  'from seed %i: every record arrives, takes effect once, is held only after a rejection, and none is left waiting',
  async (first, context) => {
    const end = Math.min(first + SEEDS_PER_TEST, SEED + SEEDS);
    for (let seed = first; seed < end; seed++)
      await expect(simulate(seed), `npm run test:faults -- --row R9 --count 1 --seed ${seed}`).resolves.toBeUndefined();
    if (first === SEED) report(context, `${SEEDS} seeds`);
  },
);

test.for(MUTANTS)('the simulation catches the broken variant: $name', async ({ name }, context) => {
  const address = `../../server/forward/forwarder.ts?mutant=${encodeURIComponent(name)}`;
  const { openForwarder } = (await import(/* @vite-ignore */ address)) as Forwarding;
  let caughtBy = 0;
  for (let seed = 1; seed <= MUTANT_SEEDS && caughtBy === 0; seed++)
    await simulate(seed, openForwarder).catch(() => (caughtBy = seed));
  expect(caughtBy, 'no seed has caught it').toBeGreaterThan(0);
  if (name === MUTANTS.at(-1)?.name) report(context, `${MUTANTS.length} broken variants`);
});
