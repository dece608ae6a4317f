// The full check: reads all data once, and lists every fault that it finds.

import type { ArchiveFault } from '../../../contract/archive.ts';
import type { DataCheckProgress, CheckResult } from '../../health/ledger.ts';
import { listAmountFaults, listWrongAmounts } from '../amounts/recount.ts';
import type { Connection } from '../engine/database.ts';
import { listDeliveryFaults } from '../outbox/lane-count.ts';
import { listCountFaults } from '../records/count.ts';
import { listDamagedRecords } from '../records/record.ts';
import { listSaleFaults } from '../records/sale.ts';

/** Maximum faults listed of each kind. */
const MAX_LISTED = 100;

interface Options {
  /** Whether to check the counts. False for data of an earlier version, whose counts are in other columns. */
  readonly withCounts?: boolean;
  readonly onProgress?: ((progress: DataCheckProgress) => void) | undefined;
}

/** Checks all data. Takes about a minute for ten million records, and longer with amounts. */
export function checkStore(db: Connection, { withCounts = true, onProgress }: Options = {}): CheckResult {
  onProgress?.({ step: 'structure' });
  const structure = db.pragma(`integrity_check(${MAX_LISTED})`) as { integrity_check: string }[];
  const total = db.prepare('SELECT count(*) FROM records').pluck().get() as number;
  const percent = Math.ceil(total / 100);
  const archiveFaults = new Map<string, ArchiveFault>();
  const damagedRecords = listDamagedRecords(
    db,
    MAX_LISTED,
    (done) => {
      if (done % percent === 0) onProgress?.({ step: 'records', done, total });
    },
    ({ file, fault }) => archiveFaults.set(file, fault),
  );
  if (withCounts) onProgress?.({ step: 'counts' });
  return {
    structure: structure.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
    damagedRecords,
    archiveFaults: [...archiveFaults].map(([file, fault]) => ({ file, fault })).slice(0, MAX_LISTED),
    countFaults: withCounts ? listCountFaults(db, MAX_LISTED) : [],
    saleFaults: listSaleFaults(db, MAX_LISTED),
    wrongAmounts: withCounts ? listWrongAmounts(db, MAX_LISTED) : [],
    amountFaults: withCounts ? listAmountFaults(db, MAX_LISTED) : [],
    deliveryFaults: withCounts ? listDeliveryFaults(db, MAX_LISTED) : [],
    records: total,
  };
}
