// Runs a shop on a recorded disk and checks the states that a power cut could leave. It needs Linux and a C compiler.

import { spawn, spawnSync } from 'node:child_process';
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
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { ARCHIVE_FOLDER, bodyColumns, type BodyRow, openBodies } from '../../../server/store/sqlite/archive/body.ts';
import { databasePath, openDatabase } from '../../../server/store/sqlite/engine/database.ts';
import { type LongWork, prepareForGateway } from '../../../server/store/sqlite/files/preparation.ts';
import { checkStore } from '../../../server/store/sqlite/integrity/check.ts';
import { findWalDamage } from '../../../server/store/sqlite/integrity/wal-repair.ts';
import { migrate } from '../../../server/store/sqlite/migrations.ts';
import { withDatabase } from '../old-data.ts';
import { temporaryFolder } from '../temp-store.ts';
import { hasCompiler, libraryOf, SHOP } from './built.ts';
import { type Cut, digestOf } from './power-cut.ts';
import { FAILED_START, type ShopPlan } from './shop-plan.ts';

export const HAS_RECORDER = hasCompiler();

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
    env: { LD_PRELOAD: libraryOf('recorder.c'), RECORD_FOLDER: recorded, RECORD_TO: record },
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
      const args = [SHOP, JSON.stringify({ dataDir, acknowledged, ...plan } satisfies ShopPlan)];
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
const shortWork = (dataDir: string): LongWork => ({
  examine: async () => NOTHING_FOUND,
  update: async () => withDatabase(dataDir, (db) => migrate(db)),
});

const wait = Atomics.wait;

/** Does the work of a start, without threads. Does not wait for other processes on these data, because there are none. */
export async function startOn(dataDir: string, now: number): Promise<void> {
  Atomics.wait = () => 'timed-out';
  try {
    const { lock } = await prepareForGateway(dataDir, now, shortWork(dataDir));
    lock.release();
  } finally {
    Atomics.wait = wait;
  }
}

export interface Judge {
  /** The number of different states, of all states that were judged. */
  readonly states: number;
  /**
   * Does the work of a start on the data after a power cut, without threads. Resolves to the faults: missing acknowledged sales or
   * bodies, inconsistent data, or a false alarm. Resolves to undefined for a state that was judged before.
   */
  findFault(cut: Cut): Promise<string | undefined>;
}

/** Opens a judge of the states after power cuts. Many cuts leave equal bytes, and what the judge says depends on nothing else. */
export function openJudge(): Judge {
  const states = new Set<string>();
  const started = new Set<string>();
  const isKnown = (set: Set<string>, cut: Cut): boolean => set.size === set.add(digestOf(cut)).size;

  async function judge({ files, lines }: Cut): Promise<string | undefined> {
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
      await startOn(dataDir, Date.now());
      const isAsBefore = isKnown(started, { files: readData(dataDir), lines });
      return (isAsBefore ? undefined : findLoss(dataDir, lines)) ?? (await findFalseAlarm(dataDir));
    } catch (error) {
      return String(error);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  return {
    get states() {
      return states.size;
    },
    findFault: async (cut) => (isKnown(states, cut) ? undefined : judge(cut)),
  };
}

/** What `findLoss` reads of a data directory: the database, its write-ahead log and the archive. */
function readData(dataDir: string): Cut['files'] {
  const names = ['', '-wal'].map((end) => basename(databasePath(dataDir)) + end);
  const archive = join(dataDir, ARCHIVE_FOLDER);
  if (existsSync(archive)) names.push(...readdirSync(archive).map((name) => join(ARCHIVE_FOLDER, name)));
  const there = names.filter((name) => existsSync(join(dataDir, name)));
  return new Map(there.map((name) => [name, readFileSync(join(dataDir, name))]));
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
    const settled = db.prepare<[], string>(`
      SELECT external_id FROM deliveries JOIN records ON records.id = record_id WHERE state = 'delivered'`);
    const isSettled = new Set(settled.pluck().all());
    const unsettled = delivered.filter((line) => !isSettled.has(line.slice(DELIVERED.length)));
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
