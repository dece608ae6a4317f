// The full check: reads everything that is kept, once, and says what is not as it was stored.

import { type CountFault, listCountFaults } from './count.ts';
import type { Connection } from './database.ts';
import { type DeliveryFault, listDeliveryFaults } from './lane-count.ts';
import { listDamagedRecords } from './record.ts';

/** How many faults of a kind are listed at the most. */
const MOST_LISTED = 100;

/** What the check found; all lists empty means that the store is sound. Each list ends after a hundred. */
export interface CheckResult {
  /** What SQLite says of the file's structure. */
  readonly structure: readonly string[];
  /** Records whose bytes don't match their SHA-256. */
  readonly damagedRecords: readonly number[];
  readonly countFaults: readonly CountFault[];
  readonly deliveryFaults: readonly DeliveryFault[];
  readonly records: number;
}

/** Takes about a minute for ten million records. The counts of an earlier version cannot be checked. */
export function checkStore(db: Connection, withCounts = true): CheckResult {
  const structure = db.pragma(`integrity_check(${MOST_LISTED})`) as { integrity_check: string }[];
  return {
    structure: structure.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
    damagedRecords: listDamagedRecords(db, MOST_LISTED),
    countFaults: withCounts ? listCountFaults(db, MOST_LISTED) : [],
    deliveryFaults: withCounts ? listDeliveryFaults(db, MOST_LISTED) : [],
    records: db.prepare('SELECT count(*) FROM records').pluck().get() as number,
  };
}
