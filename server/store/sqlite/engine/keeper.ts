// The keeper thread: does all work in the folder of scheduled backups. If a network share does not answer, only this thread
// waits.

import { rmSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';

import { type BackupFileRow, isSameFile } from '../backups/backup-file.ts';
import { backUp, type Backup, explainFailure, isPartialOf } from '../files/backup.ts';
import { answerCalls, threadData } from './thread.ts';

const { dataDir } = threadData<{ readonly dataDir: string }>();

export type MadeBackup = Backup & { readonly modifiedAt: number };

/** Deletes a backup, unless another file has its name now. For an interrupted backup, deletes only its parts. */
function remove(row: BackupFileRow): void {
  const { path } = row;
  if (row.bytes === null || row.modifiedAt === null) {
    for (const name of readdirSync(dirname(path)))
      if (isPartialOf(basename(path), name)) rmSync(join(dirname(path), name), { force: true });
    return;
  }
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && isSameFile(row, { bytes: found.size, modifiedAt: found.mtimeMs })) rmSync(path);
}

const operations = {
  make: async (file: string, progress: MessagePort): Promise<MadeBackup> => {
    try {
      const backup = await backUp(dataDir, file, (step) => progress.postMessage(step));
      return { ...backup, modifiedAt: Math.floor(statSync(file).mtimeMs) };
    } finally {
      progress.close();
    }
  },

  remove: (row: BackupFileRow): void => {
    try {
      remove(row);
    } catch (error) {
      throw explainFailure(row.path, error);
    }
  },

  close: (): void => {},
};

export type KeeperOperations = typeof operations;

answerCalls(operations);
