// Backups that the gateway makes in a folder, on SQLite.

import { dirname, join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';

import type { BackupProgress } from '../../../contract/backups.ts';
import type { BackupFile, BackupLedger } from '../../backups/ledger.ts';
import type { KeeperOperations } from '../engine/keeper.ts';
import type { EngineParts } from '../engine/parts.ts';
import { openLazyThread } from '../engine/thread.ts';
import type { BackupFileRow } from './backup-file.ts';

const KEEPER_MEMORY_MIB = 64;

export function openBackupLedger({
  reader,
  writer,
  reading,
  guard,
  now,
  dataDir,
}: EngineParts & { readonly dataDir: string }): BackupLedger {
  const keeper = openLazyThread<KeeperOperations>('keeper', { dataDir }, KEEPER_MEMORY_MIB);
  const listAll = (): Promise<BackupFileRow[]> => reading(reader.call('listBackupFiles', []));
  const isIn =
    (folder: string) =>
    ({ path }: BackupFileRow): boolean =>
      dirname(path) === folder;

  /** Deletes the file of a row, then the row. */
  async function remove(row: BackupFileRow): Promise<void> {
    const thread = await keeper.get();
    await thread.call('remove', [row]);
    await guard(writer.call('forgetBackupFile', [row.path]));
  }

  return {
    async make(folder, onProgress) {
      const begunAt = now();
      for (const row of (await listAll()).filter(isIn(folder))) if (row.bytes === null) await remove(row);
      const path = join(folder, nameAt(begunAt));
      await guard(writer.call('beginBackupFile', [path, begunAt]));
      const { port1, port2 } = new MessageChannel();
      port1.on('message', (progress: BackupProgress) => onProgress(progress));
      try {
        const thread = await keeper.get();
        const made = await thread.call('make', [path, port2], [port2]);
        const { bytes, modifiedAt, records, newestRecordId, isOnDataDisk } = made;
        await guard(writer.call('endBackupFile', [path, { bytes, modifiedAt, records }]));
        await guard(writer.call('noteBackup', [begunAt, isOnDataDisk ? 0 : newestRecordId]));
        return { path, begunAt, bytes, isOnDataDisk };
      } finally {
        port1.close();
      }
    },
    async rotate(folder, keep) {
      const complete = (await listAll()).filter(isIn(folder)).filter(({ bytes }) => bytes !== null);
      for (const row of complete.slice(keep)) await remove(row);
    },
    async list(folder) {
      const rows = (await listAll()).filter(isIn(folder));
      return rows.flatMap(({ path, begunAt, bytes }): BackupFile[] =>
        bytes === null ? [] : [{ path, begunAt, bytes }],
      );
    },
    countOnlyHere: (journalId) => reading(reader.call('countOnlyHere', [journalId])),
    close: keeper.close,
  };
}

/** A name that sorts by time, such as `counterfoil-2026-11-26T02-15-00-123Z.db`. */
function nameAt(at: number): string {
  return `counterfoil-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}.db`;
}
