// The scrub: compares every record with its SHA-256 and looks it up in its indexes, slice by slice. So damage is found while a
// backup or the upstream still has the record. Findings and progress are stored.

import type { ArchiveFault } from '../../../contract/archive.ts';
import type { Interface, Status } from '../../../contract/codes.ts';
import type { RecordDamage, IndexDamage } from '../../../contract/machine.ts';
import type { ScrubState } from '../../health/ledger.ts';
import { type ArchiveFaultNote, noteArchiveFaults } from '../archive/archive-file.ts';
import { ArchiveUnreadableError, bodyColumns, type BodyRow, openBodies } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import { classifyStorageError, errorCode, unlessDamaged } from '../engine/fault.ts';
import { streamNumber } from '../records/record-stream.ts';
import { digestOf, FIND_ORIGINAL_SQL } from '../records/record.ts';
import { rebuildSales } from './rebuild-sales.ts';

/** Limits of one slice, because a till's query waits until the slice is read. */
const SLICE = { records: 500, bytes: 2 * 1024 * 1024 };
/** Maximum damaged records listed by id. */
const MAX_NAMED = 20;

export interface ScrubSlice {
  readonly afterId: number;
  /** The id of the last record read; `afterId` if none was read. */
  readonly lastId: number;
  readonly hasMore: boolean;
  readonly damaged: readonly number[];
  /** The first index fault; null without one. */
  readonly indexFault: string | null;
  /** The archive files that could not be read. */
  readonly archiveFaults: readonly ArchiveFaultNote[];
}

interface ScrubbedRecord extends BodyRow {
  readonly id: number;
  readonly interface: Interface;
  readonly status: Status;
  readonly originalId: number | null;
  readonly journalId: number;
  readonly type: string;
  readonly externalId: string;
  readonly soldAt: number;
}

/** SQL that looks up a record by its time of sale. A record that is not folded (engine/fold.ts) has no row in `sales` yet. */
const FIND_SALE_SQL = `
  SELECT 1 FROM fold WHERE folded_until < @id
  UNION ALL
  SELECT 1 FROM sales WHERE journal_id = @journalId AND stream = @stream AND sold_at = @soldAt AND record_id = @id`;

/** Reads the next slice of records in the order of their ids. Reads each record alone: a database page may be unreadable. */
export function openScrubReader(db: Connection): (afterId: number) => ScrubSlice {
  const selectNewest = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM records').pluck();
  const select = db.prepare<[number], ScrubbedRecord>(`
    SELECT id, interface, status, original_id AS originalId, journal_id AS journalId, type, external_id AS externalId,
      sold_at AS soldAt, ${bodyColumns(db)}
    FROM records WHERE id = ?`);
  const findOriginal = {
    current: db.prepare<unknown[], { id: number }>(FIND_ORIGINAL_SQL.current(db)),
    earlier: db.prepare<unknown[], { id: number }>(FIND_ORIGINAL_SQL.earlier(db)),
  };
  const findSale = db.prepare(FIND_SALE_SQL);
  const findFile = db.prepare<[number], number>('SELECT file_id FROM archive_blocks WHERE id = ?').pluck();

  /** Returns the first index that does not lead to this record; null if all indexes lead to it. */
  function findIndexFault(record: ScrubbedRecord): string | null {
    const { id, interface: by, status, originalId, journalId, type, externalId } = record;
    const original = findOriginal[by].get({ journalId, externalId, ...(by === 'earlier' && { type }) });
    if (original?.id !== (originalId ?? id)) return by === 'current' ? 'originals' : 'earlier_originals';
    const stream = streamNumber({ interface: by, status });
    return findSale.get({ id, journalId, stream, soldAt: record.soldAt }) === undefined ? 'sales' : null;
  }

  return (afterId) => {
    const bodyOf = openBodies(db); // for each slice, because it keeps packs in memory, which may be damaged by now
    const newestId = selectNewest.get() ?? 0;
    const damaged: number[] = [];
    const archiveFaults = new Map<number, ArchiveFault>();
    /** A fault of a file is no damage of its records. */
    function readBody(record: ScrubbedRecord): Buffer | undefined {
      try {
        return bodyOf(record.id, record);
      } catch (error) {
        if (!(error instanceof ArchiveUnreadableError) || record.archiveBlock === null) throw error;
        const fileId = findFile.get(record.archiveBlock);
        if (fileId !== undefined) archiveFaults.set(fileId, error.fault);
        return undefined;
      }
    }
    let indexFault: string | null = null;
    let bytes = 0;
    let lastId = afterId;
    while (lastId < newestId && lastId - afterId < SLICE.records && bytes < SLICE.bytes) {
      lastId += 1;
      const id = lastId;
      const record = unlessDamaged(() => select.get(id) ?? null);
      if (record === null) continue; // no record has this id
      if (record === undefined) {
        damaged.push(id);
        continue;
      }
      const body = readBody(record);
      if (body !== undefined && !digestOf(body).equals(record.digest)) damaged.push(id);
      const index = unlessDamaged(() => findIndexFault(record));
      if (index !== null)
        indexFault ??= index === undefined ? 'an index cannot be read' : `${index} does not lead to record ${id}`;
      bytes += body?.length ?? 0;
    }
    const faults = [...archiveFaults].map(([id, fault]) => ({ id, fault }));
    return { afterId, lastId, hasMore: lastId < newestId, damaged, indexFault, archiveFaults: faults };
  };
}

export function readScrub(db: Connection): ScrubState {
  const row = db
    .prepare<[], ScrubState>(
      'SELECT begun_at AS begunAt, ended_at AS endedAt, after_record_id AS afterId FROM scrubs WHERE id = 1',
    )
    .get();
  return row ?? { begunAt: null, endedAt: null, afterId: 0 };
}

/** Stores the findings of a slice within the caller's transaction. They replace earlier findings about the same records. */
export function noteScrub(
  db: Connection,
  state: ScrubState,
  { afterId, lastId, damaged, indexFault, archiveFaults }: ScrubSlice,
  now: number,
): void {
  if (indexFault !== null)
    db.prepare('INSERT OR REPLACE INTO index_faults (id, found_at, detail) VALUES (1, ?, ?)').run(now, indexFault);
  else if (state.endedAt !== null) db.prepare('DELETE FROM index_faults WHERE found_at < ?').run(state.begunAt);

  db.prepare(`
    INSERT INTO scrubs (id, begun_at, ended_at, after_record_id) VALUES (1, @begunAt, @endedAt, @afterId)
    ON CONFLICT DO UPDATE SET begun_at = @begunAt, ended_at = @endedAt, after_record_id = @afterId`).run(state);
  db.prepare(`
    DELETE FROM damaged_records WHERE record_id > ? AND record_id <= ?
      AND record_id NOT IN (SELECT value FROM json_each(?))`).run(afterId, lastId, JSON.stringify(damaged));
  const add = db.prepare('INSERT INTO damaged_records (record_id, found_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  for (const id of damaged) add.run(id, now);
  if (archiveFaults.length > 0) noteArchiveFaults(db, archiveFaults, now);
}

/** Reads the known index fault; null without one. */
export function readIndexFault(db: Connection): IndexDamage | null {
  return db.prepare<[], IndexDamage>('SELECT found_at AS foundAt, detail FROM index_faults').get() ?? null;
}

/**
 * Rebuilds the indexes and the order of sale. If two sales with the same id were stored while the index was damaged, it changes
 * nothing.
 */
export function repairIndexes(db: Connection): void {
  try {
    db.transaction(() => {
      db.exec('REINDEX records');
      rebuildSales(db);
      db.prepare('DELETE FROM index_faults').run();
    }).immediate();
  } catch (error) {
    if (errorCode(error)?.startsWith('SQLITE_CONSTRAINT') !== true && classifyStorageError(error) !== 'damaged')
      throw error;
  }
}

/** Returns a function that reads the known damaged records; null without any. */
export function openDamagedReader(db: Connection): () => RecordDamage | null {
  const selectSum = db.prepare<[], { count: number; foundAt: number | null; lastFoundAt: number }>(
    'SELECT count(*) AS count, min(found_at) AS foundAt, max(found_at) AS lastFoundAt FROM damaged_records',
  );
  const selectIds = db
    .prepare<[number], number>('SELECT record_id FROM damaged_records ORDER BY record_id LIMIT ?')
    .pluck();
  return () => {
    const { count = 0, foundAt = null, lastFoundAt = 0 } = selectSum.get() ?? {};
    return foundAt === null ? null : { count, foundAt, lastFoundAt, recordIds: selectIds.all(MAX_NAMED) };
  };
}
