// Compares the data with a backup: which records arrived after it.

import type { RecordsSince } from '../../../contract/restores.ts';
import { openUnsentReader } from '../backups/backup-file.ts';
import type { Connection } from '../engine/database.ts';

/** Identifies a record of these data. */
export interface RecordMark {
  readonly id: number;
  readonly digest: Uint8Array;
}

export function readNewestMark(db: Connection): RecordMark | undefined {
  return db.prepare<[], RecordMark>('SELECT id, digest FROM records ORDER BY id DESC LIMIT 1').get();
}

/** Returns a function that counts the records that these data have and a backup lacks. `newest` is the backup's newest record. */
export function openSinceReader(db: Connection): (newest: RecordMark | null) => RecordsSince {
  const find = db.prepare<[number, Uint8Array], number>('SELECT id FROM records WHERE id = ? AND digest = ?').pluck();
  const count = db.prepare<[number], number>('SELECT count(*) FROM records WHERE id > ?').pluck();
  const listLanes = db.prepare<[], number>('SELECT id FROM lanes').pluck();
  const countUnsent = openUnsentReader(db);
  return (newest) => {
    const areSameData = newest === null || find.get(newest.id, newest.digest) !== undefined;
    const after = areSameData ? (newest?.id ?? 0) : 0;
    const records = count.get(after) ?? 0;
    const notUpstream = listLanes.all().reduce((sum, laneId) => sum + countUnsent(laneId, after), 0);
    return { records, notUpstream, areSameData };
  };
}
