// A store with delivered sales of one day, the archive of that day, and packs.

import type { Key } from '../../server/store/setup/ledger.ts';
import type { Store } from '../../server/store/store.ts';
import { arrivalOf, makeKey, settleRecords } from './temp-store.ts';

/** 2025-10-09T08:53:20Z. */
const SOLD_AT = 1_760_000_000;
const MIDNIGHT = 1_759_968_000;
export const DAY = { date: '2025-10-09', from: MIDNIGHT, to: MIDNIGHT + 86_400 };

export interface Sold {
  readonly key: Key;
  readonly laneId: number;
  readonly recordIds: readonly number[];
}

/** What the till sends for the sale with a number. */
export function saleOf(key: Key, n: number, more: { total?: string; filler?: string } = {}) {
  const { total = `${n}.50`, filler = '' } = more;
  return arrivalOf(key, { externalId: `S-${n}`, soldAt: SOLD_AT + n, object: { total, currency: 'EUR', filler } });
}

/** Sells `count` records with the ids S-0, S-1 and so on, and delivers them. */
export async function sellDelivered(store: Store, count: number, filler = ''): Promise<Sold> {
  const key = await makeKey(store);
  const sales = Array.from({ length: count }, (_, n) => store.records.append(saleOf(key, n, { filler })));
  const recordIds = (await Promise.all(sales)).map(({ recordId }) => recordId);
  await store.records.countStatuses(); // folds
  const laneId = store.outbox
    .lanes()
    .find((lane) => lane.journalId === key.journalId && lane.interface === 'current')?.id;
  if (laneId === undefined) throw new Error('the key has no lane');
  await settleRecords(store, laneId, recordIds, { state: 'delivered' });
  return { key, laneId, recordIds };
}

/** Archives the day completely. */
export async function archiveDay(
  store: Pick<Store, 'archive'>,
  { key: { journalId } }: { readonly key: Pick<Key, 'journalId'> },
  signedAt = 1,
): Promise<void> {
  await store.archive.write('2025-10', [{ ...DAY, journalId, signedAt }]);
  while (await store.archive.moveSlice());
}

/** Maximum bodies in a pack. */
export const MAX_PACK_RECORDS = 250;

/** Packs all bodies that fill packs, and returns the number of calls that did something. */
export async function packAll(store: Store): Promise<number> {
  let calls = 0;
  while (await store.archive.packSlice()) calls += 1;
  return calls;
}

/** All that people and the upstream see of the records and their day. */
export async function everythingOf(store: Store, { key, recordIds }: Sold) {
  const { journalId } = key;
  const range = { from: 0, to: 2_000_000_000 };
  return {
    details: await Promise.all(recordIds.map((id) => store.records.get(id))),
    bodies: await Promise.all(recordIds.map(async (id) => Buffer.from((await store.records.getBody(id)) ?? []))),
    excerpts: await store.records.getExcerpts(recordIds, 30),
    listed: { ...(await store.records.queryRange({ journalId, range, type: undefined, limit: 1000 })), elapsedMs: 0 },
    counts: await store.records.countStatuses(),
    day: await store.days.count({ journalId, days: [DAY] }),
    overview: await store.glance.getOverview({ journalId, day: DAY, timeZone: 'UTC', now: (SOLD_AT + 60) * 1000 }),
  };
}
