import { parseInstant } from '../../server/lib/instant.ts';
import { openStore } from '../../server/store/open-store.ts';
/**
 * Fills a store for the measurements that depend on its size. The store grows in stages to 0.1, 1 and 10 million records.
 * Each stage adds records over the whole year in order of time. So every day holds the same share of records at every size,
 * and the layout on disk is realistic. The records pass through the store's own append and group commit, without HTTP.
 */
import type { LaneSettings } from '../../server/store/outbox/ledger.ts';
import type { Store } from '../../server/store/store.ts';
import { type BenchRecord, createRecordSource, planFill } from './records.ts';

const underwayAtMost = 512;

/**
 * Fills the store in `dataDir` up to `count` records, spread over the tills that it has keys for. Does nothing if the store
 * has enough records. No gateway may be running on the store. Returns the number of added records and the seconds. Throws if
 * a record was not NEW.
 */
export async function fillStore(dataDir: string, count: number): Promise<{ added: number; seconds: number }> {
  const store = await openStore({ dataDir, role: 'gateway' });
  try {
    const [journal] = await store.records.countStatuses();
    const first = journal?.records.current.NEW ?? 0;
    const startedAt = performance.now();
    if (count > first) await appendRecords(store, count - first, createRecordSource(planFill(first, count - first)));
    return { added: Math.max(0, count - first), seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    await store.close();
  }
}

/**
 * Adds a number of records from a source, spread over the tills that the store has keys for. Throws when a record was not
 * NEW.
 */
export async function appendRecords(store: Store, added: number, nextRecord: () => BenchRecord): Promise<void> {
  const keys = await store.setup.listKeys();
  let sent = 0;
  const appendInTurn = async (): Promise<void> => {
    while (sent < added) {
      const key = keys[sent % keys.length];
      if (key === undefined) throw new Error('the store has no keys');
      sent += 1;
      const { id, type, body, timestamp } = nextRecord();
      const { status } = await store.records.append({
        journalId: key.journalId,
        tillId: key.tillId,
        keyId: key.id,
        externalId: id,
        type,
        soldAt: parseInstant(timestamp) ?? Number.NaN,
        isTimedElsewhere: true,
        receivedAt: Date.now(),
        body: Buffer.from(body, 'latin1'),
      });
      if (status !== 'NEW') throw new Error(`${id} was ${status}`);
    }
  };
  await Promise.all(Array.from({ length: underwayAtMost }, appendInTurn));
}

/** The lane of the tills' records; every filled store has one. */
export function findLane(store: Store): LaneSettings {
  const lane = store.outbox.lanes().find(({ mode, interface: by }) => mode === 'production' && by === 'current');
  if (lane === undefined) throw new Error('the store has no lane');
  return lane;
}
