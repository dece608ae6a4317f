import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { openStore } from '../../server/store/open-store.ts';
/**
 * A store for the console benchmark, filled like the stores of the intake benchmark. Also contains rare records for each
 * filter: repeated and conflicting records, another type, the earlier interface, and deliveries in every state.
 */
import type { Settlement } from '../../server/store/outbox/ledger.ts';
import type { Store } from '../../server/store/store.ts';
import { fillStore, findLane } from './fill.ts';
import { createTillKeys } from './gateway.ts';
import { filledYear } from './records.ts';
import type { Workspace } from './workspace.ts';

export type ConsoleStore = {
  data: string;
  /** The keys of the tills. */
  tokens: string[];
  filled: { added: number; seconds: number };
};

const rareOfEachKind = 2000;
const settledPages = 20;
/** One in `heldEvery` settled deliveries is held. After that, `setAside` of the held deliveries are set aside. */
const heldEvery = 20;
const setAside = 100;

/** Fills a store up to a number of records; `keptFolder` keeps it for the next run. */
export async function fillConsoleStore(
  workspace: Workspace,
  records: number,
  keptFolder: string | undefined,
): Promise<ConsoleStore> {
  const data = join(keptFolder ?? workspace.makeFolder('console'), 'data');
  mkdirSync(data, { recursive: true });
  const tokens = await createTillKeys(workspace, data);
  process.stderr.write(`filling up to ${records} records\n`);
  const filled = await fillStore(data, records);
  process.stderr.write(`added ${filled.added} in ${filled.seconds.toFixed(0)} s\n`);
  const store = await openStore({ dataDir: data, role: 'gateway' });
  try {
    await setAmounts(store);
    const [journal] = await store.records.countStatuses();
    if (journal?.records.current.ERROR === 0) {
      await appendRare(store);
      await settleSome(store);
    }
  } finally {
    await store.close();
  }
  return { data, tokens, filled };
}

/** Sets rules for amounts, so that every bucket has a sum. This also works in a store that an earlier run has left. */
async function setAmounts(store: Store): Promise<void> {
  const { administration } = findLane(store);
  const place = { currency: 'EUR', payment: null, sign: 'as sent' } as const;
  // generated sales contain no total, so their receipt number stands in for it
  const totals = { sale: '/object/receipt', refund: '/object/total' };
  for (const [type, total] of Object.entries(totals))
    await store.amounts.setRule(administration, type, { type, total, ...place }, 'bench');
  while (await store.amounts.fillSlice());
}

/** Adds the rare records, spread over the year. */
async function appendRare(store: Store): Promise<void> {
  const [key] = await store.setup.listKeys();
  if (key === undefined) throw new Error('the store has no keys');
  const { journalId, tillId, id: keyId } = key;
  const from = { journalId, tillId, keyId };
  const spanSeconds = filledYear.days * 86_400;
  const each = async (n: number): Promise<void> => {
    const soldAt = Math.floor(filledYear.startMs / 1000 + ((n + 0.5) / rareOfEachKind) * spanSeconds);
    const arrival = {
      ...from,
      externalId: `rare-${n}`,
      type: 'refund',
      soldAt,
      isTimedElsewhere: true,
      receivedAt: Date.now(),
    };
    const bodyWith = (total: number) =>
      Buffer.from(
        `{"type":"refund","external_id":"rare-${n}","timestamp":"${new Date(soldAt * 1000).toISOString()}","object":{"total":${total}}}`,
      );
    for (const total of [1, 1, 2]) await store.records.append({ ...arrival, body: bodyWith(total) });
    const earlier = { version: 'v1', method: 'GET' } as const;
    await store.records.append({
      ...arrival,
      type: 'transaction',
      earlier,
      body: Buffer.from(`transactionid=rare-${n}`),
    });
  };
  let next = 0;
  const inTurn = async (): Promise<void> => {
    while (next < rareOfEachKind) await each(next++);
  };
  await Promise.all(Array.from({ length: 64 }, inTurn));
}

/** Settles the oldest waiting deliveries: some become held, the others delivered. */
async function settleSome(store: Store): Promise<void> {
  const lane = findLane(store);
  const held: number[] = [];
  let after = 0;
  for (let page = 0; page < settledPages; page += 1) {
    const { records } = await store.outbox.listWaiting(lane.id, after);
    const settlements = records.map(({ recordId, status, soldAt }, n): Settlement => {
      const isHeld = n % heldEvery === 0;
      if (isHeld) held.push(recordId);
      const answer = { attempts: 1, answeredAt: Date.now(), answerStatus: isHeld ? 422 : 201, answer: null };
      return { recordId, status, soldAt, state: isHeld ? 'held' : 'delivered', ...answer, upstreamStatus: null };
    });
    await store.outbox.settle(lane.id, settlements);
    after = records.at(-1)?.recordId ?? after;
  }
  const records = { kind: 'some', recordIds: held.slice(0, setAside) } as const;
  await store.outbox.performAct(lane, { kind: 'set aside', records, reason: 'bench' }, 'bench');
}
