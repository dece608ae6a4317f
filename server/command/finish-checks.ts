// Waits for checks of store days. If a gateway runs, it does the checks. If none runs, this process asks the upstream.

import { setTimeout as delay } from 'node:timers/promises';

import { loadConfig } from '../config.ts';
import type { Cause } from '../contract/codes.ts';
import { prepareConnections } from '../forward/connection.ts';
import type { Clock } from '../lib/clock.ts';
import { runAsked } from '../reconcile/reconciler.ts';
import type { OpenCheck } from '../store/checks/ledger.ts';
import { isOwned } from '../store/data-directory.ts';
import type { Store } from '../store/store.ts';

/** The command stops waiting if the upstream has been silent for this time. A running gateway keeps trying. */
const MAX_SILENCE_MS = 20_000;
const POLL_MS = 100;
/** After this number of polls, the command tests whether the gateway still runs. If it has stopped, nobody does the checks. */
const POLLS_PER_GATEWAY_LOOK = 20;

/**
 * Waits until checks are done. If no gateway runs, this process does them. Resolves to the checks that are still open, because
 * the upstream does not answer. A running gateway continues these checks.
 */
export async function finishChecks(
  store: Store,
  checks: readonly OpenCheck[],
  dataDir: string,
  clock: Clock,
  onProgress: (check: OpenCheck) => void,
): Promise<OpenCheck[]> {
  const giveUp = new AbortController();
  const parts = { store, openDispatcher: prepareConnections(loadConfig(dataDir, {})), clock };
  let working: Promise<void> | undefined;
  let isOver = false;
  const askedAt = clock.now();
  for (let polls = 0; !isOver; polls++) {
    const open = await store.checks.listOpen();
    const mine = open.filter(({ id }) => checks.some((check) => check.id === id));
    if (mine.length === 0) break;
    const isStalled = ({ journalId }: OpenCheck): boolean =>
      open.some(
        (each) =>
          each.journalId === journalId &&
          each.stalledAt !== null &&
          clock.now() - Math.max(each.stalledAt, askedAt) >= MAX_SILENCE_MS,
      );
    if (mine.every(isStalled)) {
      const reason = new Error('the upstream is silent');
      giveUp.abort(reason);
      await working?.catch((error: unknown) => {
        if (error !== reason) throw error;
      });
      // A check may have to wait until another check of its journal is done. So the cause that stops the other check also stops
      // this one.
      const causeOfJournal = ({ journalId }: OpenCheck): Cause | null =>
        open.find((each) => each.journalId === journalId && each.cause !== null)?.cause ?? null;
      return mine.map((check) => ({ ...check, cause: causeOfJournal(check) }));
    }
    if (mine[0] !== undefined) onProgress(mine[0]);
    if (working === undefined && polls % POLLS_PER_GATEWAY_LOOK === 0 && !isOwned(dataDir))
      working = runAsked(mine, { ...parts, signal: giveUp.signal });
    const poll = delay(POLL_MS);
    await (working === undefined ? poll : Promise.race([working.then(() => void (isOver = true)), poll]));
  }
  await working;
  return [];
}
