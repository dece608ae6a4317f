// Lanes and their upstreams, as the console shows and changes them.

import type { LaneState, Cause, Interface, DeliveryState } from './codes.ts';
import type { RecordChoice } from './records.ts';

export interface Outage {
  readonly laneId: number;
  readonly state: Exclude<LaneState, 'running'>;
  readonly cause: Cause | null;
  readonly from: number;
  /** The end of the outage, in epoch milliseconds. Null while the outage lasts. */
  readonly to: number | null;
}

/** The state and progress of a lane. */
export interface LaneCondition {
  readonly id: number;
  readonly journalId: number;
  readonly interface: Interface;
  /** The address of the upstream; null if none is set. The upstream's key is never shown. */
  readonly url: string | null;
  readonly state: LaneState;
  /** The cause that slows or stops the lane; null if there is none. A running lane can have a cause too. */
  readonly cause: Cause | null;
  /** Start of the current state. This time and the times below are epoch milliseconds. */
  readonly since: number | null;
  readonly perSecond: number;
  readonly deliveredAt: number | null;
  readonly oldestWaitingAt: number | null;
}

/** A lane for the screens of the console. */
export interface LaneView extends LaneCondition {
  readonly deliveries: Record<DeliveryState, number>;
}

/** Body of POST /api/lanes/ID/acts. */
export type LaneActRequest =
  | { readonly kind: 'pause' | 'resume' | 'try now' }
  /**
   * Makes held and set-aside records wait again. If `delivered` is true, delivered records wait again too, and `records` must
   * not be `all`.
   */
  | { readonly kind: 'send again'; readonly records: RecordChoice; readonly delivered?: boolean }
  /** Sets held records aside: they stay stored and are not sent. The reason has 1 to 500 characters. */
  | { readonly kind: 'set aside'; readonly records: RecordChoice; readonly reason: string };

/** Answer of POST /api/lanes/ID/acts. */
export interface LaneActAnswer {
  /** Number of records that the act changed. */
  readonly records: number;
}

/** Body of PUT /api/lanes/ID/upstream, which answers with a LaneView. */
export interface UpstreamRequest {
  /** The base address of the upstream. */
  readonly url: string;
  /**
   * The gateway's key for the upstream. If omitted, the stored key stays, and the new address must have the same origin as
   * the old address.
   */
  readonly token?: string;
  /** Whether to allow plain HTTP to another machine. */
  readonly plainHttp?: boolean;
}

/** Body of POST /api/upstream-check. For a missing field, the lane's stored value is used. */
export interface UpstreamCheckRequest extends Partial<UpstreamRequest> {
  readonly laneId: number;
}

/**
 * An item in the answer of GET /api/lanes/ID/waiting, oldest first. `waiting` is the maximum number of waiting records in the
 * minute that starts at `at`.
 */
export interface WaitingSample {
  readonly at: number;
  readonly waiting: number;
}

export const CHECK_STEPS = ['name', 'connection', 'certificate', 'path', 'key'] as const;

/** The steps of the check, in order. With plain HTTP there is no certificate step. With an IP address there is no name step. */
export type CheckStep = (typeof CHECK_STEPS)[number];

export const CHECK_FINDINGS = [
  'name_known',
  'name_unknown',
  'name_not_looked_up',
  'name_link_local',
  'proxy_known',
  'proxy_unknown',
  'proxy_not_looked_up',
  'answers',
  'nobody_listens',
  'no_answer',
  'no_way',
  'broke_off',
  'proxy_refuses',
  'proved',
  'expired',
  'for_another_name',
  'not_trusted',
  'no_https',
  'not_proved',
  'interface_found',
  'asks_for_key',
  'too_slow',
  'moved',
  'moved_to',
  'proxy_wants_password',
  'come_back',
  'trouble',
  'not_understood',
  'interface_elsewhere',
  'key_known',
  'key_refused',
] as const;

/** The result of a step. The console shows it in words and, for a failed step, what to do. */
export type CheckFinding = (typeof CHECK_FINDINGS)[number];

/**
 * Answer of POST /api/upstream-check: the steps in order, up to the first failed one. On the earlier interface, the check stops
 * after the certificate. It sends no call with the key, because every such call would create a record.
 */
export interface UpstreamCheck {
  readonly steps: readonly {
    readonly step: CheckStep;
    readonly isFine: boolean;
    readonly finding: CheckFinding;
    /** The checked name or address. */
    readonly host: string;
    /**
     * What the step found: the addresses of the name, the new location after a redirect, or the protocol. Null if there is
     * nothing to show.
     */
    readonly seen: string | null;
    /** An HTTP status or an error code, for support staff; null if the step has none. */
    readonly code: string | null;
  }[];
}
