// A shop in its own process, on a disk whose writes are recorded. It sells, forwards some sales, and notes what the store has
// acknowledged. At the end, it is killed.

import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import Database from 'better-sqlite3';

import { GatewayError, OperatorError } from '../../../server/errors.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { generateSecret } from '../../../server/store/setup/key-secret.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';
import { archiveDay, packAll } from '../archived.ts';
import { ARCHIVED, FAILED_START, PACKED, PACKING, type ShopPlan } from './shop-plan.ts';

/** Sales during archiving. */
const SALES_MEANWHILE = 8;
const plan = JSON.parse(process.argv[2] ?? '') as ShopPlan;
/** Repetitions of the id in a body. */
const REPEATS = plan.archives === true ? 1000 : 60;
const die = (): void => void process.kill(process.pid, 'SIGKILL');
const store = await openStore({ dataDir: plan.dataDir, role: 'gateway' }).catch((error: unknown) => {
  if (!(error instanceof OperatorError)) throw error;
  writeSync(2, `${FAILED_START}${error.message}`);
  process.exit(1);
});
const wanted = {
  administration: 'Bakery',
  mode: 'production',
  label: `Till ${plan.from}`,
  interface: 'both',
  isAdopted: false,
} as const;
const acknowledged = openSync(plan.acknowledged, 'a');
const { journalId, tillId, id: keyId } = await makeKey();
const beside = new Database(join(plan.dataDir, 'counterfoil.db'), { fileMustExist: true });

const laneId =
  store.outbox.lanes().find((lane) => lane.journalId === journalId && lane.interface === 'current')?.id ?? 0;

async function makeKey(): Promise<Key> {
  for (;;) {
    try {
      const key = await store.setup.createKey({ ...wanted, secret: generateSecret('production') }, 'test');
      if (key !== undefined) return key;
    } catch (error) {
      await takeRefusal(error);
      if (plan.onRefusal === 'give up') die();
    }
  }
}

/** Notes a refusal. Resolves when the store accepts writes again, or immediately if the shop gives up. */
async function takeRefusal(error: unknown): Promise<void> {
  writeSync(acknowledged, `refused ${error instanceof GatewayError ? error.code : String(error)}\n`);
  if (plan.onRefusal === 'die') die();
  while (plan.onRefusal === 'repeat' && store.health.trouble() !== undefined) await delay(20);
}

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
  const body = Buffer.from(JSON.stringify({ external_id: externalId, object: { text: externalId.repeat(REPEATS) } }));
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
      if (plan.archives === true || externalId.endsWith('4')) await deliver(externalId, recordId);
      if (externalId.endsWith('8')) await store.records.countStatuses().catch(() => {}); // folds
      return;
    } catch (error) {
      await takeRefusal(error);
      if (plan.onRefusal === 'give up') return;
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
if (plan.archives === true) {
  await store.records.countStatuses().catch(() => {}); // folds
  await Promise.all([archive(), ...Array.from({ length: SALES_MEANWHILE }, (_, i) => sell(`T-${plan.to + i}`))]);
}
die();

async function archive(): Promise<void> {
  try {
    writeSync(acknowledged, `${PACKING}\n`);
    if ((await packAll(store)) > 0) writeSync(acknowledged, `${PACKED}\n`);
    await archiveDay(store, { key: { journalId } });
    writeSync(acknowledged, `${ARCHIVED}\n`);
  } catch {
    // The bodies stay where they are, and the gateway tries it again later.
  }
}
