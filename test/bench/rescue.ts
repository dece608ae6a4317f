/**
 * Measures what keeps a shop waiting after damage or at an update: a salvage of a whole store, and the backup that the first
 * start of a new version makes before it changes the schema.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';

import { databasePath, salvage } from '../../server/store/data-directory.ts';
import { backUpBeforeUpdate } from '../../server/store/sqlite/files/update-backup.ts';
import { SCHEMA_VERSION } from '../../server/store/sqlite/migrations.ts';
import { fillStore } from './fill.ts';
import { createTillKeys } from './gateway.ts';
import { describeRun, type Run } from './intake.ts';
import type { Workspace } from './workspace.ts';

export type RescueOptions = { records: number; rounds: number };
export type RescueResult = Run & {
  options: RescueOptions;
  databaseMb: number;
  salvageSeconds: number[];
  backupSeconds: number[];
};

export async function runRescue(workspace: Workspace, options: RescueOptions, command: string): Promise<RescueResult> {
  const run = await describeRun(workspace, command);
  const dataDir = join(workspace.makeFolder('rescue'), 'data');
  mkdirSync(dataDir);
  await createTillKeys(workspace, dataDir);
  process.stderr.write(`filling up to ${options.records} records\n`);
  await fillStore(dataDir, options.records);
  const salvageSeconds: number[] = [];
  const backupSeconds: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    backupSeconds.push(await timed(() => backUpOnce(dataDir)));
    salvageSeconds.push(await timed(() => salvageOnce(workspace, dataDir, options.records)));
  }
  const databaseMb = statSync(databasePath(dataDir)).size / 1e6;
  return { ...run, options, databaseMb, salvageSeconds, backupSeconds };
}

async function timed(work: () => void | Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

async function salvageOnce(workspace: Workspace, dataDir: string, records: number): Promise<void> {
  const to = join(workspace.makeFolder('salvaged'), 'data');
  const found = await salvage({ path: databasePath(dataDir), dataDir }, to, Date.now());
  if (found.records !== records || found.missing !== 0) throw new Error(`only ${found.records} records were salvaged`);
  rmSync(to, { recursive: true });
}

/** Makes the backup as the first start of a new version does. The schema version is put back afterwards. */
function backUpOnce(dataDir: string): void {
  const db = new Database(databasePath(dataDir));
  try {
    db.pragma(`user_version = ${SCHEMA_VERSION - 1}`);
    const backup = backUpBeforeUpdate(db, dataDir, Date.now());
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    if (backup?.kind !== 'made') throw new Error(`the backup was not made: ${String(backup?.cause)}`);
  } finally {
    db.close();
  }
}

export function formatRescue({ options, databaseMb, salvageSeconds, backupSeconds }: RescueResult): string {
  const list = (seconds: readonly number[]): string => seconds.map((each) => each.toFixed(1)).join(', ');
  return `| ${options.records} records, ${databaseMb.toFixed(0)} MB | seconds in each round |
| --- | --- |
| salvage | ${list(salvageSeconds)} |
| backup before an update | ${list(backupSeconds)} |
`;
}
