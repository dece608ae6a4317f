// Forwards the records of all journals, with one lane per journal and interface. A lane never delays another lane or the tills.

import { machineClock } from '../lib/clock.ts';
import type { LaneSettings } from '../store/outbox/ledger.ts';
import type { Store } from '../store/store.ts';
import type { Via } from '../via.ts';
import { type Lane, type LaneParts, openLane } from './lane.ts';
import { openQueryPauses } from './query-pause.ts';

export interface Forwarder {
  /** Stops sending. Still stores the outcomes of calls in flight. */
  close(): Promise<void>;
}

export function openForwarder(
  parts: Pick<LaneParts, 'openClient' | 'onState' | 'onFault'> &
    Partial<Pick<LaneParts, 'clock' | 'random' | 'queryPauses'>> & {
      readonly store: Store;
      readonly via: Pick<Via, 'headerOf'>;
    },
): Forwarder {
  const { store, via, openClient, clock = machineClock, random = Math.random, onState, onFault } = parts;
  const { queryPauses = openQueryPauses(clock) } = parts;
  const lanes = new Map<string, Lane>();
  let isClosed = false;

  function open(settings: LaneSettings): Lane {
    return openLane(settings, {
      store,
      openClient,
      viaOf: via.headerOf,
      clock,
      random,
      queryPauses,
      onState,
      onFault,
    });
  }

  function setupChanged(): void {
    if (isClosed) return;
    for (const settings of store.outbox.lanes()) {
      const name = nameOf(settings.journalId, settings.interface);
      const lane = lanes.get(name) ?? open(settings);
      lanes.set(name, lane);
      lane.update(settings);
    }
  }
  store.watch({
    setupChanged,
    recordsAdded: (journalId, by) => lanes.get(nameOf(journalId, by))?.wake(),
  });
  setupChanged();

  return {
    async close() {
      isClosed = true;
      await Promise.all([...lanes.values()].map((lane) => lane.close()));
    },
  };
}

function nameOf(journalId: number, by: LaneSettings['interface']): string {
  return `${journalId} ${by}`;
}
