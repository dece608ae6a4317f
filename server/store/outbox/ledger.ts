// The outbox: lanes, the records that wait on them, what became of each, and what people ask of the forwarding.

import type { Interface } from '../../contract.ts';
import type { Act, ActResult, HeldAt } from '../sqlite/outbox/act.ts';
import type { Settlement, WaitingPage, WaitingRecord } from '../sqlite/outbox/delivery.ts';
import type { EndPointNote, WaitingChoice } from '../sqlite/outbox/end-point.ts';
import type { LaneName, LaneNote, LaneSettings, LaneStatus } from '../sqlite/outbox/lane.ts';

export interface Outbox {
  /** How each lane is to be run. */
  lanes(): readonly LaneSettings[];
  /** A page of the records that wait on a lane, after the record with the id `after`; all of them, or those that are chosen. */
  listWaiting(laneId: number, after: number, choice?: WaitingChoice): Promise<WaitingPage>;
  /** A chosen record that waits on a lane and may go, not far after a place from 0, the oldest, to 1, the newest. */
  findWaiting(laneId: number, place: number, choice?: WaitingChoice): Promise<WaitingRecord | undefined>;
  /**
   * Keeps what became of attempts to forward. Resolves when it is on disk, synced, to the ids of records that were not
   * waiting: there should be none.
   */
  settle(laneId: number, settlements: readonly Settlement[]): Promise<number[]>;
  /** Keeps what is to be said of a lane, for other processes to see. */
  noteLane(laneId: number, note: LaneNote): Promise<void>;
  /** Keeps what is known of an end point of a lane, in place of what was. */
  noteEndPoint(laneId: number, note: EndPointNote): Promise<void>;
  /** Forgets what is known of a lane's end points. */
  forgetEndPoints(laneId: number): Promise<void>;
  /** Whether a lane holds any record. */
  holdsRecords(laneId: number, records: { readonly kind: 'held' } | HeldAt): Promise<boolean>;
  /** Keeps that the held records of a lane were released after its upstream was set for the n-th time. */
  noteReleased(laneId: number, upstreamSets: number): Promise<void>;
  /** Keeps through which gateways the records of a lane come. */
  noteSenders(journalId: number, by: Interface, senders: readonly string[]): Promise<void>;
  /** What is true of every lane now. */
  listLaneStatus(): Promise<LaneStatus[]>;
  /**
   * Does what a person asks for, and notes that `actor` did it. Known to a running gateway within a second. An act about very
   * many records takes its time; if it rejects, or the process ends, a part of them is moved, and the log of acts says so.
   */
  performAct(lane: LaneName, act: Act, actor: string): Promise<ActResult>;
}
