/**
 * Measures what keeps a shop waiting after damage, at an update and on another machine: a salvage of a whole store, the backup
 * that the first start of a new version makes before it changes the schema, and a move by backup and restore.
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
import { measureMove, type MoveReport, timed } from './move.ts';
import type { Workspace } from './workspace.ts';

export type RescueOptions = { records: number; rounds: number };
export type RescueResult = Run & {
  options: RescueOptions;
  databaseMb: number;
  salvageSeconds: number[];
  backupSeconds: number[];
  move: MoveReport;
};

export async function runRescue(workspace: Workspace, options: RescueOptions, command: string): Promise<RescueResult> {
  const run = await describeRun(workspace, command);
  const dataDir = join(workspace.makeFolder('rescue'), 'data');
  mkdirSync(dataDir);
  const tokens = await createTillKeys(workspace, dataDir);
  process.stderr.write(`filling up to ${options.records} records\n`);
  await fillStore(dataDir, options.records);
  const salvageSeconds: number[] = [];
  const backupSeconds: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    backupSeconds.push(await timed(() => backUpOnce(dataDir)));
    salvageSeconds.push(await timed(() => salvageOnce(workspace, dataDir, options.records)));
  }
  const databaseMb = statSync(databasePath(dataDir)).size / 1e6;
  const move = await measureMove(workspace, dataDir, options.records, tokens);
  return { ...run, options, databaseMb, salvageSeconds, backupSeconds, move };
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

export function formatRescue({ options, databaseMb, salvageSeconds, backupSeconds, move }: RescueResult): string {
  const list = (seconds: readonly number[]): string => seconds.map((each) => each.toFixed(1)).join(', ');
  return `| ${options.records} records, ${databaseMb.toFixed(0)} MB | seconds in each round |
| --- | --- |
| salvage | ${list(salvageSeconds)} |
| backup before an update | ${list(backupSeconds)} |
| move: backup while tills send ${move.soldPerSecond.toFixed(0)} sales per second | ${move.backup.toFixed(1)} |
| move: restore to an empty data folder | ${move.restore.toFixed(1)} |
| move: start, until another 100 sales are forwarded | ${move.forwarding.toFixed(1)} |

During the move, the upstream got ${move.again} records again.
`;
}
