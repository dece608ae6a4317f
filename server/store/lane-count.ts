// How many deliveries of each lane are in which state, kept with the lane in the transaction that changes a delivery, so
// that telling how much waits costs nothing. Gathered here, so that a transaction writes each lane once.

import type { DeliveryState } from '../contract.ts';
import { assertOneRow, type Connection } from './database.ts';

export interface LaneCountWriter {
  /** A delivery begins. */
  add(laneId: number, state: DeliveryState): void;
  move(laneId: number, from: DeliveryState, to: DeliveryState, deliveries: number): void;
  /** Brings the lanes up to date, within the caller's transaction. */
  write(): void;
  /** To be called when the transaction has failed. */
  discard(): void;
}

export function openLaneCountWriter(db: Connection): LaneCountWriter {
  const update = db.prepare(`
    UPDATE lanes SET waiting = waiting + ?, delivered = delivered + ?, held = held + ?, set_aside = set_aside + ? WHERE id = ?`);
  const changes = new Map<number, Record<DeliveryState, number>>();

  function changeOf(laneId: number): Record<DeliveryState, number> {
    const change = changes.get(laneId) ?? { waiting: 0, delivered: 0, held: 0, 'set aside': 0 };
    changes.set(laneId, change);
    return change;
  }

  return {
    add(laneId, state) {
      changeOf(laneId)[state] += 1;
    },
    move(laneId, from, to, deliveries) {
      const change = changeOf(laneId);
      change[from] -= deliveries;
      change[to] += deliveries;
    },
    write() {
      for (const [laneId, { waiting, delivered, held, 'set aside': setAside }] of changes)
        assertOneRow(update.run(waiting, delivered, held, setAside, laneId));
      changes.clear();
    },
    discard: () => changes.clear(),
  };
}
