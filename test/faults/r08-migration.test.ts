// A migration is complete or did not begin, wherever the power fails. The test records the migration of old data to the newest
// schema, and opens each state that the disk may have after a power cut as a gateway does. The data must then be the same as
// after a migration without a power cut.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { expect, test } from 'vitest';

import { checkpointTruncate, databasePath } from '../../server/store/sqlite/engine/database.ts';
import { checkStore } from '../../server/store/sqlite/integrity/check.ts';
import { migrate, SCHEMA_VERSION } from '../../server/store/sqlite/migrations.ts';
import { type Cut, cutPower, digestOf, readRecord } from '../support/disk/power-cut.ts';
import { HAS_RECORDER, recordProgram, startOn } from '../support/disk/recorded-shop.ts';
import { folderAtVersion1, folderAtVersion2, type Rows, rowsOf, withDatabase } from '../support/old-data.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { openRandom } from '../support/till/random.ts';
import { countOf, repeatOf, report, SEED } from './tier.ts';

const CUTS = countOf({ commit: 120, nightly: 10_000 });
/** The versions to start from. Data of the first two go through every migration. */
const VERSIONS = CUTS > 1000 ? Array.from({ length: SCHEMA_VERSION - 1 }, (_, i) => i + 1) : [1, 2];

test.for(VERSIONS)(
  'data of schema %i are migrated completely after a power cut at any statement',
  async (version, context) => {
    if (!HAS_RECORDER) return context.skip('needs Linux and a C compiler');
    const dataDir = version === 1 ? folderAtVersion1() : folderAtVersion2();
    withDatabase(dataDir, (db) => {
      migrate(db, version);
      checkpointTruncate(db);
    });
    const [sound, again] = [await openMigrated(dataDir), await openMigrated(dataDir)];
    /** Tables with random secrets or times differ between two migrations of the same data. */
    const tables = Object.keys(sound).filter((table) => JSON.stringify(sound[table]) === JSON.stringify(again[table]));
    expect(tables).toEqual(expect.arrayContaining(['records', 'deliveries', 'counts', 'keys', 'journals', 'refusals']));

    const recorded = recordProgram('migrator.ts', (folder) => {
      mkdirSync(join(folder, 'data'));
      return [databasePath(dataDir), databasePath(join(folder, 'data'))];
    });
    const entries = readRecord(recorded.record);
    const from = entries.findIndex(({ operation, path }) => operation === 'sync' && basename(path) === 'data') + 1;
    expect(from).toBeGreaterThan(0);
    const count = Math.ceil(CUTS / VERSIONS.length);
    const faults: string[] = [];
    const states = new Set<string>();
    let cuts = 0;
    for (const cut of cutPower(entries, '', { count, from, random: openRandom(SEED) })) {
      cuts += 1;
      const digest = digestOf(cut);
      if (states.has(digest)) continue;
      states.add(digest);
      const rows = await openCut(cut).catch((error: unknown) => String(error));
      if (typeof rows === 'string') faults.push(`cut ${cuts}: ${rows}`);
      else
        for (const table of tables)
          if (JSON.stringify(rows[table]) !== JSON.stringify(sound[table])) faults.push(`cut ${cuts}: ${table}`);
    }
    expect(faults, repeatOf('R8', CUTS)).toEqual([]);
    report(
      context,
      `${cuts} cuts, ${states.size} states, in ${entries.length - from} operations from schema ${version}`,
    );
  },
);

async function openCut({ files }: Cut): Promise<Rows> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-migration-'));
  try {
    for (const [path, bytes] of files) writeFileSync(join(folder, basename(path)), bytes);
    return await openAll(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a copy of the data as a gateway does. */
async function openMigrated(dataDir: string): Promise<Rows> {
  const copy = join(temporaryFolder(), 'data');
  mkdirSync(copy);
  copyFileSync(databasePath(dataDir), databasePath(copy));
  return openAll(copy);
}

async function openAll(dataDir: string): Promise<Rows> {
  await startOn(dataDir, 0);
  return withDatabase(dataDir, (db) => {
    const { structure, damagedRecords, countFaults } = checkStore(db);
    expect([...structure, ...damagedRecords, ...countFaults]).toEqual([]);
    return rowsOf(db);
  });
}
