// Forwards every journal's records: one lane per journal and interface, none of which hinders another, nor intake.

import { type Clock, machineClock } from '../clock.ts';
import type { LaneNote, LaneSettings } from '../store/lane.ts';
import type { Store } from '../store/store.ts';
import { type Lane, openLane } from './lane.ts';
import type { Send } from './upstream-client.ts';

export interface Forwarder {
  /** Sends nothing more, and keeps the outcomes of what is on its way. */
  close(): Promise<void>;
}

export interface ForwarderEvents {
  /** The state of a lane, or its cause, is another. */
  onState(lane: LaneSettings, note: LaneNote): void;
  /** The store failed; the lane tries again. */
  onFault(doing: string, error: unknown): void;
}

export function openForwarder(
  parts: ForwarderEvents & {
    readonly store: Store;
    readonly send: Send;
    readonly clock?: Clock;
    /** From 0 to 1. */
    readonly random?: () => number;
  },
): Forwarder {
  const { store, send, clock = machineClock, random = Math.random, onState, onFault } = parts;
  const lanes = new Map<string, Lane>();

  function settingsChanged(): void {
    for (const settings of store.lanes()) {
      const name = nameOf(settings.journalId, settings.interface);
      const lane = lanes.get(name) ?? openLane(settings, { store, send, clock, random, onState, onFault });
      lanes.set(name, lane);
      lane.update(settings);
    }
  }
  store.watch({
    settingsChanged,
    recordsAdded: (journalId, by) => lanes.get(nameOf(journalId, by))?.wake(),
  });
  settingsChanged();

  return {
    async close() {
      await Promise.all([...lanes.values()].map((lane) => lane.close()));
    },
  };
}

function nameOf(journalId: number, by: LaneSettings['interface']): string {
  return `${journalId} ${by}`;
}
