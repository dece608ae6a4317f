// The full check: reads all data once and lists what is not as it was stored.

import type { CheckResult } from '../../health/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { listDeliveryFaults } from '../outbox/lane-count.ts';
import { listCountFaults } from '../records/count.ts';
import { listDamagedRecords } from '../records/record.ts';

/** Maximum faults listed of each kind. */
const MAX_LISTED = 100;

/** Takes about a minute for ten million records. The counts of an earlier version cannot be checked. */
export function checkStore(db: Connection, withCounts = true): CheckResult {
  const structure = db.pragma(`integrity_check(${MAX_LISTED})`) as { integrity_check: string }[];
  return {
    structure: structure.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
    damagedRecords: listDamagedRecords(db, MAX_LISTED),
    countFaults: withCounts ? listCountFaults(db, MAX_LISTED) : [],
    deliveryFaults: withCounts ? listDeliveryFaults(db, MAX_LISTED) : [],
    records: db.prepare('SELECT count(*) FROM records').pluck().get() as number,
  };
}
