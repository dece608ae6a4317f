// Chooses the one record that tests a line or a refused end point. It comes from memory, or from a given place in the store.

import type { EndPoint, LaneSettings, OutboxLedger, WaitingRecord } from '../store/outbox/ledger.ts';
import type { Backlog } from './backlog.ts';
import type { EndPoints } from './end-point.ts';
import type { Line } from './line.ts';

export interface ProbeChoice {
  /** The newest waiting record whose end point is not refused. */
  newest(): Promise<WaitingRecord | undefined>;
  /**
   * Chooses a record to test the line, each time from a different place. If all waiting records belong to refused end points,
   * chooses one of these records.
   */
  probe(): Promise<WaitingRecord | undefined>;
  /**
   * Chooses a record of a refused end point. `place` is from 0 (oldest) to 1 (newest). Undefined if all records of the end
   * point are in flight. If none of its records waits any more, the end point no longer counts as refused.
   */
  ofEndPoint(endPoint: EndPoint, place: number): Promise<WaitingRecord | undefined>;
}

export function openProbeChoice({
  outbox,
  laneId,
  backlog,
  endPoints,
  line,
  random,
}: {
  readonly outbox: Pick<OutboxLedger, 'listWaiting' | 'findWaiting'>;
  readonly laneId: () => LaneSettings['id'];
  readonly backlog: Pick<Backlog, 'takeFound' | 'takeProbe' | 'isKnown'>;
  readonly endPoints: Pick<EndPoints, 'listRefused' | 'noteEmpty'>;
  readonly line: Pick<Line, 'takeProbePlace' | 'failuresOf'>;
  readonly random: () => number;
}): ProbeChoice {
  function takeAt(place: number): Promise<WaitingRecord | undefined> {
    const choice = { except: endPoints.listRefused() };
    return backlog.takeFound(() => outbox.findWaiting(laneId(), place, choice));
  }

  async function ofEndPoint(endPoint: EndPoint, place: number): Promise<WaitingRecord | undefined> {
    const choice = { only: endPoint };
    let isEmpty = true;
    const found = await backlog.takeFound(async () => {
      const there = await outbox.findWaiting(laneId(), place, choice);
      if (there !== undefined) isEmpty = false;
      if (there !== undefined && !backlog.isKnown(there.recordId)) return there;
      for (let after = 0, hasMore = true; hasMore;) {
        const page = await outbox.listWaiting(laneId(), after, choice);
        if (page.records.length > 0) isEmpty = false;
        const free = page.records.find(({ recordId }) => !backlog.isKnown(recordId));
        if (free !== undefined) return free;
        after = page.last;
        hasMore = page.hasMore;
      }
      return undefined;
    });
    if (isEmpty) endPoints.noteEmpty(endPoint);
    return found;
  }

  return {
    newest: () => takeAt(1),
    async probe() {
      const place = line.takeProbePlace();
      const found = place === undefined ? undefined : await takeAt(place);
      const chosen = found ?? backlog.takeProbe(line.failuresOf);
      const [endPoint] = endPoints.listRefused();
      if (chosen !== undefined || endPoint === undefined) return chosen;
      return ofEndPoint(endPoint, place ?? random());
    },
    ofEndPoint,
  };
}
