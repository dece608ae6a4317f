// Packs the bodies of older records: compresses many bodies together, in one row of the table `packs`. The archive may move them into
// files later.

import { dirname } from 'node:path';

import type { Connection } from '../engine/database.ts';
import { classifyStorageError, errorCode } from '../engine/fault.ts';
import { digestOf } from '../records/record.ts';
import { beginBlock } from './block.ts';
import { openBodyMover, withoutReferences } from './body-mover.ts';
import { bodyColumns, type BodyRow } from './body.ts';
import { hasSpaceToMove } from './run.ts';

/** A younger body stays in its row, because people look at it, and because it is forwarded and compared soon. */
const MIN_AGE_MS = 24 * 3_600_000;
/** Maximum records that one call looks at. Many in a row may be archived already. */
const MAX_LOOKED = 1000;
const PAGE_BYTES = 4096;
/**
 * Maximum size of the part of the write-ahead log that is not in the database yet. While a backup reads, no checkpoint can copy it,
 * and packs could let it grow by gigabytes.
 */
const MAX_UNCOPIED_BYTES = 64 * 1024 * 1024;

export interface Packing {
  /** The number of bodies that were packed. Undefined if no pack can be made now. */
  readonly packed: number | undefined;
  /** How much the write-ahead log has grown, or its size if it is too large. */
  readonly logBytes: number;
}

interface Candidate extends BodyRow {
  readonly id: number;
  readonly receivedAt: number;
}

/**
 * Returns a function that packs the bodies of the next records, oldest first, in one transaction. It packs none if the remaining ones
 * are too young or do not fill a pack, if the disk has too little space, or if the write-ahead log is too large. Leaves out records
 * whose bytes are damaged. If a damaged row or index entry prevents a pack, its bodies stay in their rows, and the next call continues
 * after them.
 */
export function openPacker(db: Connection): (now: number) => Packing {
  const findLast = db.prepare<[], number>('SELECT coalesce(max(last_record_id), 0) FROM packs').pluck();
  const list = db.prepare<[number], Candidate>(`
    SELECT id, received_at AS receivedAt, ${bodyColumns(db)} FROM records WHERE id > ? ORDER BY id LIMIT ${MAX_LOOKED}`);
  const add = db.prepare('INSERT INTO packs (last_record_id, bodies) VALUES (?, ?)');
  const moveBodies = openBodyMover(db);
  /** The last record of the pack that the last call began; 0 if it began none. */
  let begunId = 0;

  const packNext = db.transaction((now: number): number | undefined => {
    const block = beginBlock();
    begunId = 0;
    let isFull = false;
    let [lastId, looked] = [0, 0];
    for (const { id, receivedAt, digest, body, archiveBlock } of list.iterate(findLast.get() ?? 0)) {
      // A time in the future was read from a clock that was wrong, so it says nothing about the age.
      if (receivedAt > now - MIN_AGE_MS && receivedAt <= now) break;
      lastId = id;
      looked += 1;
      if (archiveBlock === null && digestOf(body).equals(digest)) isFull = block.add(id, body);
      if (isFull) break;
    }
    if (!isFull && looked < MAX_LOOKED) return undefined;
    begunId = lastId;
    const { recordIds } = block;
    add.run(lastId, recordIds.length === 0 ? null : block.compress());
    moveBodies(recordIds, -lastId);
    return recordIds.length;
  });

  function pack(now: number): number | undefined {
    try {
      return withoutReferences(db, () => packNext.immediate(now));
    } catch (error) {
      if (begunId === 0 || !isDamage(error)) throw error;
      add.run(begunId, null);
      return 0;
    }
  }

  return (now) => {
    if (!hasSpaceToMove(dirname(db.name))) return { packed: undefined, logBytes: 0 };
    const before = readLog(db);
    if (before.uncopied > MAX_UNCOPIED_BYTES) return { packed: undefined, logBytes: before.uncopied };
    const packed = pack(now);
    const { bytes } = readLog(db);
    // After a complete checkpoint, SQLite writes the log from its start again.
    return { packed, logBytes: bytes < before.bytes ? bytes : bytes - before.bytes };
  };
}

/** The size of the write-ahead log, and of its part that is not in the database yet. */
function readLog(db: Connection): { readonly bytes: number; readonly uncopied: number } {
  const [{ log, checkpointed }] = db.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
  return { bytes: log * PAGE_BYTES, uncopied: (log - checkpointed) * PAGE_BYTES };
}

/** Whether a row breaks a rule of the schema, or SQLite does not find its index entry. */
function isDamage(error: unknown): boolean {
  return (
    classifyStorageError(error) === 'damaged' ||
    /^SQLITE_CONSTRAINT_(CHECK|UNIQUE|NOTNULL|DATATYPE)$/.test(errorCode(error) ?? '')
  );
}

/** Returns a function that removes the bodies from those of the packs whose records are all archived in files. */
export function openPackClearer(db: Connection): (archiveBlocks: Iterable<number>) => void {
  const clear = db.prepare(`
    UPDATE packs SET bodies = NULL WHERE last_record_id = @lastId AND NOT EXISTS (
      SELECT 1 FROM records WHERE archive_block = -@lastId AND id <= @lastId
        AND id > (SELECT coalesce(max(last_record_id), 0) FROM packs WHERE last_record_id < @lastId))`);
  return (archiveBlocks) => {
    for (const archiveBlock of archiveBlocks) clear.run({ lastId: -archiveBlock });
  };
}
