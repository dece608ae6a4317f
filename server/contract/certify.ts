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

/** The value of Retry-After in the step `come_back`, in seconds. */
export const COME_BACK_SECONDS = 10;

/** The step `slow_line` delays an answer by this time, in seconds. */
export const SLOW_LINE_SECONDS = 8;

/** Maximum refused sales in the step `wrong_key` for which the gateway checks that the till sends them again. */
export const MAX_KEPT_SALES = 100;

/** A run ends after this number of minutes without a call or an act. */
export const CERTIFY_IDLE_MINUTES = 30;

/** `active`: the gateway watches this step now. At most one step is active. */
export type CertifyStepState = 'open' | 'active' | 'passed' | 'failed' | 'skipped';

/** `timed_out`: the run ended after a long time without a call. `interrupted`: the gateway stopped during the run. */
export type CertifyRunState = 'running' | 'ended' | 'timed_out' | 'interrupted';

/** Evidence with the time when it was noted, in epoch milliseconds. */
export type CertifyEvent = { readonly at: number } & CertifyEvidence;

/** What the gateway saw or did during a step, as evidence for the result. */
export type CertifyEvidence =
  | CertifySale
  /** A call that the gateway really refused: the refusal was not an injected fault. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly detail: string }
  | CertifyFault
  /** The till waited until the delayed answer came. */
  | { readonly kind: 'waited'; readonly externalId: string; readonly afterMs: number }
  /** The till closed the connection before the delayed answer. */
  | { readonly kind: 'gave up'; readonly externalId: string; readonly afterMs: number }
  | {
      readonly kind: 'query';
      /** The number of the page. Null if the cursor was issued before the step. */
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
  /**
   * Seconds between the arrival and the time of the sale; positive if the sale is dated after its arrival. Null in every step
   * except `wrong_clock`.
   */
  readonly clockSeconds: number | null;
  /** How the number `MANY_DIGITS` arrived; null if the sale does not contain it. */
  readonly digits: 'number' | 'text' | { readonly lost: string } | null;
  /** Whether the till sent the sale again with the same content. Null if no injected fault had refused this sale before. */
  readonly isSame: boolean | null;
  /**
   * Whether this new sale equals an earlier sale, except for its id. Such a sale is a retry under a new id, or another sale
   * with the same content.
   */
  readonly isCopy: boolean;
  /**
   * Milliseconds from the first fault of this step to this sale. Null if there was no fault, or if the call began before the
   * fault.
   */
  readonly afterMs: number | null;
}

export const CERTIFY_FAULTS = ['lost_answer', 'busy', 'slow', 'key_refused'] as const;

/** A fault that the gateway injected. */
export interface CertifyFault {
  readonly kind: 'fault';
  readonly fault: (typeof CERTIFY_FAULTS)[number];
  readonly externalId: string;
  /** Milliseconds from the first fault of this step to this fault. Null for the first fault. */
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
  /** Number of times that a person or the gateway started the step. The events belong to the last of these attempts. */
  readonly attempts: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly finding: CertifyFinding | null;
  /** The reason why a person skipped the step. Empty if it was not skipped. */
  readonly reason: string;
  readonly events: readonly CertifyEvent[];
  /** Number of events that were dropped, because there were too many. */
  readonly dropped?: number;
  /** Number of sales that got the fault and that the till has not sent again. The number is at most `MAX_KEPT_SALES`. */
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

/** The stored data of a run. */
export interface CertificationReport {
  readonly journalId: number;
  readonly administration: string;
  readonly till: string;
  readonly keyId: number;
  readonly interface: KeyInterface;
  /** The version of the gateway that ran the certification. */
  readonly version: string;
  /** The name in the log of acts of the user who began the run. */
  readonly by: string;
  readonly state: CertifyRunState;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly steps: readonly CertifyStepView[];
}

/** Body of POST /api/certifications; `keyId` is a test key. The answer is the active run of this key, or a new run. */
export interface CertificationRequest {
  readonly keyId: number;
}

/**
 * Body of POST /api/certifications/ID/acts, which answers with the run. `fail` ends the active step as failed, with the
 * evidence so far. `confirm` says that the till showed the refused key. `attempts` is the number of attempts that the caller
 * saw. If the step has been started again since then, the act does nothing. This protects against a double click.
 */
export type CertifyAct =
  | { readonly kind: 'start' | 'fail' | 'confirm'; readonly step: CertifyStep; readonly attempts: number }
  | { readonly kind: 'skip'; readonly step: CertifyStep; readonly reason: string }
  | { readonly kind: 'end' };

/** The number of passed, failed and skipped steps. */
export interface StepResults {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function countResults(steps: readonly Pick<CertifyStepView, 'state'>[]): StepResults {
  const count = (state: CertifyStepState): number => steps.filter((step) => step.state === state).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** The number of open and active steps. */
export function countOpen(steps: readonly Pick<CertifyStepView, 'state'>[]): number {
  return steps.filter(({ state }) => state === 'open' || state === 'active').length;
}

/** The result of a run for the till, after the run has ended. */
export function outcomeOf(
  steps: readonly Pick<CertifyStepView, 'state'>[],
): 'someFailed' | 'notFinished' | 'passedSome' | 'allPassed' {
  const { passed, failed } = countResults(steps);
  if (failed > 0) return 'someFailed';
  if (countOpen(steps) > 0 || passed === 0) return 'notFinished';
  return passed === steps.length ? 'allPassed' : 'passedSome';
}

/** Formats seconds with one decimal, rounded down. If it were rounded up, a call that came too early could look punctual. */
export function secondsOf(ms: number): number {
  return Math.floor(ms / 100) / 10;
}

/** Maximum difference between two machines' clocks that counts as normal. */
export const MAX_NORMAL_CLOCK_SECONDS = 60;
