// The updater thread: backs up data of an earlier version, and then migrates them. The gateway waits for it before it accepts
// sales. It is a separate thread, so that a person can stop the gateway meanwhile, and sees the progress.

import type { EarlierNetwork } from '../../network/ledger.ts';
import type { UpdateBackup } from '../../store.ts';
import { backUpBeforeUpdate } from '../files/update-backup.ts';
import { migrate } from '../migrations.ts';
import { readEarlierNetwork } from '../network/earlier-network.ts';
import { closeUntouched, databasePath, emptySecuredWal, openDatabase } from './database.ts';
import { openSeal } from './seal.ts';
import { answerCalls, threadData } from './thread.ts';

/** `progress` has the number of the step that runs, and the number of steps. */
export interface UpdaterData {
  readonly dataDir: string;
  readonly sealKey: Uint8Array | undefined;
  readonly progress: Int32Array<SharedArrayBuffer>;
}
const { dataDir, sealKey, progress } = threadData<UpdaterData>();
const path = databasePath(dataDir);
const db = openDatabase(path, 'write');
db.pragma('cache_size = -24576'); // 24 MiB, because a migration reads and writes all pages of a table

const operations = {
  readNetwork: (): EarlierNetwork => readEarlierNetwork(db, openSeal(sealKey)),
  backUp: (now: number): UpdateBackup | undefined => backUpBeforeUpdate(db, dataDir, now),
  migrate: (): void => {
    migrate(db, undefined, (step, steps) => progress.set([step, steps]));
    emptySecuredWal(db); // on a full disk, the WAL stays as it is
  },
  /** After a failure, the write-ahead log must stay as it is. */
  close: (): void => closeUntouched(db, path),
};

export type UpdaterOperations = typeof operations;

answerCalls(operations);
