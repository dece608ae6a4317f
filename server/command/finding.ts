// Reads the present facts of the to-do list for a command, with or without a running gateway. Stores nothing.

import type { HealthView } from '../contract/machine.ts';
import type { NetworkView } from '../contract/network.ts';
import { openDays } from '../reconcile/days.ts';
import type { Store } from '../store/store.ts';
import type { FoundTask } from '../store/tasks/ledger.ts';
import type { Finding } from '../todo/plan.ts';
import { openSources } from '../todo/sources.ts';

export interface FindingParts {
  /** Whether a gateway runs. Without one, every till is silent and nothing is forwarded, so the stored tasks about this stay. */
  readonly isRunning: boolean;
  /** The result of `healthOf`. */
  readonly health: HealthView;
  /** Undefined if the certificates are not known. */
  readonly network: Pick<NetworkView, 'certificate' | 'authority'> | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Called for each source that cannot be read. Its stored tasks stay. */
  readonly onFault: (error: unknown) => void;
}

/** Skipped numbers are not searched, because the search takes long. So the stored tasks about them stay. */
export async function readFinding(
  store: Store,
  { isRunning, health, network, now, onFault }: FindingParts,
): Promise<Finding> {
  const clock = { now: () => now, monotonic: () => performance.now(), after: () => () => {} };
  const sources = openSources({
    store,
    days: openDays({ store, clock }),
    health: () => health,
    network: () => network,
    gaps: { found: () => [], isSearched: () => false },
    now: clock.now,
    onFault,
  });
  const { found, isKept } = await sources.read(true);
  const isUnknown = ({ fact: { kind } }: FoundTask): boolean =>
    !isRunning && (kind === 'silent_till' || kind === 'upstream_stopped');
  return {
    found: found.filter((task) => !isUnknown(task)),
    isKept: (task) => isUnknown(task) || isKept(task),
  };
}
