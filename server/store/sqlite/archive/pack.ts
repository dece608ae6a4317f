// Packs the bodies of older records: compresses many bodies together, in one row of the table `packs`. The archive may move them into
// files later.

import { dirname } from 'node:path';

import type { Connection } from '../engine/database.ts';
import { digestOf } from '../records/record.ts';
import { beginBlock } from './block.ts';
import { openBodyMover, withoutReferences } from './body-mover.ts';
import { bodyColumns, type BodyRow } from './body.ts';
import { hasSpaceToMove } from './run.ts';

/** A younger body stays in its row, because people look at it, and because it is forwarded and compared soon. */
const MIN_AGE_MS = 24 * 3_600_000;
/** Maximum records that one call looks at. Many in a row may be archived already. */
const MAX_LOOKED = 1000;

interface Candidate extends BodyRow {
  readonly id: number;
  readonly receivedAt: number;
}

/**
 * Returns a function that packs the bodies of the next records, oldest first, in one transaction. Returns how many bodies it packed.
 * Undefined if the remaining ones are too young or do not fill a pack, or if the disk has too little space. Leaves out records whose
 * bytes are damaged.
 */
export function openPacker(db: Connection): (now: number) => number | undefined {
  const findLast = db.prepare<[], number>('SELECT coalesce(max(last_record_id), 0) FROM packs').pluck();
  const list = db.prepare<[number], Candidate>(`
    SELECT id, received_at AS receivedAt, ${bodyColumns(db)} FROM records WHERE id > ? ORDER BY id LIMIT ${MAX_LOOKED}`);
  const add = db.prepare('INSERT INTO packs (last_record_id, bodies) VALUES (?, ?)');
  const moveBodies = openBodyMover(db);

  const packNext = db.transaction((now: number): number | undefined => {
    const block = beginBlock();
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
    const { recordIds } = block;
    add.run(lastId, recordIds.length === 0 ? null : block.compress());
    moveBodies(recordIds, -lastId);
    return recordIds.length;
  });
  return (now) => (hasSpaceToMove(dirname(db.name)) ? withoutReferences(db, () => packNext.immediate(now)) : undefined);
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
