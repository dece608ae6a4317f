// Certifying a till: an integrator works through a run sheet with a test key, and the gateway watches and injects faults.

import type { KeyInterface, Status } from './codes.ts';

/** The steps in the order of the run sheet. */
export const CERTIFY_STEPS = [
  'first_sale',
  'retry',
  'changed_resend',
  'lost_answer',
  'come_back',
  'wrong_clock',
  'many_digits',
  'slow_line',
  'wrong_key',
  'paging',
] as const;

export type CertifyStep = (typeof CERTIFY_STEPS)[number];

/** The number that a till sends in the step `many_digits`. A 64-bit float cannot hold it. */
export const MANY_DIGITS = '12345678901234567891';

/** The Retry-After of the step `come_back`, in seconds. */
export const COME_BACK_SECONDS = 10;

/** How long the step `slow_line` delays an answer, in seconds. */
export const SLOW_LINE_SECONDS = 8;

/** Maximum sales of the step `wrong_key` whose return the gateway checks. */
export const MAX_KEPT_SALES = 100;

/** A run without a call or an act for this long ends, in minutes. */
export const CERTIFY_IDLE_MINUTES = 30;

/** `active`: the gateway watches for it now. At most one step is active. */
export type CertifyStepState = 'open' | 'active' | 'passed' | 'failed' | 'skipped';

/** `interrupted`: the gateway stopped during the run. */
export type CertifyRunState = 'running' | 'ended' | 'timed_out' | 'interrupted';

/** Evidence with its time in epoch milliseconds. */
export type CertifyEvent = { readonly at: number } & CertifyEvidence;

/** What the gateway saw or did during a step. */
export type CertifyEvidence =
  | CertifySale
  /** A call that the gateway refused for a reason of its own. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly detail: string }
  | CertifyFault
  /** The till waited for a delayed answer until it came. */
  | { readonly kind: 'waited'; readonly externalId: string; readonly afterMs: number }
  /** The till closed the connection before the delayed answer. */
  | { readonly kind: 'gave up'; readonly externalId: string; readonly afterMs: number }
  | {
      readonly kind: 'query';
      /** Null for a cursor from before the step. */
      readonly page: number | null;
      readonly records: number;
      /** Number of records in the range. */
      readonly count: number;
      readonly isLast: boolean;
      readonly isExpanded: boolean;
    }
  /** A person says that the till showed the problem. */
  | { readonly kind: 'confirmed'; readonly by: string };

/** A stored sale. */
export interface CertifySale {
  readonly kind: 'sale';
  readonly externalId: string;
  readonly recordId: number;
  readonly status: Status;
  /** In the step `wrong_clock`, the time of the sale minus the time of its arrival, in seconds; null in other steps. */
  readonly clockSeconds: number | null;
  /** How `MANY_DIGITS` arrived; null if it is not in the sale. */
  readonly digits: 'number' | 'text' | { readonly lost: string } | null;
  /** For a sale that was refused before by a fault: whether it came with the same content. */
  readonly isSame: boolean | null;
  /** Whether it is new and, except for its id, equal to an earlier sale: a retry under a new id, or an equal sale. */
  readonly isCopy: boolean;
  /** Milliseconds since the fault of this step; null for a call that began before it. */
  readonly afterMs: number | null;
}

export const CERTIFY_FAULTS = ['lost_answer', 'busy', 'slow', 'key_refused'] as const;

/** A fault that the gateway injected. */
export interface CertifyFault {
  readonly kind: 'fault';
  readonly fault: (typeof CERTIFY_FAULTS)[number];
  readonly externalId: string;
  /** Milliseconds since the first fault of this step; null for the first one. */
  readonly afterMs: number | null;
  /** Number of calls in a row that got this fault. */
  readonly calls: number;
}

export const CERTIFY_FINDINGS = [
  'stored',
  'known_already',
  'repeated',
  'not_repeated',
  'changed',
  'new_id',
  'other_sale',
  'kept_sending',
  'conflict_kept',
  'no_conflict',
  'sent_again',
  'awaiting_resend',
  'waited',
  'too_early',
  'awaiting_wait',
  'clock_marked',
  'clock_right',
  'digits_kept',
  'digits_lost',
  'digits_missing',
  'answer_awaited',
  'gave_up',
  'answer_delayed',
  'key_refused',
  'kept_and_sent',
  'awaiting_kept',
  'too_many',
  'pages_read',
  'page_missing',
  'too_few',
  'not_expanded',
  'cursor_changed',
  'refused',
  'nothing_yet',
  'no_queries',
] as const;

/** What the gateway concludes from the events of a step. */
export type CertifyFinding = (typeof CERTIFY_FINDINGS)[number];

export interface CertifyStepView {
  readonly name: CertifyStep;
  readonly state: CertifyStepState;
  /** How often the step was begun. The events are those of the last time. */
  readonly attempts: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly finding: CertifyFinding | null;
  /** Why a person skipped the step; empty if nobody did. */
  readonly reason: string;
  readonly events: readonly CertifyEvent[];
  /** Number of events that were dropped, because there were too many. */
  readonly dropped?: number;
  /** Number of sales that the fault hit and that have not come again. Counts at most `MAX_KEPT_SALES`. */
  readonly missing?: number;
}

/** GET /api/certifications/ID: a run, which is also its report. */
export type CertificationView = Certification;

export interface Certification extends CertificationReport {
  readonly id: number;
}

/** GET /api/certifications?journal=ID: runs in a list, newest first, without their steps and events. */
export interface CertificationSummary extends Pick<Certification, 'id' | 'till' | 'state' | 'startedAt'> {
  readonly results: StepResults;
}

/** What the store keeps about a run. */
export interface CertificationReport {
  readonly journalId: number;
  readonly administration: string;
  readonly till: string;
  readonly keyId: number;
  readonly interface: KeyInterface;
  /** The version of the gateway. */
  readonly version: string;
  /** The name of the user in the log of acts. */
  readonly by: string;
  readonly state: CertifyRunState;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly steps: readonly CertifyStepView[];
}

/** Body of POST /api/certifications: a test key. Answers with the run of this key, a new one if none is running. */
export interface CertificationRequest {
  readonly keyId: number;
}

/**
 * Body of POST /api/certifications/ID/acts, which answers with the run. `fail` ends the active step as failed, with what was seen so far.
 * `confirm` says that the till showed the refused key. `attempts` is the number that the caller saw: an act on an older attempt, as by
 * a double click, does nothing.
 */
export type CertifyAct =
  | { readonly kind: 'start' | 'fail' | 'confirm'; readonly step: CertifyStep; readonly attempts: number }
  | { readonly kind: 'skip'; readonly step: CertifyStep; readonly reason: string }
  | { readonly kind: 'end' };

/** The number of steps by result. */
export interface StepResults {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function countResults(steps: readonly Pick<CertifyStepView, 'state'>[]): StepResults {
  const count = (state: CertifyStepState): number => steps.filter((step) => step.state === state).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** The number of steps without a result. */
export function countOpen(steps: readonly Pick<CertifyStepView, 'state'>[]): number {
  return steps.filter(({ state }) => state === 'open' || state === 'active').length;
}

/** What an ended run says about its till. */
export function outcomeOf(
  steps: readonly Pick<CertifyStepView, 'state'>[],
): 'someFailed' | 'notFinished' | 'passedSome' | 'allPassed' {
  const { passed, failed } = countResults(steps);
  if (failed > 0) return 'someFailed';
  if (countOpen(steps) > 0 || passed === 0) return 'notFinished';
  return passed === steps.length ? 'allPassed' : 'passedSome';
}

/** Seconds, rounded down to tenths, so that a call that came too early never seems to be in time. */
export function secondsOf(ms: number): number {
  return Math.floor(ms / 100) / 10;
}

/** Clock differences up to this are normal between two machines. */
export const MAX_NORMAL_CLOCK_SECONDS = 60;
