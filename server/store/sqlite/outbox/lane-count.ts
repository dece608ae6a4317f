// Counts the deliveries of each lane by state, in total and by quarter hour of sale. Counts change in the transaction that
// changes a delivery, so reading them is cheap. The changes are collected first, so that a transaction writes each lane and
// quarter hour once.

import type { DeliveryState, Status } from '../../../contract/codes.ts';
import type { CountedRecord, DeliveryFault } from '../../outbox/ledger.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';
import { isFolded } from '../engine/tail.ts';
import { bucketOf, QUARTER } from '../records/count.ts';

export interface LaneCountWriter {
  /** Counts a delivery that changed its state. `answeredAt`, in epoch milliseconds, is set if an answer caused the change. */
  move(laneId: number, from: DeliveryState, to: DeliveryState, record: CountedRecord, answeredAt?: number): void;
  /** Writes the collected counts, within the caller's transaction. */
  write(): void;
  /** Drops the collected counts. Call it after a failed transaction. */
  discard(): void;
}

interface LaneChange extends Record<DeliveryState, number> {
  /** When a record was last delivered, in epoch milliseconds; null if no record was delivered. */
  deliveredAt: number | null;
}

interface QuarterChange {
  readonly laneId: number;
  readonly state: DeliveryState;
  readonly status: Status;
  /** Epoch seconds. */
  readonly startsAt: number;
  deliveries: number;
  /** When the latest answer came, in epoch milliseconds; null without an answer. */
  lastAt: number | null;
}

const ADD_TO_QUARTER = `
    ON CONFLICT DO UPDATE SET deliveries = deliveries + excluded.deliveries,
      last_at = max(coalesce(last_at, excluded.last_at), coalesce(excluded.last_at, last_at))`;

export function openLaneCountWriter(db: Connection): LaneCountWriter {
  const update = db.prepare(`
    UPDATE lanes SET waiting = waiting + ?, delivered = delivered + ?, held = held + ?, set_aside = set_aside + ?,
      delivered_at = nullif(max(coalesce(?, 0), coalesce(delivered_at, 0)), 0) WHERE id = ?`);
  const upsert = db.prepare(`
    INSERT INTO delivery_counts (lane_id, state, status, starts_at, deliveries, last_at) VALUES (?, ?, ?, ?, ?, ?)
    ${ADD_TO_QUARTER}`);
  const subtract = db.prepare(`
    UPDATE delivery_counts SET deliveries = deliveries + ?
    WHERE lane_id = ? AND state = ? AND status = ? AND starts_at = ?`);
  const removeEmptied = db.prepare(`
    DELETE FROM delivery_counts WHERE lane_id = ? AND state = ? AND status = ? AND starts_at = ? AND deliveries = ?`);
  // Each transaction gets new maps. After `clear()`, the old hash table of a map still refers to the new one. V8 may then keep
  // all later tables in memory.
  let lanes = new Map<number, LaneChange>();
  let quarters = new Map<string, QuarterChange>();

  function change(
    laneId: number,
    state: DeliveryState,
    { status, soldAt }: CountedRecord,
    by: number,
    at: number | null = null,
  ): void {
    const lane = lanes.get(laneId) ?? { waiting: 0, delivered: 0, held: 0, 'set aside': 0, deliveredAt: null };
    lanes.set(laneId, lane);
    lane[state] += by;
    if (state === 'delivered' && at !== null) lane.deliveredAt = Math.max(lane.deliveredAt ?? at, at);
    const startsAt = Math.floor(soldAt / QUARTER) * QUARTER;
    const key = `${laneId} ${startsAt} ${status} ${state}`;
    const quarter = quarters.get(key);
    if (quarter === undefined) quarters.set(key, { laneId, state, status, startsAt, deliveries: by, lastAt: at });
    else {
      quarter.deliveries += by;
      if (at !== null) quarter.lastAt = Math.max(quarter.lastAt ?? at, at);
    }
  }

  function writeQuarter({ laneId, state, status, startsAt, deliveries, lastAt }: QuarterChange): void {
    if (deliveries > 0) upsert.run(laneId, state, status, startsAt, deliveries, lastAt);
    if (deliveries >= 0) return;
    // Tried first, because a quarter hour of a shop often has its last deliveries in one group.
    if (removeEmptied.run(laneId, state, status, startsAt, -deliveries).changes === 1) return;
    assertOneRow(subtract.run(deliveries, laneId, state, status, startsAt));
  }

  return {
    move(laneId, from, to, record, answeredAt) {
      change(laneId, from, record, -1);
      change(laneId, to, record, 1, answeredAt);
    },
    write() {
      for (const [laneId, { waiting, delivered, held, 'set aside': setAside, deliveredAt }] of lanes)
        assertOneRow(update.run(waiting, delivered, held, setAside, deliveredAt, laneId));
      for (const quarter of quarters.values()) writeQuarter(quarter);
      this.discard();
    },
    discard() {
      lanes = new Map();
      quarters = new Map();
    },
  };
}

/** Exported for the test of the query plans. */
export const DELIVERY_COUNT_FOLD_SQL = {
  quarters: `
    INSERT INTO delivery_counts (lane_id, state, status, starts_at, deliveries, last_at)
      SELECT lane_id, state, status, ${bucketOf(QUARTER)}, count(*), max(answered_at)
      FROM deliveries CROSS JOIN records ON records.id = record_id WHERE record_id > ? GROUP BY 1, 2, 3, 4
      ${ADD_TO_QUARTER}`,
  lanes: `
    UPDATE lanes SET waiting = lanes.waiting + new.waiting, delivered = lanes.delivered + new.delivered,
      held = lanes.held + new.held, set_aside = lanes.set_aside + new.set_aside,
      delivered_at = nullif(max(coalesce(new.delivered_at, 0), coalesce(lanes.delivered_at, 0)), 0)
    FROM (
      SELECT lane_id, sum(state = 'waiting') AS waiting, sum(state = 'delivered') AS delivered, sum(state = 'held') AS held,
        sum(state = 'set aside') AS set_aside, max(answered_at) FILTER (WHERE state = 'delivered') AS delivered_at
      FROM deliveries WHERE record_id > ? GROUP BY lane_id
    ) AS new WHERE lanes.id = lane_id`,
};

/** Returns a function that counts the deliveries of the records after an id, within the caller's transaction. */
export function openDeliveryCountFold(db: Connection): (afterId: number) => void {
  const countByQuarter = db.prepare<[number]>(DELIVERY_COUNT_FOLD_SQL.quarters);
  const countByLane = db.prepare<[number]>(DELIVERY_COUNT_FOLD_SQL.lanes);
  return (afterId) => {
    countByQuarter.run(afterId);
    countByLane.run(afterId);
  };
}

/**
 * Counts all deliveries again and lists the stored counts that differ. Also compares the stored counts with the NEW records,
 * because every NEW record is forwarded.
 */
export function listDeliveryFaults(db: Connection, limit: number): DeliveryFault[] {
  // Uses one GROUP BY over stored and actual numbers, because a join of them would take quadratic time.
  return db
    .prepare(`
    SELECT lane_id AS laneId, state, status, starts_at AS startsAt, sum(stored) AS stored, sum(actual) AS actual
    FROM (
      SELECT lane_id, state, status, starts_at, deliveries AS stored, 0 AS actual FROM delivery_counts
      UNION ALL
      SELECT lane_id, state, status, ${bucketOf(QUARTER)}, 0, 1
      FROM deliveries JOIN records ON records.id = record_id WHERE ${isFolded(db)}
      UNION ALL
      SELECT lane_id, state, NULL, NULL, 0, deliveries FROM delivery_counts
      UNION ALL
      SELECT lanes.id, value, NULL, NULL,
        CASE value WHEN 'waiting' THEN waiting WHEN 'delivered' THEN delivered WHEN 'held' THEN held ELSE set_aside END, 0
      FROM lanes CROSS JOIN json_each('["waiting","delivered","held","set aside"]')
      UNION ALL
      SELECT lane_id, NULL, status, starts_at, deliveries, 0 FROM delivery_counts WHERE status = 'NEW'
      UNION ALL
      SELECT lanes.id, NULL, status, ${bucketOf(QUARTER)}, 0, 1
      FROM records JOIN lanes ON lanes.journal_id = records.journal_id AND lanes.interface = records.interface
      WHERE status = 'NEW' AND ${isFolded(db)}
    )
    GROUP BY lane_id, state, status, starts_at
    HAVING sum(stored) != sum(actual)
    LIMIT ?`)
    .all(limit) as DeliveryFault[];
}
