// Migration 18, applied to data of an earlier version.

import { readFileSync, writeFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import {
  checkpointTruncate,
  type Connection,
  databasePath,
} from '../../../../../server/store/sqlite/engine/database.ts';
import { checkStore } from '../../../../../server/store/sqlite/integrity/check.ts';
import { FRAME_HEADER_BYTES, WAL_HEADER_BYTES } from '../../../../../server/store/sqlite/integrity/wal-format.ts';
import { migrate, oldestProgram, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

test('the order of sale has every old record, and programs that need the former indexes are refused', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 17);
    const { oldest_program: _, ...before } = rowsOf(db);
    migrate(db, 18);
    expect(schemaVersion(db)).toBe(18);
    expect(oldestProgram(db)).toBeGreaterThanOrEqual(18);
    const { oldest_program: __, sales, ...after } = rowsOf(db);
    expect(after).toEqual(before);
    expect(sales).toHaveLength(before['records']?.length ?? 0);
    expect(checkStore(db)).toMatchObject({ structure: [], countFaults: [], saleFaults: [] });
  });
});

test('a record of the tail enters the order of sale when it is folded', () => {
  withDatabase(folderAtVersion2(), (db) => {
    migrate(db, 17);
    db.exec('UPDATE fold SET folded_until = 4');
    migrate(db, 18);
    expect(db.prepare('SELECT max(record_id) FROM sales').pluck().get()).toBe(4);
    expect(checkStore(db, { withCounts: false })).toMatchObject({ saleFaults: [] });
  });
});

test('a power cut at any page of the migration leaves the old data or the new data', () => {
  const old = folderAtVersion2();
  const describe = (db: Connection): unknown => ({ version: schemaVersion(db), rows: rowsOf(db) });
  const [before, after, file, log] = withDatabase(old, (db) => {
    migrate(db, 17);
    checkpointTruncate(db);
    const atVersion17 = describe(db);
    migrate(db, 18);
    const [file, log] = [databasePath(old), `${databasePath(old)}-wal`].map((path) => readFileSync(path));
    return [atVersion17, describe(db), file ?? Buffer.of(), log ?? Buffer.of()] as const;
  });
  const frames = (log.byteLength - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + 4096);
  expect(frames).toBeGreaterThan(5);
  for (let frame = 0; frame <= frames; frame++) {
    // Every second copy of the log ends in the middle of a database page.
    const bytes = WAL_HEADER_BYTES + (frame - (frame % 2) / 2) * (FRAME_HEADER_BYTES + 4096);
    const dataDir = temporaryFolder();
    writeFileSync(databasePath(dataDir), file);
    writeFileSync(`${databasePath(dataDir)}-wal`, log.subarray(0, bytes));
    withDatabase(dataDir, (db) => {
      expect(describe(db)).toEqual(bytes === log.byteLength ? after : before);
      migrate(db, 18);
      expect(describe(db)).toEqual(after);
    });
  }
});
