// The health of the store and its machine, on SQLite.

import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { MessageChannel } from 'node:worker_threads';

import { judgeClock } from '../../health/clock-fault.ts';
import type { DataCheckProgress, HealthLedger, ReadSpace } from '../../health/ledger.ts';
import type { Checkpoints } from '../engine/checkpoint.ts';
import { databasePath } from '../engine/database.ts';
import type { TroubleWatch } from '../engine/disk-trouble.ts';
import { errorCode } from '../engine/fault.ts';
import type { GroupCommit } from '../engine/group-commit.ts';
import type { EngineParts } from '../engine/parts.ts';
import { judgeDisk } from '../files/disk.ts';
import { findWalDamage } from '../integrity/wal-repair.ts';
import { SCHEMA_VERSION } from '../migrations.ts';

export interface HealthParts extends EngineParts {
  readonly dataDir: string;
  readonly builtAt: number;
  readonly readSpace: ReadSpace;
  readonly trouble: TroubleWatch;
  readonly groups: GroupCommit;
  readonly checkpoints: Checkpoints;
}

export function openHealthLedger(parts: HealthParts): HealthLedger {
  const { reader, writer, reading, guard, now, dataDir, builtAt, readSpace, trouble, groups, checkpoints } = parts;
  let wasLow = false;
  return {
    trouble: trouble.current,
    async check(onProgress) {
      const { port1, port2 } = new MessageChannel();
      port1.on('message', (progress: DataCheckProgress) => onProgress?.(progress));
      const ended = once(port1, 'close'); // the port closes after the last report
      try {
        const result = await reading(reader.call('check', [port2], [port2]));
        await ended;
        return result;
      } finally {
        port1.close();
      }
    },
    async readDatabase() {
      const path = databasePath(dataDir);
      const [schema, ...sizes] = await Promise.all([
        reading(reader.call('readSchema', [])),
        ...[path, `${path}-wal`].map(sizeOf),
      ]);
      return { schema, programSchema: SCHEMA_VERSION, bytes: sizes.reduce((sum, size) => sum + size, 0) };
    },
    describeTables: () => reading(reader.call('describeTables', [])),
    readScrub: () => reading(reader.call('readScrub', [])),
    async scrubSlice() {
      const state = await reading(reader.call('readScrub', []));
      const isNew = state.begunAt === null || state.endedAt !== null;
      const slice = await reading(reader.call('readScrubSlice', [isNew ? 0 : state.afterId]));
      const next = {
        begunAt: isNew ? now() : state.begunAt,
        endedAt: slice.hasMore ? null : now(),
        afterId: slice.lastId,
      };
      await guard(writer.call('noteScrub', [next, slice, now()]));
      return { hasMore: slice.hasMore, hasDamage: slice.damaged.length > 0 || slice.indexFault !== null };
    },
    async readMachine() {
      const [{ bytesPerDay, newestAt, damaged, indexFault }, space, walDamage] = await Promise.all([
        reading(reader.call('readMachineFacts', [now()])),
        readSpace(dataDir),
        findWalDamage(dataDir),
      ]);
      const disk = space === undefined ? null : judgeDisk(space.freeBytes, space.totalBytes, bytesPerDay, wasLow);
      wasLow = disk?.isLow ?? wasLow;
      return {
        disk,
        clock: judgeClock(now(), builtAt, newestAt),
        walDamage,
        damaged,
        indexFault,
      };
    },
    confirmClock: () => guard(writer.call('confirmClock', [now()])),
    listSleeps: (range) => reading(reader.call('listSleeps', [range])),
    noteSleep: (sleep) => guard(writer.call('noteSleep', [sleep])),
    lastBackupAt: () => reading(reader.call('readLastBackup', [])),
    noteBackup: (newestRecordId) => guard(writer.call('noteBackup', [now(), newestRecordId])),
    load: () => ({ waiting: groups.waiting(), unanswered: groups.unanswered(), walPages: checkpoints.walPages() }),
  };
}

/** The size of a file in bytes; 0 for a missing file, because SQLite deletes an unused log. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
