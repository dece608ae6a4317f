// The archive on SQLite.

import { randomBytes } from 'node:crypto';

import type { ArchiveLedger } from '../../archive/ledger.ts';
import type { ArchiverOperations } from '../engine/archiver.ts';
import { databasePath } from '../engine/database.ts';
import type { EngineParts } from '../engine/parts.ts';
import { startThread, type Thread } from '../engine/thread.ts';
import type { ArchiveFileRow, IndexedBlock } from './archive-file.ts';
import { findArchiveFailure } from './run.ts';

const MEMORY_MIB = 256;

export function openArchiveLedger({
  reader,
  writer,
  reading,
  guard,
  noteWritten,
  now,
  dataDir,
}: EngineParts & { readonly dataDir: string }): ArchiveLedger {
  let starting: Promise<Thread<ArchiverOperations>> | undefined;
  /** The file whose bodies are moved now, with the blocks that remain. */
  let moving: { readonly fileId: number; readonly name: string; readonly blocks: IndexedBlock[] } | undefined;

  /** Starts the thread when it is first needed, because most shops archive nothing. */
  function archiver(): Promise<Thread<ArchiverOperations>> {
    return (starting ??= start());
  }
  async function start(): Promise<Thread<ArchiverOperations>> {
    const forget = (): void => void (starting = undefined);
    try {
      const thread = await startThread<ArchiverOperations>('archiver', { path: databasePath(dataDir) }, MEMORY_MIB);
      thread.onDeath(forget);
      return thread;
    } catch (error) {
      forget();
      throw error;
    }
  }
  const listFiles = (): Promise<ArchiveFileRow[]> => reading(reader.call('listArchiveFiles', []));

  /** Gives up a file. Deletes it if the database needs nothing of it, and returns whether it did. */
  async function giveUp({ id, name }: Pick<ArchiveFileRow, 'id' | 'name'>): Promise<boolean> {
    const thread = await archiver();
    if (!(await guard(writer.call('giveUpArchiveFile', [id, now()])))) return false;
    await thread.call('remove', [name]); // before its row: after a crash, the row says that the file is to be deleted
    await guard(writer.call('forgetArchiveFile', [id]));
    return true;
  }

  /** Stores which files have a fault. `isWhole` reads each file completely. */
  async function inspectFiles(files: readonly ArchiveFileRow[], isWhole = false): Promise<void> {
    if (files.length === 0) return;
    const thread = await archiver();
    const notes = [];
    for (const file of files) {
      const fault = await thread.call('inspect', [file, isWhole || file.fault !== null]);
      if (fault !== file.fault) notes.push({ id: file.id, fault });
    }
    if (notes.length > 0) await guard(writer.call('noteArchiveFaults', [notes, now()]));
  }

  /** Begins with the first file whose bodies are still in the database. Returns undefined without one. */
  async function beginMove(): Promise<typeof moving> {
    const files = (await listFiles()).filter(({ movedAt }) => movedAt === null);
    for (const file of files) if (file.bytes === null) await giveUp(file);
    const next = files.find(({ bytes }) => bytes !== null);
    if (next === undefined) return undefined;
    const thread = await archiver();
    try {
      return { fileId: next.id, name: next.name, blocks: await thread.call('verify', [next.name]) };
    } catch (error) {
      const isDeleted = await giveUp(next);
      if (!isDeleted) await inspectFiles([next], true);
      throw error;
    }
  }

  return {
    async useSettings({ folder, months }) {
      await guard(writer.call('useArchiveSettings', [folder, months]));
    },
    listDays: (journalId) => reading(reader.call('listArchivedDays', [journalId])),
    async write(period, days) {
      const name = `${period}-${randomBytes(4).toString('hex')}.archive`;
      const id = await guard(writer.call('beginArchiveFile', [name, now()]));
      const thread = await archiver();
      const written = await thread.call('write', [name, days]);
      const taken = days.slice(0, written.days);
      if (written.records > 0) return guard(writer.call('endArchiveFile', [id, written.bytes, taken]));
      await giveUp({ id, name });
      await guard(writer.call('noteArchivedDays', [taken, null]));
    },
    async moveSlice() {
      moving ??= await beginMove();
      if (moving === undefined) return false;
      const { fileId, name, blocks } = moving;
      const [block] = blocks;
      if (block !== undefined) {
        noteWritten(block.recordIds.length);
        await (await archiver()).call('load', [name, block]);
        try {
          await guard(writer.call('moveArchiveBlock', [fileId, block]));
        } catch (error) {
          moving = undefined; // the next call reads the whole file again
          throw error;
        }
        blocks.shift();
        return true;
      }
      await guard(writer.call('endArchiveMove', [fileId, now()]));
      moving = undefined;
      return true;
    },
    async packSlice() {
      const { packed, logBytes } = await guard(writer.call('packBodies', [now()]));
      if (logBytes > 0) noteWritten(1, logBytes);
      return packed !== undefined;
    },
    async inspect() {
      await inspectFiles((await listFiles()).filter(({ bytes }) => bytes !== null));
    },
    readSummary: () => reading(reader.call('readArchiveSummary', [])),
    async noteFailure(error) {
      const failure = error === undefined ? null : findArchiveFailure(error);
      await guard(writer.call('noteArchiveFailure', [failure, now()]));
    },
    async noteEnd() {
      await guard(writer.call('noteArchiveEnd', [now()]));
    },
    async requestRun() {
      await guard(writer.call('requestArchiveRun', [now()]));
    },
    findRequest: () => reading(reader.call('findArchiveRequest', [])),
    async close() {
      const thread = await starting?.catch(() => undefined);
      await thread?.close();
    },
  };
}
