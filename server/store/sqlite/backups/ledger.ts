// Backups that the gateway makes in a folder, on SQLite.

import { dirname, join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';

import type { BackupProgress } from '../../../contract/backups.ts';
import type { BackupFile, BackupLedger } from '../../backups/ledger.ts';
import type { KeeperOperations } from '../engine/keeper.ts';
import type { EngineParts } from '../engine/parts.ts';
import { startThread, type Thread } from '../engine/thread.ts';
import type { BackupFileRow } from './backup-file.ts';

const KEEPER_MEMORY_MIB = 64;
/** How long closing waits for a folder that does not answer. */
const MAX_CLOSE_MS = 2000;

export function openBackupLedger({
  reader,
  writer,
  reading,
  guard,
  now,
  dataDir,
}: EngineParts & { readonly dataDir: string }): BackupLedger {
  let starting: Promise<Thread<KeeperOperations>> | undefined;
  /** Starts the thread when it is first needed, because most shops have no folder for backups. */
  function keeper(): Promise<Thread<KeeperOperations>> {
    return (starting ??= start());
  }
  async function start(): Promise<Thread<KeeperOperations>> {
    const forget = (): void => void (starting = undefined);
    try {
      const thread = await startThread<KeeperOperations>('keeper', { dataDir }, KEEPER_MEMORY_MIB);
      thread.onDeath(forget);
      return thread;
    } catch (error) {
      forget();
      throw error;
    }
  }
  const listAll = (): Promise<BackupFileRow[]> => reading(reader.call('listBackupFiles', []));
  const isIn =
    (folder: string) =>
    ({ path }: BackupFileRow): boolean =>
      dirname(path) === folder;

  /** Deletes the file of a row, then the row. */
  async function remove(row: BackupFileRow): Promise<void> {
    const thread = await keeper();
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
        const thread = await keeper();
        const { bytes, modifiedAt, newestRecordId, isOnDataDisk } = await thread.call('make', [path, port2], [port2]);
        await guard(writer.call('endBackupFile', [path, bytes, modifiedAt]));
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
    async close() {
      const thread = await starting?.catch(() => undefined);
      if (thread === undefined) return;
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const timer = setTimeout(end, MAX_CLOSE_MS);
      await Promise.race([thread.close(), isOver]);
      clearTimeout(timer);
    },
  };
}

/** A name that sorts by time, such as `counterfoil-2026-11-26T02-15-00-123Z.db`. */
function nameAt(at: number): string {
  return `counterfoil-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}.db`;
}
