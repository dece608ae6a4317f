// The states of a line and every transition between them, as one table. Pure: the caller passes the time and the random number.
// `line.ts` turns answers into events; `lane.ts` sends what the state allows.

import type { Cause } from '../contract/codes.ts';
import { type BackOff, backOffMs } from './back-off.ts';

/**
 * up: all records are sent. suspected: records in a row failed, so one probe is sent at once to find out whether these records or
 * the line are at fault. down: only probes are sent, one at a time, with a back-off. refused: like down, but the upstream answers
 * and rejects all our calls.
 */
export const LINE_STATES = ['up', 'suspected', 'down', 'refused'] as const;
export type LineStateName = (typeof LINE_STATES)[number];

/** What an answer, or its absence, says about the line. A probe is a record that was sent to test the line. */
export const LINE_EVENTS = [
  /** The upstream answered about a record: it accepted or rejected it. */
  'pass',
  /** The upstream asked for a pause (429, or 503 with Retry-After). */
  'slow down',
  /** The upstream rejects all our calls: key, address, certificate. */
  'refusal',
  'refused probe',
  /** No connection. */
  'unreachable',
  'unreachable probe',
  /** No proper answer, and too few failures in a row to say anything about the line. */
  'failure',
  'failed probe',
  /** Enough failures in a row, but another record passed a moment ago. */
  'failures in a row',
  /** Like 'failures in a row', but the last failure was a probe, or no other record waits that could test the line. */
  'failures and failed probe',
  /** Enough failures in a row and no recent pass; or the only waiting record failed. */
  'conclusive failure',
] as const;
export type LineEvent = (typeof LINE_EVENTS)[number];

/** What a transition does to the time of the next probe. */
type Effect =
  /** Every record may go. */
  | 'end halt'
  /** A probe may go at once. */
  | 'probe at once'
  /** The first back-off of this state. */
  | 'start back-off'
  /** The next, longer back-off of the same state. */
  | 'extend back-off'
  /** The time of the next probe stays; only the cause is replaced. */
  | 'update cause'
  | 'nothing';

export interface Transition {
  readonly to: LineStateName;
  readonly effect: Effect;
  readonly reason: string;
}

const row = (to: LineStateName, effect: Effect, reason: string): Transition => ({ to, effect, reason });

const NOT_WHILE_HALTED = 'Cannot happen: failures in a row are not counted while only probes go.';

/** Every state with every event. The order of the rows is that of the lists above. */
export const TRANSITIONS: Readonly<Record<LineStateName, Readonly<Record<LineEvent, Transition>>>> = {
  up: {
    pass: row('up', 'nothing', 'The line works.'),
    'slow down': row('up', 'nothing', 'The upstream answers; the pause is kept apart from the state.'),
    refusal: row('refused', 'start back-off', 'It rejects all our calls, whichever record they carry.'),
    'refused probe': row('refused', 'start back-off', 'It rejects all our calls, whichever record they carry.'),
    unreachable: row('down', 'start back-off', 'No record can pass without a connection.'),
    'unreachable probe': row('down', 'start back-off', 'No record can pass without a connection.'),
    failure: row('up', 'nothing', 'It may be this record alone.'),
    'failed probe': row('up', 'nothing', 'It may be this record alone.'),
    'failures in a row': row('suspected', 'probe at once', 'Either these records or the line: a probe shows which.'),
    'failures and failed probe': row(
      'suspected',
      'probe at once',
      'This probe was sent before the suspicion: test again.',
    ),
    'conclusive failure': row('down', 'start back-off', 'No other record passed lately, or none waits that could.'),
  },
  suspected: {
    pass: row('up', 'end halt', 'The line works, so the records that failed are at fault.'),
    'slow down': row('up', 'end halt', 'The upstream answers, so the line works.'),
    refusal: row('refused', 'start back-off', 'It rejects all our calls, whichever record they carry.'),
    'refused probe': row('refused', 'start back-off', 'It rejects all our calls, whichever record they carry.'),
    unreachable: row('down', 'start back-off', 'No record can pass without a connection.'),
    'unreachable probe': row('down', 'start back-off', 'No record can pass without a connection.'),
    failure: row('suspected', 'nothing', 'This record was sent before the suspicion; the probe decides.'),
    'failed probe': row('suspected', 'nothing', 'A record that was at fault before tells nothing about the line.'),
    'failures in a row': row(
      'suspected',
      'nothing',
      'These records were sent before the suspicion; the probe decides.',
    ),
    'failures and failed probe': row('down', 'start back-off', 'The probe failed too, so it is the line.'),
    'conclusive failure': row('down', 'start back-off', 'No other record passed lately, or none waits that could.'),
  },
  down: {
    pass: row('up', 'end halt', 'The line works again.'),
    'slow down': row('up', 'end halt', 'The upstream answers, so the line works again.'),
    refusal: row('refused', 'start back-off', 'The line works again, but all our calls are rejected.'),
    'refused probe': row('refused', 'start back-off', 'The line works again, but all our calls are rejected.'),
    unreachable: row('down', 'update cause', 'Sent before the line went down: it must not extend the back-off.'),
    'unreachable probe': row('down', 'extend back-off', 'Still down.'),
    failure: row('down', 'update cause', 'Sent before the line went down: it must not extend the back-off.'),
    'failed probe': row('down', 'extend back-off', 'Still down.'),
    'failures in a row': row('down', 'nothing', NOT_WHILE_HALTED),
    'failures and failed probe': row('down', 'nothing', NOT_WHILE_HALTED),
    'conclusive failure': row('down', 'nothing', NOT_WHILE_HALTED),
  },
  refused: {
    pass: row('up', 'end halt', 'The upstream accepts our calls again.'),
    'slow down': row('up', 'end halt', 'The upstream knows us again: it asks for a pause only.'),
    refusal: row('refused', 'update cause', 'Sent before the refusal: it must not extend the back-off.'),
    'refused probe': row('refused', 'extend back-off', 'Still refused.'),
    unreachable: row('down', 'start back-off', 'The line is down; whether we are still refused is unknown.'),
    'unreachable probe': row('down', 'start back-off', 'The line is down; whether we are still refused is unknown.'),
    failure: row('refused', 'nothing', 'Sent before the refusal, which says more than a missing answer.'),
    'failed probe': row('down', 'start back-off', 'The probe got no refusal any more, and no proper answer.'),
    'failures in a row': row('refused', 'nothing', NOT_WHILE_HALTED),
    'failures and failed probe': row('refused', 'nothing', NOT_WHILE_HALTED),
    'conclusive failure': row('refused', 'nothing', NOT_WHILE_HALTED),
  },
};

/** A state of the line in which only probes are sent. */
export interface Halt {
  readonly state: Exclude<LineStateName, 'up'>;
  readonly cause: Cause | null;
  /** Probes that failed in this state. */
  readonly probes: number;
  /** When the next probe may go; monotonic. */
  readonly nextAt: number;
}

/** Undefined while the line is up. */
export type LineState = Halt | undefined;

const BACK_OFF: Record<'down' | 'refused', BackOff> = {
  down: { firstMs: 1000, maxMs: 300_000 },
  refused: { firstMs: 60_000, maxMs: 300_000 },
};

export function transitionOf(state: LineState, event: LineEvent): Transition {
  return TRANSITIONS[state?.state ?? 'up'][event];
}

/** The state after an event. `cause` is what the answer named; `now` is monotonic; `random` is from 0 to 1. */
export function nextLineState(
  state: LineState,
  event: LineEvent,
  { cause, now, random }: { readonly cause: Cause | null; readonly now: number; readonly random: () => number },
): LineState {
  const { to, effect } = transitionOf(state, event);
  if (effect === 'nothing') return state;
  if (effect === 'update cause') return state && { ...state, cause };
  if (to === 'up') return undefined;
  if (to === 'suspected') return { state: to, cause, probes: 0, nextAt: now };
  const probes = effect === 'extend back-off' ? (state?.probes ?? 0) + 1 : 0;
  return { state: to, cause, probes, nextAt: now + backOffMs(BACK_OFF[to], probes, random()) };
}
