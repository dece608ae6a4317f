// Runs a shop on a recorded disk and checks the states that a power cut could leave. It needs Linux and a C compiler.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { bodyColumns, type BodyRow, openBodies } from '../../../server/store/sqlite/archive/body.ts';
import { databasePath, openDatabase } from '../../../server/store/sqlite/engine/database.ts';
import { type LongWork, prepareForGateway } from '../../../server/store/sqlite/files/preparation.ts';
import { checkStore } from '../../../server/store/sqlite/integrity/check.ts';
import { findWalDamage } from '../../../server/store/sqlite/integrity/wal-repair.ts';
import { migrate } from '../../../server/store/sqlite/migrations.ts';
import { withDatabase } from '../old-data.ts';
import { temporaryFolder } from '../temp-store.ts';
import type { Cut } from './power-cut.ts';
import { FAILED_START, type ShopPlan } from './shop-plan.ts';

export const HAS_RECORDER = process.platform === 'linux' && hasCompiler();

function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A shop that runs longer than this hangs. */
const MAX_RUN_MS = 60_000;

export interface RecordedShop {
  readonly dataDir: string;
  readonly record: string;
  readonly acknowledged: string;
  /**
   * Runs until the shop ends. `fail` makes an operation fail, in the form of recorder.c. Returns what a start that failed has
   * said; undefined if the shop has run to its end.
   */
  run(plan: Omit<ShopPlan, 'dataDir' | 'acknowledged'>, fail?: string): Promise<string | undefined>;
  /** Removes the files before the test ends. */
  remove(): void;
}

/** Builds a library from a C file of this folder, which LD_PRELOAD loads into a process. Returns its path. */
export function buildLibrary(source: string): string {
  const library = join(temporaryFolder(), 'library.so');
  const path = join(import.meta.dirname, source);
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, path, '-ldl', '-lpthread']);
  return library;
}

/** Makes an empty folder that the recorder records. */
function openRecorder() {
  const folder = temporaryFolder();
  const recorded = join(folder, 'recorded');
  mkdirSync(recorded);
  const record = join(folder, 'record');
  return {
    folder,
    recorded,
    record,
    env: { LD_PRELOAD: buildLibrary('recorder.c'), RECORD_FOLDER: recorded, RECORD_TO: record },
  };
}

/** Records a program of this folder until it kills itself. `prepare` gets the recorded folder and returns the arguments. */
export function recordProgram(program: string, prepare: (folder: string) => string[]): { readonly record: string } {
  const { recorded, record, env } = openRecorder();
  const args = [join(import.meta.dirname, program), ...prepare(recorded)];
  const { signal, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  if (signal !== 'SIGKILL') throw new Error(`${program} ended too early: ${stderr}`);
  return { record };
}

export function openRecordedShop(): RecordedShop {
  const { folder, recorded, record, env: recording } = openRecorder();
  const dataDir = join(recorded, 'data');
  const acknowledged = join(recorded, 'acknowledged');
  return {
    dataDir,
    record,
    acknowledged,
    async run(plan, fail = '') {
      const env = { ...process.env, ...recording, FAIL: fail };
      const args = [
        join(import.meta.dirname, 'shop.ts'),
        JSON.stringify({ dataDir, acknowledged, ...plan } satisfies ShopPlan),
      ];
      const shop = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: MAX_RUN_MS });
      const [said, [, signal]] = await Promise.all([text(shop.stderr), once(shop, 'exit')]);
      if (signal === 'SIGKILL') return undefined;
      if (!said.startsWith(FAILED_START)) throw new Error(`the shop ended too early: ${said}`);
      return said.slice(FAILED_START.length);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** The files of a shop as it has left them, and what it has acknowledged. */
export function readLeft({ dataDir, acknowledged }: RecordedShop): Cut {
  const names = existsSync(dataDir) ? readdirSync(dataDir, { encoding: 'utf8', recursive: true }) : [];
  const paths = names.map((name) => join(dataDir, name)).filter((path) => statSync(path).isFile());
  const text = existsSync(acknowledged) ? readFileSync(acknowledged, 'utf8') : '';
  return {
    files: new Map(paths.filter((path) => !path.endsWith('-shm')).map((path) => [path, readFileSync(path)])),
    lines: text.split('\n').filter((line) => line !== ''),
  };
}

const NOTHING_FOUND = { fault: undefined, hasIndexFault: false, damaged: [], newestId: 0 };
/** The long work of a start, without threads. Skips the full check, because the tests check everything themselves. */
export const shortWork = (dataDir: string): LongWork => ({
  examine: async () => NOTHING_FOUND,
  update: async () => withDatabase(dataDir, (db) => migrate(db)),
});

/**
 * Does the work of a start on the data after a power cut, without threads. Resolves to the faults: missing acknowledged sales or
 * bodies, inconsistent data, or a false alarm.
 */
export async function findFault({ files, lines }: Cut): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-cut-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  try {
    for (const [path, bytes] of files) {
      const [, below] = path.split('/data/');
      if (below === undefined) continue;
      mkdirSync(dirname(join(dataDir, below)), { recursive: true });
      writeFileSync(join(dataDir, below), bytes);
    }
    const { lock } = await prepareForGateway(dataDir, Date.now(), shortWork(dataDir));
    lock.release();
    return findLoss(dataDir, lines) ?? (await findFalseAlarm(dataDir));
  } catch (error) {
    return String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const DELIVERED = 'delivered ';
const isDelivery = (line: string): boolean => line.startsWith(DELIVERED);
const isSale = (line: string): boolean => line.startsWith('T-');

function findLoss(dataDir: string, lines: readonly string[]): string | undefined {
  const db = openDatabase(databasePath(dataDir), 'read');
  try {
    const ids = db.prepare<[], string>("SELECT external_id FROM records WHERE status = 'NEW'").pluck().all();
    const kept = new Set(ids);
    const [delivered, sold] = [lines.filter(isDelivery), lines.filter(isSale)];
    const missing = sold.filter((id) => !kept.has(id));
    if (missing.length > 0)
      return `${missing.length} of ${sold.length} acknowledged sales are missing: ${missing.slice(0, 5).join(', ')}`;
    const isKnownDelivery = db.prepare<[string]>(`
      SELECT 1 FROM deliveries JOIN records ON records.id = record_id WHERE state = 'delivered' AND external_id = ?`);
    const unsettled = delivered.filter((line) => isKnownDelivery.get(line.slice(DELIVERED.length)) === undefined);
    if (unsettled.length > 0) return `acknowledged deliveries are missing: ${unsettled.join(', ')}`;
    const bodyOf = openBodies(db);
    const rows = db.prepare<[], BodyRow & { readonly id: number }>(`SELECT id, ${bodyColumns(db)} FROM records`);
    for (const row of rows.iterate()) bodyOf(row.id, row); // throws if the archive has lost it
    const { structure, damagedRecords, countFaults, saleFaults, deliveryFaults } = checkStore(db);
    const faults = [...structure, ...damagedRecords, ...countFaults, ...saleFaults, ...deliveryFaults];
    return faults.length === 0 ? undefined : `the data are not sound: ${JSON.stringify(faults[0])}`;
  } finally {
    db.close();
  }
}

/** Reports sales that the start would wrongly call missing. A power cut may look like damage to the write-ahead log. */
async function findFalseAlarm(dataDir: string): Promise<string | undefined> {
  const damage = await findWalDamage(dataDir);
  if (damage === null || damage.kind === 'cut_off' || damage.missingRecords === 0) return undefined;
  return `a false alarm: ${damage.kind}`;
}
