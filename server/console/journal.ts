// Finds the journal or the lane that a call names. Also finds the store days of the journal.

import type { Request } from 'express';
import { z } from 'zod';

import { INTERFACES } from '../contract/codes.ts';
import type { LaneView } from '../contract/lanes.ts';
import type { LaneSettings, LaneStatus } from '../store/outbox/ledger.ts';
import type { Administration } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';
import { idText, nothingHere, readQuery } from './request.ts';

const query = z.strictObject({ journal: idText });

/** The journal in the query of a call. Throws `query_invalid` and `not_found`. */
export function readJournal(req: Request, store: Store): { journalId: number; administration: Administration } {
  const { journal: journalId } = readQuery(req, query);
  return { journalId, administration: administrationOfJournal(store, journalId) };
}

/** The administration of a journal. Throws `not_found`. */
export function administrationOfJournal(store: Store, journalId: number): Administration {
  // every journal has lanes, and each lane contains the administration
  const lane = store.outbox.lanes().find((each) => each.journalId === journalId);
  if (lane === undefined) throw nothingHere(`Journal ${journalId} does not exist.`);
  return store.setup.administrationOf(lane);
}

/** Throws `not_found`. */
export function laneOf(store: Store, laneId: number): LaneSettings {
  const lane = store.outbox.lanes().find(({ id }) => id === laneId);
  if (lane === undefined) throw nothingHere(`Lane ${laneId} does not exist.`);
  return lane;
}

/** The lanes of a journal. The lane of the current interface is first. */
export function lanesOfJournal(all: readonly LaneStatus[], journalId: number): LaneView[] {
  return all
    .filter((lane) => lane.journalId === journalId)
    .map(viewLane)
    .toSorted((a, b) => INTERFACES.indexOf(a.interface) - INTERFACES.indexOf(b.interface));
}

export function viewLane({ waiting, delivered, held, setAside, ...status }: LaneStatus): LaneView {
  const { id, journalId, interface: by, url, state, cause, since, perSecond, deliveredAt, oldestWaitingAt } = status;
  const deliveries = { waiting, delivered, held, 'set aside': setAside };
  return {
    id,
    journalId,
    interface: by,
    url,
    state,
    cause,
    since,
    perSecond,
    deliveredAt,
    oldestWaitingAt,
    deliveries,
  };
}
