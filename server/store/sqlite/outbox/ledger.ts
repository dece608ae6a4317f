// The outbox in SQLite.

import type { OutboxLedger } from '../../outbox/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';
import { packSettlements } from '../engine/transfer.ts';
import type { SetupCache } from '../setup/setup-cache.ts';
import { isAboutRecords } from './act.ts';
import { ALL_WAITING } from './end-point.ts';
import { performRecordAct } from './record-act.ts';

export interface OutboxParts extends EngineParts {
  readonly cache: SetupCache;
  /** Whether a gateway is running on these data. */
  readonly isServed: () => boolean;
}

export function openOutboxLedger(parts: OutboxParts): OutboxLedger {
  const { reader, writer, reading, guard, noteWritten, changing, tell, now, cache, isServed } = parts;
  return {
    lanes: () => cache.lanes(),
    listWaiting: (laneId, after, choice = ALL_WAITING) => reading(reader.call('listWaiting', [laneId, after, choice])),
    findWaiting: (laneId, place, choice = ALL_WAITING) => reading(reader.call('findWaiting', [laneId, place, choice])),
    async settle(laneId, settlements) {
      noteWritten(settlements.length);
      const strange = await guard(writer.call('settle', [laneId, packSettlements(settlements)]));
      tell((watcher) => watcher.deliveriesSettled?.(laneId));
      return strange;
    },
    async noteLane(laneId, note) {
      await guard(writer.call('noteLane', [laneId, note]));
      tell((watcher) => watcher.laneNoted?.(laneId));
    },
    noteEndPoint: (laneId, note) => guard(writer.call('noteEndPoint', [laneId, note])),
    forgetEndPoints: (laneId) => guard(writer.call('forgetEndPoints', [laneId])),
    holdsRecords: (laneId, records) => reading(reader.call('holdsRecords', [laneId, records])),
    async noteReleased(laneId, upstreamSetCount) {
      await guard(writer.call('noteReleased', [laneId, upstreamSetCount]));
      await cache.refresh();
    },
    noteSenders: (journalId, by, senders) => changing(writer.call('noteSenders', [journalId, by, senders])),
    listOutages: (journalId, range) => reading(reader.call('listOutages', [journalId, range])),
    listLaneStatus: () => reading(reader.call('listLaneStatus', [isServed()])),
    performAct: (lane, act, actor) =>
      changing(
        isAboutRecords(act)
          ? performRecordAct({
              begin: () => guard(writer.call('beginRecordAct', [lane, act, actor, now()])),
              plan: ({ laneId }) => reading(reader.call('planRecordAct', [laneId, act])),
              readPage: ({ laneId }, step, after) => reading(reader.call('readActPage', [laneId, step, after])),
              move(begun, slice) {
                noteWritten(slice.recordIds.length);
                return guard(writer.call('moveActSlice', [act, begun, slice]));
              },
            })
          : writer.call('performLaneAct', [lane, act, actor, now()]),
      ),
    noteAsked: (laneId) => changing(writer.call('noteAsked', [laneId])),
    identity: () => cache.identity(),
    openRestore: () => cache.openRestore(),
    confirmRestore: (actor) => changing(writer.call('confirmRestore', [actor, now()])),
  };
}
