// The examiner thread: reads a copy of the data completely and changes nothing. The gateway waits for the result before it
// accepts sales on the copy. The reading has a separate thread, so that a person can cancel the start of the gateway during the
// reading.

import { openUntouched } from '../integrity/known-file.ts';
import { INDEX_FAULT, listFaults } from '../integrity/wal-salvage.ts';
import { COUNTS_SCHEMA, schemaVersion } from '../migrations.ts';
import { listDeliveryFaults } from '../outbox/lane-count.ts';
import { listCountFaults } from '../records/count.ts';
import { listDamagedRecords } from '../records/record.ts';
import { listSaleFaults } from '../records/sale.ts';
import { closeUntouched } from './database.ts';
import { answerCalls, threadData } from './thread.ts';

export interface Examination {
  /** The fault that prevents any gateway from using the data; undefined without a fault. */
  readonly fault: string | undefined;
  /** Whether an index or the order of sale is damaged. Both can be rebuilt. */
  readonly hasIndexFault: boolean;
  /** Records whose bytes do not match their SHA-256. */
  readonly damaged: readonly number[];
  /** The id of the newest record; 0 without records. */
  readonly newestId: number;
}

const { path } = threadData<{ readonly path: string }>();
const db = openUntouched(path);
db.pragma('cache_size = -24576');

/** Examines all data. Takes about a minute for ten million records. */
function examine(): Examination {
  const faults = listFaults(db);
  const fault =
    faults
      .find((line) => !INDEX_FAULT.test(line))
      ?.split('\n')
      .at(-1) ?? findCountFault();
  const newestId = db.prepare<[], number | null>('SELECT max(id) FROM records').pluck().get() ?? 0;
  const damaged = fault === undefined ? listDamagedRecords(db, Infinity) : [];
  const hasSaleFault = fault === undefined && listSaleFaults(db, 1).length > 0;
  return { fault, hasIndexFault: hasSaleFault || faults.length > 0, newestId, damaged };
}

function findCountFault(): string | undefined {
  if (schemaVersion(db) < COUNTS_SCHEMA) return undefined;
  if (listCountFaults(db, 1).length > 0) return 'a count of records does not match the records';
  return listDeliveryFaults(db, 1).length > 0 ? 'a count of deliveries does not match the deliveries' : undefined;
}

const operations = { examine, close: (): void => closeUntouched(db, path) };

export type ExaminerOperations = typeof operations;

answerCalls(operations);
