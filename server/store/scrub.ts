// The scrub: the bytes of every record are compared with their SHA-256, a slice at a time, so that damage is found while a backup
// or the upstream still has what was damaged. How far it has come is kept, and so are the damaged records.

import type { DamagedRecordsView } from '../contract.ts';
import type { Connection } from './database.ts';
import { digestOf } from './record.ts';

/** What is read at a time; a query of a till waits for no more than this. */
const SLICE = { records: 500, bytes: 2 * 1024 * 1024 };
/** Damaged records that are named. */
const MAX_NAMED = 20;

export interface ScrubState {
  /** Epoch milliseconds; null before the first. */
  readonly begunAt: number | null;
  /** Null while it goes on. */
  readonly endedAt: number | null;
  /** Records up to this one have been read. */
  readonly afterId: number;
}

export interface ScrubSlice {
  readonly afterId: number;
  /** The last record that was read; `afterId` where there was none. */
  readonly lastId: number;
  readonly hasMore: boolean;
  readonly damaged: readonly number[];
}

/** Reads the next slice of records in the order they came. */
export function openScrubReader(db: Connection): (afterId: number) => ScrubSlice {
  const select = db.prepare<[number], { id: number; digest: Buffer; body: Buffer }>(
    'SELECT id, digest, body FROM records WHERE id > ? ORDER BY id',
  );
  return (afterId) => {
    const damaged: number[] = [];
    let lastId = afterId;
    let records = 0;
    let bytes = 0;
    for (const { id, digest, body } of select.iterate(afterId)) {
      if (records === SLICE.records || bytes >= SLICE.bytes) return { afterId, lastId, hasMore: true, damaged };
      if (!digestOf(body).equals(digest)) damaged.push(id);
      lastId = id;
      records += 1;
      bytes += body.length;
    }
    return { afterId, lastId, hasMore: false, damaged };
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

/** Keeps what a slice found, in place of what was known of its records, within the caller's transaction. */
export function noteScrub(
  db: Connection,
  state: ScrubState,
  { afterId, lastId, damaged }: ScrubSlice,
  now: number,
): void {
  db.prepare(`
    INSERT INTO scrubs (id, begun_at, ended_at, after_record_id) VALUES (1, @begunAt, @endedAt, @afterId)
    ON CONFLICT DO UPDATE SET begun_at = @begunAt, ended_at = @endedAt, after_record_id = @afterId`).run(state);
  db.prepare(`
    DELETE FROM damaged_records WHERE record_id > ? AND record_id <= ?
      AND record_id NOT IN (SELECT value FROM json_each(?))`).run(afterId, lastId, JSON.stringify(damaged));
  const add = db.prepare('INSERT INTO damaged_records (record_id, found_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  for (const id of damaged) add.run(id, now);
}

/** The damaged records that are known; null where there are none. */
export function openDamagedReader(db: Connection): () => DamagedRecordsView | null {
  const selectSum = db.prepare<[], { count: number; foundAt: number | null }>(
    'SELECT count(*) AS count, min(found_at) AS foundAt FROM damaged_records',
  );
  const selectIds = db
    .prepare<[number], number>('SELECT record_id FROM damaged_records ORDER BY record_id LIMIT ?')
    .pluck();
  return () => {
    const { count = 0, foundAt = null } = selectSum.get() ?? {};
    return foundAt === null ? null : { count, foundAt, recordIds: selectIds.all(MAX_NAMED) };
  };
}
