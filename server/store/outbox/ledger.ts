// The outbox: lanes, the records that wait on them, what became of each, and what people ask of the forwarding.

import type { Interface, LaneState, Cause, Mode, Status, DeliveryState } from '../../contract/codes.ts';
import type { OutageDiary } from '../../contract/days.ts';
import type { LaneCondition } from '../../contract/lanes.ts';
import type { RecordChoice } from '../../contract/records.ts';
import type { EarlierCall, Range } from '../records/ledger.ts';

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
  /** The outages of a journal's lanes that touch a range, with the records that arrived during each. */
  listOutages(journalId: number, range: Range): Promise<OutageDiary[]>;
  /** What is true of every lane now. */
  listLaneStatus(): Promise<LaneStatus[]>;
  /**
   * Does what a person asks for, and notes that `actor` did it. Known to a running gateway within a second. An act about very
   * many records takes its time; if it rejects, or the process ends, a part of them is moved, and the log of acts says so.
   */
  performAct(lane: LaneName, act: Act, actor: string): Promise<ActResult>;
}

/** A version and a resource, as in `/v1/transaction`. */
export interface EndPoint {
  readonly version: string;
  readonly resource: string;
}

/** A lane's condition and its deliveries by state. */
export interface LaneStatus extends LaneName, LaneCondition {
  readonly waiting: number;
  readonly delivered: number;
  readonly held: number;
  readonly setAside: number;
}

/** What a lane is known by. */
export interface LaneName {
  readonly administration: string;
  readonly mode: Mode;
  readonly interface: Interface;
}

export type Act = LaneAct | RecordAct;

/** How a lane is to be run. */
export interface LaneSettings extends LaneName {
  readonly id: number;
  readonly journalId: number;
  /** Null until it is set, and where our key there cannot be read. */
  readonly upstream: Upstream | null;
  /** Whether our key there was sealed with a key that is not at hand. */
  readonly isKeyUnreadable: boolean;
  /** The SHA-256 of our key there, also of one that cannot be read; null for none. */
  readonly tokenDigest: string | null;
  readonly isPaused: boolean;
  /** When somebody last asked to try now; epoch milliseconds. */
  readonly triedAt: number | null;
  /** The ids of gateways that its records came through, the newest at the end. */
  readonly senders: readonly string[];
  /** How often its upstream was set, and for which of these times the records that were held before have been released. */
  readonly upstreamSets: number;
  readonly releasedSets: number;
  /** As last kept; on the earlier interface. */
  readonly endPoints: readonly EndPointNote[];
}

export interface Upstream {
  /** The base address. */
  readonly url: string;
  /** Our key there. */
  readonly token: string;
}

export interface WaitingPage {
  readonly records: readonly WaitingRecord[];
  /** The last record that was looked at: the next page begins after it. */
  readonly last: number;
  readonly hasMore: boolean;
  /** Whether a duplicate was passed over because its original has not gone yet. */
  readonly hasPassedOver: boolean;
}

/** A record that waits to be forwarded. */
export interface WaitingRecord extends CountedRecord {
  readonly recordId: number;
  /** How it came, and so how it goes; undefined for the current interface. */
  readonly earlier: (EarlierCall & { readonly resource: string }) | undefined;
  /** As received; undefined when its bytes are not those that came. */
  readonly body: Uint8Array | undefined;
}

export interface EndPointNote extends EndPoint {
  /** Whether a record was delivered there since the upstream was set. */
  readonly hasPassed: boolean;
  /** Whether its records wait because the upstream says that it is not valid. */
  readonly isRefused: boolean;
  /** Ids of the records that drew 400 in a row. */
  readonly refusedInARow: readonly number[];
}

/** What the gateway says of a lane. */
export interface LaneNote {
  readonly state: LaneState;
  /** What is the matter; null while all is well. */
  readonly cause: Cause | null;
  /** Since when; epoch milliseconds. */
  readonly since: number;
  /** Deliveries a second, lately. */
  readonly perSecond: number;
}

/** What became of an attempt to forward a record. */
export interface Settlement extends CountedRecord {
  readonly recordId: number;
  readonly state: 'waiting' | 'delivered' | 'held';
  /** How many more answers were about this record. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly answeredAt: number;
  /** HTTP status; null without an answer. */
  readonly answerStatus: number | null;
  /** The beginning of a refusing answer, or a cause as it is kept. */
  readonly answer: string | null;
  readonly upstreamStatus: Status | null;
}

/** Records that are held because they drew 400 at an end point, all or these; only the gateway itself chooses so. */
export interface HeldAt extends EndPoint {
  readonly kind: 'held at';
  readonly recordIds: readonly number[] | null;
}

export type ActResult =
  /** `records` is how many an act about records has moved. */
  { readonly kind: 'done'; readonly records: number } | { readonly kind: 'unknown lane' };

/** Which of a lane's waiting records are meant: those of one end point, or all but those of some. */
export type WaitingChoice = { readonly only: EndPoint } | { readonly except: readonly EndPoint[] };

export type LaneAct =
  | { readonly kind: 'set upstream'; readonly upstream: Upstream }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'try now' };

export type RecordAct =
  /** Held and set-aside records wait again; with `delivered`, delivered ones too. */
  | { readonly kind: 'send again'; readonly records: RecordChoice | HeldAt; readonly delivered: boolean }
  /** Held records are kept and not sent, and neither are duplicates that wait for them; the reason is required. */
  | { readonly kind: 'set aside'; readonly records: RecordChoice; readonly reason: string };

/** What of a record decides where its delivery is counted. */
export interface CountedRecord {
  readonly status: Status;
  /** Epoch seconds. */
  readonly soldAt: number;
}

/** Deliveries whose stored sum is not their number. */
export interface DeliveryFault {
  readonly laneId: number;
  readonly state: DeliveryState;
  /** Null, as is the other, for the sum of all. */
  readonly status: Status | null;
  /** Of a quarter hour; epoch seconds. */
  readonly startsAt: number | null;
  readonly stored: number;
  readonly actual: number;
}
