// The archiver's settings and state, in the database so that commands can show them, and the free space that it leaves to tills.

import { statfsSync } from 'node:fs';

import { ARCHIVE_FAILURES, type ArchiveFailure, type ArchiveSummary } from '../../../contract/archive.ts';
import { GatewayError } from '../../../errors.ts';
import type { Connection } from '../engine/database.ts';
import { classifyStorageError } from '../engine/fault.ts';
import { roomNeeded } from '../files/reserve.ts';

/**
 * The space that stays free, as a multiple of the space with which a gateway accepts sales again after a full disk. A new file
 * leaves more of it, because its bodies are moved afterwards, which needs space for a while. A pack moves bodies too.
 */
const SPARED = { write: 3, move: 2 };

/** The code is that of a full disk, although the disk still has space for sales. */
class LittleSpaceError extends Error {
  readonly code = 'ENOSPC';
}

/** Whether the disk of a folder keeps enough space for sales while bodies are moved. True if the free space is unknown. */
export function hasSpaceToMove(folder: string): boolean {
  try {
    return findLacking(folder, 'move') <= 0;
  } catch {
    return true; // the writer would take the error for a fault of its disk
  }
}

/** Throws unless the disk of a folder keeps enough space for sales. */
export function assertSpaceSpared(folder: string, step: keyof typeof SPARED): void {
  const lacking = findLacking(folder, step);
  if (lacking <= 0) return;
  throw new LittleSpaceError(
    `The disk of ${folder} has too little free space to archive: ${Math.ceil(lacking / 1e6)} MB more are needed.`,
  );
}

/** The bytes that must become free before the step may begin. */
function findLacking(folder: string, step: keyof typeof SPARED): number {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return SPARED[step] * roomNeeded(blocks * bsize) - bavail * bsize;
}

export function findArchiveFailure(error: unknown): Pick<ArchiveFailure, 'fault' | 'detail'> {
  const isFull =
    classifyStorageError(error) === 'full' || (error instanceof GatewayError && error.code === 'store_full');
  return { fault: isFull ? 'full' : 'unwritten', detail: error instanceof Error ? error.message : String(error) };
}

/** Stores the setting archiveMonths. */
export function noteArchiveMonths(db: Connection, months: number | undefined): void {
  db.prepare(
    'INSERT INTO archive_run (id, months) VALUES (1, ?) ON CONFLICT DO UPDATE SET months = excluded.months',
  ).run(months ?? null);
}

/** Stores why bodies cannot be archived; null after a good attempt. The time of the first failed attempt stays. */
export function noteArchiveFailure(
  db: Connection,
  failure: Pick<ArchiveFailure, 'fault' | 'detail'> | null,
  now: number,
): void {
  db.prepare(`
    INSERT INTO archive_run (id, fault, detail, failed_since) VALUES (1, @fault, @detail, iif(@fault IS NULL, NULL, @now))
    ON CONFLICT DO UPDATE SET fault = @fault, detail = @detail,
      failed_since = iif(@fault IS NULL, NULL, coalesce(failed_since, @now))`).run({
    fault: failure?.fault ?? null,
    detail: failure?.detail ?? null,
    now,
  });
}

/** Stores that all days that were due are archived. */
export function noteArchiveEnd(db: Connection, now: number): void {
  db.prepare('INSERT INTO archive_run (id, ended_at) VALUES (1, @now) ON CONFLICT DO UPDATE SET ended_at = @now').run({
    now,
  });
}

/** Stores that a person requests a run. */
export function requestArchiveRun(db: Connection, now: number): void {
  db.prepare(
    'INSERT INTO archive_run (id, requested_at) VALUES (1, @now) ON CONFLICT DO UPDATE SET requested_at = @now',
  ).run({ now });
}

/** When a person requested a run that has not ended yet; null without such a request. */
export function findArchiveRequest(db: Connection): number | null {
  const find = db.prepare<[], number>(
    'SELECT requested_at FROM archive_run WHERE requested_at > coalesce(ended_at, 0)',
  );
  return find.pluck().get() ?? null;
}

interface RunRow {
  readonly months: number | null;
  readonly endedAt: number | null;
  readonly fault: string | null;
  readonly detail: string | null;
  readonly since: number | null;
}

export function readArchiveRun(db: Connection): Pick<ArchiveSummary, 'months' | 'endedAt' | 'failure'> {
  const run = db
    .prepare<[], RunRow>('SELECT months, ended_at AS endedAt, fault, detail, failed_since AS since FROM archive_run')
    .get();
  if (run === undefined) return { months: null, endedAt: null, failure: null };
  const { months, endedAt, fault, detail, since } = run;
  const known = ARCHIVE_FAILURES.find((each) => each === fault);
  const failure = known === undefined || detail === null || since === null ? null : { fault: known, detail, since };
  return { months, endedAt, failure };
}
