// After a restore, asks the upstream which waiting records of the backup it already has. The gateway that made the backup may
// have sent them after the backup. These records then count as delivered. The lane sends the other records only after that.

import type { Clock } from '../lib/clock.ts';
import type { LaneSettings, Settlement, WaitingRecord } from '../store/outbox/ledger.ts';
import type { Range } from '../store/records/ledger.ts';
import type { Store } from '../store/store.ts';
import type { UpstreamSide } from './compare.ts';

/** Sales that are this close to each other are asked for with one query. */
const MAX_GAP_S = 300;
const MAX_RANGE_S = 86_400;

interface AskFirstParts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly upstream: Pick<UpstreamSide, 'list'>;
}

/**
 * Asks for all waiting records of the backup, and stores that the lane has asked. Does nothing if the lane need not ask. If it
 * rejects, a later call begins again.
 */
export async function askFirst(lane: LaneSettings, { store, clock, upstream }: AskFirstParts): Promise<void> {
  const { id, journalId, asksUpTo } = lane;
  if (asksUpTo === null) return;
  for (let after = 0, hasMore = true; hasMore && after < asksUpTo;) {
    const page = await store.outbox.listWaiting(id, after);
    for (const range of rangesOf(page.records.filter(({ recordId }) => recordId <= asksUpTo))) {
      const there = await upstream.list(range, Infinity);
      const known = new Set(there?.records.map(nameOf));
      const here = await store.days.listRecords({ journalId, ...range });
      const settled = here
        .filter((record) => record.state === 'waiting' && record.recordId <= asksUpTo && known.has(nameOf(record)))
        .map(({ recordId, soldAt }): Settlement => ({
          recordId,
          soldAt,
          status: 'NEW',
          state: 'delivered',
          attempts: 0,
          answeredAt: clock.now(),
          answerStatus: null,
          answer: null,
          upstreamStatus: null,
        }));
      if (settled.length > 0) await store.outbox.settle(id, settled);
    }
    ({ last: after, hasMore } = page);
  }
  await store.outbox.noteAsked(id);
}

/** A record there is the same sale only if its type and time are also the same. Otherwise the upstream should judge it. */
function nameOf({
  externalId,
  type,
  soldAt,
}: {
  readonly externalId: string;
  readonly type: string;
  readonly soldAt: number;
}): string {
  return JSON.stringify([externalId, type, soldAt]);
}

/** Divides the times of sale of NEW records into ranges without long gaps. The upstream lists no other records. */
function rangesOf(records: readonly WaitingRecord[]): Range[] {
  const times = records.filter(({ status }) => status === 'NEW').map(({ soldAt }) => soldAt);
  const ranges: { from: number; to: number }[] = [];
  for (const at of times.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && at < range.to + MAX_GAP_S && at < range.from + MAX_RANGE_S) range.to = at + 1;
    else ranges.push({ from: at, to: at + 1 });
  }
  return ranges;
}
