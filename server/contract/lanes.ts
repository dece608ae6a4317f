// Lanes and their upstreams, as the console shows and changes them.

import type { LaneState, Cause, Interface, DeliveryState } from './codes.ts';
import type { RecordChoice } from './records.ts';

export interface Outage {
  readonly laneId: number;
  readonly state: Exclude<LaneState, 'running'>;
  readonly cause: Cause | null;
  readonly from: number;
  /** Null while it lasts. */
  readonly to: number | null;
}

/** How the forwarding of a lane goes. */
export interface LaneCondition {
  readonly id: number;
  readonly journalId: number;
  readonly interface: Interface;
  /** Null until an upstream is set; the key is never shown. */
  readonly url: string | null;
  readonly state: LaneState;
  /** What hinders the lane, even while it runs; null if nothing does. */
  readonly cause: Cause | null;
  /** Start of the present state, in epoch milliseconds like the other times. */
  readonly since: number | null;
  readonly perSecond: number;
  readonly deliveredAt: number | null;
  readonly oldestWaitingAt: number | null;
}

/** A lane as screens show it. */
export interface LaneView extends LaneCondition {
  readonly deliveries: Record<DeliveryState, number>;
}

/** POST /api/lanes/ID/acts takes it. */
export type LaneActRequest =
  | { readonly kind: 'pause' | 'resume' | 'try now' }
  /** Held and set-aside records wait again; with `delivered`, delivered ones too, but never all of them. */
  | { readonly kind: 'send again'; readonly records: RecordChoice; readonly delivered?: boolean }
  /** Held records are kept and not sent; the reason has 1 to 500 characters. */
  | { readonly kind: 'set aside'; readonly records: RecordChoice; readonly reason: string };

/** POST /api/lanes/ID/acts answers with it. */
export interface LaneActAnswer {
  /** How many an act about records was about. */
  readonly records: number;
}

/** PUT /api/lanes/ID/upstream takes it, and answers with the lane's LaneView. */
export interface UpstreamRequest {
  /** The base address. */
  readonly url: string;
  /** Our key there. The present one, where it is left out; that takes an address of the same origin. */
  readonly token?: string;
  /** Take plain http beyond this machine. */
  readonly plainHttp?: boolean;
}

/** POST /api/upstream-check takes it: what the lane has, or something else in its place before it is set. */
export interface UpstreamCheckRequest extends Partial<UpstreamRequest> {
  readonly laneId: number;
}

/** GET /api/lanes/ID/waiting: how many waited at the most in the minute from `at`, the oldest first. */
export interface WaitingSample {
  readonly at: number;
  readonly waiting: number;
}

export const CHECK_STEPS = ['name', 'connection', 'certificate', 'path', 'key'] as const;

/** What an upstream is tried for, in this order; plain http has no certificate, and an address in numbers no name. */
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

/** What a step of the check found; the console says it, and what to do where it is not fine. */
export type CheckFinding = (typeof CHECK_FINDINGS)[number];

/**
 * POST /api/upstream-check: one step after the other, until one fails. The earlier interface ends with the certificate: any
 * call with a key would leave a record.
 */
export interface UpstreamCheck {
  readonly steps: readonly {
    readonly step: CheckStep;
    readonly isFine: boolean;
    readonly finding: CheckFinding;
    /** The name or address that it is about. */
    readonly host: string;
    /** The addresses of a name, where it has moved to, or the protocol that was tried. */
    readonly seen: string | null;
    /** For whoever helps: an HTTP status or the code of an error; null where there is none. */
    readonly code: string | null;
  }[];
}
