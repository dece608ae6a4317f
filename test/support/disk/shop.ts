// A shop in its own process, on a disk whose writes are recorded. It sells, forwards some sales, and notes what the store has
// acknowledged. At the end, it is killed.

import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import Database from 'better-sqlite3';

import { openStore } from '../../../server/store/open-store.ts';
import { generateSecret } from '../../../server/store/setup/key-secret.ts';

export interface ShopPlan {
  readonly dataDir: string;
  /**
   * Path of a file. It gets one line for each acknowledged sale, with its id, and one for each acknowledged delivery, with
   * "delivered" and the id.
   */
  readonly acknowledged: string;
  readonly from: number;
  readonly to: number;
  /** Checkpoints the write-ahead log after this number of sales. */
  readonly checkpointEvery: number;
  /** Before the sale with this number, another connection begins a read that does not end. */
  readonly readFrom?: number;
  /**
   * If true, the first sale that the store does not accept ends the process like a crash. If false, the shop repeats the sale
   * until the store accepts it.
   */
  readonly diesOnRefusal: boolean;
}

const plan = JSON.parse(process.argv[2] ?? '') as ShopPlan;
const die = (): void => void process.kill(process.pid, 'SIGKILL');
const store = await openStore({ dataDir: plan.dataDir, role: 'gateway' });
const wanted = {
  administration: 'Bakery',
  mode: 'production',
  label: `Till ${plan.from}`,
  interface: 'both',
  isAdopted: false,
} as const;
const key = await store.setup.createKey({ ...wanted, secret: generateSecret('production') }, 'test');
if (key === undefined) throw new Error('a fresh key exists already');
const { journalId, tillId, id: keyId } = key;
const acknowledged = openSync(plan.acknowledged, 'a');
const beside = new Database(join(plan.dataDir, 'counterfoil.db'));

const laneId =
  store.outbox.lanes().find((lane) => lane.journalId === journalId && lane.interface === 'current')?.id ?? 0;

/** Stores the delivery of a sale as a lane does, usually before the sale is folded. */
async function deliver(externalId: string, recordId: number): Promise<void> {
  const answer = { attempts: 1, answeredAt: 1, answerStatus: 201, answer: null, upstreamStatus: null };
  const settlement = { recordId, status: 'NEW', soldAt: 1_760_000_000, state: 'delivered', ...answer } as const;
  try {
    await store.outbox.settle(laneId, [settlement]);
    writeSync(acknowledged, `delivered ${externalId}\n`);
  } catch {
    // The store did not acknowledge the delivery, so the sale still waits.
  }
}

async function sell(externalId: string): Promise<void> {
  const body = Buffer.from(JSON.stringify({ external_id: externalId, object: { text: externalId.repeat(60) } }));
  const sale = {
    journalId,
    tillId,
    keyId,
    externalId,
    type: 'sale',
    soldAt: 1_760_000_000,
    receivedAt: 1_760_000_000_000,
    isTimedElsewhere: false,
  };
  for (;;) {
    try {
      const { recordId } = await store.records.append({ ...sale, body: Uint8Array.from(body) });
      writeSync(acknowledged, `${externalId}\n`);
      if (externalId.endsWith('4')) await deliver(externalId, recordId);
      if (externalId.endsWith('8')) await store.records.countStatuses().catch(() => {}); // folds
      return;
    } catch {
      if (plan.diesOnRefusal) die();
      while (store.health.trouble() !== undefined) await delay(20);
    }
  }
}

for (let i = plan.from; i < plan.to; i += 2) {
  if (plan.readFrom !== undefined && i >= plan.readFrom && !beside.inTransaction) {
    beside.exec('BEGIN');
    beside.prepare('SELECT count(*) FROM records').get();
  }
  await Promise.all([sell(`T-${i}`), sell(`T-${i + 1}`)]);
  if (i % plan.checkpointEvery !== 0 || beside.inTransaction) continue;
  try {
    beside.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // After recorded-shop.ts has made a sync fail, each checkpoint fails too.
  }
}
die();
