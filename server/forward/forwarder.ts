// Forwards every journal's records: one lane per journal and interface, none of which hinders another, nor intake.

import { type Clock, machineClock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import { type Lane, openLane } from './lane.ts';
import type { Send } from './upstream-client.ts';

export interface Forwarder {
  /** Sends nothing more, and keeps the outcomes of what is on its way. */
  close(): Promise<void>;
}

export function openForwarder({
  store,
  send,
  onFault,
  clock = machineClock,
  random = Math.random,
}: {
  readonly store: Store;
  readonly send: Send;
  readonly onFault: (doing: string, error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}): Forwarder {
  const lanes = new Map<number, Lane>();
  let settings: ReturnType<Store['lanes']> | undefined;

  function refresh(): void {
    const current = store.lanes();
    if (current === settings) {
      for (const lane of lanes.values()) lane.wake();
      return;
    }
    settings = current;
    for (const each of current) {
      const lane = lanes.get(each.id) ?? openLane(each, { store, send, clock, random, onFault });
      lanes.set(each.id, lane);
      lane.update(each);
    }
  }
  store.watch(refresh);
  refresh();

  return {
    async close() {
      await Promise.all([...lanes.values()].map((lane) => lane.close()));
    },
  };
}
