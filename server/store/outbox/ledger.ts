// The outbox: the lanes, the records that wait to be forwarded, and the outcomes of forwarding. Also the acts of people about
// forwarding.

import type { Interface, LaneState, Cause, Mode, Status, DeliveryState } from '../../contract/codes.ts';
import type { OutageDiary } from '../../contract/days.ts';
import type { LaneCondition } from '../../contract/lanes.ts';
import type { RecordChoice } from '../../contract/records.ts';
import type { EarlierCall, Range } from '../records/ledger.ts';

export interface OutboxLedger {
  /** The settings of every lane. */
  lanes(): readonly LaneSettings[];
  /** Reads a page of a lane's waiting records with ids above `after`. `choice` limits the records to some end points. */
  listWaiting(laneId: number, after: number, choice?: WaitingChoice): Promise<WaitingPage>;
  /**
   * Finds one waiting record that fits `choice` and may be sent. `place` is a fraction of the queue: 0 is the oldest record and
   * 1 the newest. Reads one page, which begins at this place. Undefined if that page has no fitting record.
   */
  findWaiting(laneId: number, place: number, choice?: WaitingChoice): Promise<WaitingRecord | undefined>;
  /**
   * Stores the outcomes of attempts to forward. Resolves when they are on disk and synced. Returns the ids of records that were
   * not waiting; there should be none.
   */
  settle(laneId: number, settlements: readonly Settlement[]): Promise<number[]>;
  /** Stores the gateway's report about a lane, for other processes to see. */
  noteLane(laneId: number, note: LaneNote): Promise<void>;
  /** Replaces the stored state of an end point of a lane. */
  noteEndPoint(laneId: number, note: EndPointNote): Promise<void>;
  /** Forgets all end points of a lane. Safe to call twice. */
  forgetEndPoints(laneId: number): Promise<void>;
  /**
   * True if the lane has at least one held record. With the kind `held at`, only a record counts that the upstream answered
   * with 400 at that end point.
   */
  holdsRecords(laneId: number, records: { readonly kind: 'held' } | HeldAt): Promise<boolean>;
  /** Stores that the held records of a lane were released after its upstream was set for the n-th time (`upstreamSetCount`). */
  noteReleased(laneId: number, upstreamSetCount: number): Promise<void>;
  /** Stores the ids of the gateways that the records of a lane passed through before this gateway. */
  noteSenders(journalId: number, by: Interface, senders: readonly string[]): Promise<void>;
  /** Lists the outages of a journal's lanes that overlap a range, with the number of records that arrived during each. */
  listOutages(journalId: number, range: Range): Promise<OutageDiary[]>;
  /** The present condition and counts of every lane. */
  listLaneStatus(): Promise<LaneStatus[]>;
  /**
   * Carries out an act, and logs it with its actor. A running gateway sees the change within a second. An act about many
   * records takes long. If the call rejects or the process ends, a part of the records may have moved, and the log has the
   * number of these records.
   */
  performAct(lane: LaneName, act: Act, actor: string): Promise<ActResult>;
  /** Stores that the upstream was asked for the records of the backup, so that the lane may send. Safe to call twice. */
  noteAsked(laneId: number): Promise<void>;
  /** The secret that identifies this gateway to other gateways. It changes when a person confirms a restore. */
  identity(): Uint8Array;
  /** The restore that nobody has confirmed yet; null without one. Until it is confirmed, no lane sends records. */
  openRestore(): Restore | null;
  /**
   * Confirms that no other gateway forwards these data, and gives this gateway a new identity. Resolves to false if no restore
   * is open.
   */
  confirmRestore(actor: string): Promise<boolean>;
}

/** A backup from which the data were restored. */
export interface Restore {
  /** When the backup was made, in epoch milliseconds. Null if an earlier version made it. */
  readonly madeAt: number | null;
}

/** A version and a resource, as in `/v1/transaction`. */
export interface EndPoint {
  readonly version: string;
  readonly resource: string;
}

/** The condition of a lane, and its number of deliveries in each state. */
export interface LaneStatus extends LaneName, LaneCondition {
  readonly waiting: number;
  readonly delivered: number;
  readonly held: number;
  readonly setAside: number;
}

/** The three values that identify a lane. */
export interface LaneName {
  readonly administration: string;
  readonly mode: Mode;
  readonly interface: Interface;
}

export type Act = LaneAct | RecordAct;

/** The settings of a lane. */
export interface LaneSettings extends LaneName {
  readonly id: number;
  readonly journalId: number;
  /** The upstream of the lane. Null until somebody sets it, or if the stored access key cannot be decrypted. */
  readonly upstream: Upstream | null;
  /** Whether the access key for the upstream was sealed with another sealing key, so that it cannot be decrypted. */
  readonly isKeyUnreadable: boolean;
  /** The SHA-256 of the access key for the upstream, even if the key is unreadable; null without a key. */
  readonly tokenDigest: string | null;
  readonly isPaused: boolean;
  /** Whether the data were restored, and nobody has confirmed yet that this gateway may forward. */
  readonly isRestored: boolean;
  /**
   * The lane sends nothing before the upstream was asked for the waiting records up to this id. Null if it need not ask. Set
   * when a person confirms a restore.
   */
  readonly asksUpTo: number | null;
  /** When somebody last requested an immediate attempt, in epoch milliseconds; null if never. */
  readonly triedAt: number | null;
  /**
   * The ids of the gateways that the lane's records passed through before this gateway. The most recently noted id comes last.
   */
  readonly senders: readonly string[];
  /** How often somebody has set the upstream of this lane. */
  readonly upstreamSetCount: number;
  /** The value of `upstreamSetCount` for which the held records were last released. */
  readonly releasedForSet: number;
  /** The stored state of each end point; empty on the current interface. */
  readonly endPoints: readonly EndPointNote[];
}

export interface Upstream {
  /** The base address. */
  readonly url: string;
  /** The access key that this gateway sends to the upstream. */
  readonly token: string;
}

export interface WaitingPage {
  readonly records: readonly WaitingRecord[];
  /** The id of the last record read. The next page begins after it. */
  readonly last: number;
  readonly hasMore: boolean;
  /** True if a duplicate was skipped because its original has not been delivered. */
  readonly hasPassedOver: boolean;
}

/** A record that waits to be forwarded. */
export interface WaitingRecord extends CountedRecord {
  readonly recordId: number;
  /** How the record arrived, and therefore how it will be sent; undefined on the current interface. */
  readonly earlier: (EarlierCall & { readonly resource: string }) | undefined;
  /** The body as received; undefined if it does not match its SHA-256. */
  readonly body: Uint8Array | undefined;
}

export interface EndPointNote extends EndPoint {
  /** Whether this end point has accepted a record since the upstream was set. */
  readonly hasPassed: boolean;
  /** True if records of this end point wait because the upstream says that the end point is not valid. */
  readonly isRefused: boolean;
  /** Ids of consecutive records to which the upstream answered 400. */
  readonly refusedInARow: readonly number[];
}

/** What the gateway reports about a lane. */
export interface LaneNote {
  readonly state: LaneState;
  /** The problem of the lane; a running lane can also have one. Null without a problem. */
  readonly cause: Cause | null;
  /** When the state began, in epoch milliseconds. */
  readonly since: number;
  /** Recent deliveries per second. */
  readonly perSecond: number;
}

/** The outcome of an attempt to forward a record. */
export interface Settlement extends CountedRecord {
  readonly recordId: number;
  readonly state: 'waiting' | 'delivered' | 'held';
  /** Number of attempts to add to the stored number; 0 if the record was not sent. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly answeredAt: number;
  /** HTTP status; null without an answer. */
  readonly answerStatus: number | null;
  /**
   * If the upstream rejected the record, the beginning of its answer. If something else failed, the cause as text. Otherwise
   * null.
   */
  readonly answer: string | null;
  readonly upstreamStatus: Status | null;
}

/**
 * Held records to which the upstream answered 400 at an end point. `recordIds` limits them; null means all. Only the gateway
 * itself uses this choice.
 */
export interface HeldAt extends EndPoint {
  readonly kind: 'held at';
  readonly recordIds: readonly number[] | null;
}

export type ActResult =
  /** `records` is the number of records moved. */
  { readonly kind: 'done'; readonly records: number } | { readonly kind: 'unknown lane' };

/**
 * Chooses waiting records of a lane. `only`: the records of one end point. `except`: all records except those of the listed end
 * points.
 */
export type WaitingChoice = { readonly only: EndPoint } | { readonly except: readonly EndPoint[] };

export type LaneAct =
  | { readonly kind: 'set upstream'; readonly upstream: Upstream }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'try now' };

export type RecordAct =
  /** Makes held and set-aside records wait again. If `delivered` is true, also makes delivered records wait again. */
  | { readonly kind: 'send again'; readonly records: RecordChoice | HeldAt; readonly delivered: boolean }
  /** The gateway keeps these held records and their waiting duplicates, but does not send them. The reason is required. */
  | { readonly kind: 'set aside'; readonly records: RecordChoice; readonly reason: string };

/** The fields of a record that decide where its delivery is counted. */
export interface CountedRecord {
  readonly status: Status;
  /** Epoch seconds. */
  readonly soldAt: number;
}

/** A stored count of deliveries that differs from the actual number. */
export interface DeliveryFault {
  readonly laneId: number;
  /**
   * The state whose count is wrong; null for the sum over all states. `actual` is then the number of NEW records, because each
   * must have a delivery.
   */
  readonly state: DeliveryState | null;
  /** The status of the counted records. Null, like `startsAt`, if the lane's total in this state is wrong. */
  readonly status: Status | null;
  /** The start of a quarter hour, in epoch seconds. */
  readonly startsAt: number | null;
  readonly stored: number;
  readonly actual: number;
}
