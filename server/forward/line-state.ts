// The states of a line and every transition between them, as one table. Pure: the caller passes the time and the random number.
// `line.ts` turns answers into events; `lane.ts` sends what the state allows.

import type { Cause } from '../contract/codes.ts';
import { type BackOff, backOffMs } from './back-off.ts';

/**
 * `up`: all records are sent.
 * `suspected`: several consecutive records failed, so one probe is sent immediately. The probe shows whether these records or
 * the line are at fault.
 * `down`: only probes are sent, one at a time, with a back-off.
 * `refused`: only probes are sent, as in `down`, but the upstream answers and rejects all our calls.
 */
export const LINE_STATES = ['up', 'suspected', 'down', 'refused'] as const;
export type LineStateName = (typeof LINE_STATES)[number];

/** What the result of an attempt says about the line. A probe is a record that was sent to test the line. */
export const LINE_EVENTS = [
  /** The upstream accepted or rejected this one record. */
  'pass',
  /** The upstream asked for a pause (429, or 503 with Retry-After). */
  'slow down',
  /** The upstream rejects all our calls, because of the key, the address or the certificate. */
  'refusal',
  'refused probe',
  /** No connection. */
  'unreachable',
  'unreachable probe',
  /** A record got no proper answer. Too few consecutive records have failed to say anything about the line. */
  'failure',
  'failed probe',
  /** Enough consecutive records failed, but another record passed shortly before. */
  'failures in a row',
  /**
   * Enough consecutive records failed. Another record passed shortly before, but the last failure was a probe, or no other
   * waiting record could test the line.
   */
  'failures and failed probe',
  /** No record has passed lately, and enough consecutive records failed, or the only waiting record failed. */
  'conclusive failure',
] as const;
export type LineEvent = (typeof LINE_EVENTS)[number];

/** The effect of an event that does not change the state: nothing, a new cause, or the next, longer back-off. */
type Stay = 'keep' | 'update cause' | 'extend back-off';

/**
 * The effect of one event in one state. Without `stay`, the event starts the state `to`, with a new cause and the first
 * back-off.
 */
export interface Transition {
  readonly to: LineStateName;
  readonly stay?: Stay;
  readonly reason: string;
}

const enter = (to: LineStateName, reason: string): Transition => ({ to, reason });
const stay = (to: LineStateName, how: Stay, reason: string): Transition => ({ to, stay: how, reason });

const NOT_WHILE_HALTED = 'Cannot happen: failures in a row are not counted while only probes go.';

/** The transition for each state and each event. The order is the same as in the two lists above. */
export const TRANSITIONS: Readonly<Record<LineStateName, Readonly<Record<LineEvent, Transition>>>> = {
  up: {
    pass: stay('up', 'keep', 'The line works.'),
    'slow down': stay('up', 'keep', 'The upstream answers; the pause is kept apart from the state.'),
    refusal: enter('refused', 'It rejects all our calls, whichever record they carry.'),
    'refused probe': enter('refused', 'It rejects all our calls, whichever record they carry.'),
    unreachable: enter('down', 'No record can pass without a connection.'),
    'unreachable probe': enter('down', 'No record can pass without a connection.'),
    failure: stay('up', 'keep', 'It may be this record alone.'),
    'failed probe': stay('up', 'keep', 'It may be this record alone.'),
    'failures in a row': enter('suspected', 'Either these records or the line: a probe shows which.'),
    'failures and failed probe': enter('suspected', 'This probe was sent before the suspicion: test again.'),
    'conclusive failure': enter('down', 'No other record passed lately, or none waits that could.'),
  },
  suspected: {
    pass: enter('up', 'The line works, so the records that failed are at fault.'),
    'slow down': enter('up', 'The upstream answers, so the line works.'),
    refusal: enter('refused', 'It rejects all our calls, whichever record they carry.'),
    'refused probe': enter('refused', 'It rejects all our calls, whichever record they carry.'),
    unreachable: enter('down', 'No record can pass without a connection.'),
    'unreachable probe': enter('down', 'No record can pass without a connection.'),
    failure: stay('suspected', 'keep', 'This record was sent before the suspicion; the probe decides.'),
    'failed probe': stay('suspected', 'keep', 'A record that was at fault before tells nothing about the line.'),
    'failures in a row': stay('suspected', 'keep', 'These records were sent before the suspicion; the probe decides.'),
    'failures and failed probe': enter('down', 'The probe failed too, so it is the line.'),
    'conclusive failure': enter('down', 'No other record passed lately, or none waits that could.'),
  },
  down: {
    pass: enter('up', 'The line works again.'),
    'slow down': enter('up', 'The upstream answers, so the line works again.'),
    refusal: enter('refused', 'The line works again, but all our calls are rejected.'),
    'refused probe': enter('refused', 'The line works again, but all our calls are rejected.'),
    unreachable: stay('down', 'update cause', 'Sent before the line went down: it must not extend the back-off.'),
    'unreachable probe': stay('down', 'extend back-off', 'Still down.'),
    failure: stay('down', 'update cause', 'Sent before the line went down: it must not extend the back-off.'),
    'failed probe': stay('down', 'extend back-off', 'Still down.'),
    'failures in a row': stay('down', 'keep', NOT_WHILE_HALTED),
    'failures and failed probe': stay('down', 'keep', NOT_WHILE_HALTED),
    'conclusive failure': stay('down', 'keep', NOT_WHILE_HALTED),
  },
  refused: {
    pass: enter('up', 'The upstream accepts our calls again.'),
    'slow down': enter('up', 'The upstream knows us again: it asks for a pause only.'),
    refusal: stay('refused', 'update cause', 'Sent before the refusal: it must not extend the back-off.'),
    'refused probe': stay('refused', 'extend back-off', 'Still refused.'),
    unreachable: enter('down', 'The line is down; whether we are still refused is unknown.'),
    'unreachable probe': enter('down', 'The line is down; whether we are still refused is unknown.'),
    failure: stay('refused', 'keep', 'Sent before the refusal, which says more than a missing answer.'),
    'failed probe': enter('down', 'The probe got no refusal any more, and no proper answer.'),
    'failures in a row': stay('refused', 'keep', NOT_WHILE_HALTED),
    'failures and failed probe': stay('refused', 'keep', NOT_WHILE_HALTED),
    'conclusive failure': stay('refused', 'keep', NOT_WHILE_HALTED),
  },
};

/** A state of the line in which only probes are sent. */
export interface Halt {
  readonly state: Exclude<LineStateName, 'up'>;
  readonly cause: Cause | null;
  /** Number of failed probes in this state. */
  readonly probes: number;
  /** Time of the next probe; monotonic. */
  readonly nextAt: number;
}

/** The halt of the line. Undefined while the line is up. */
export type LineState = Halt | undefined;

const BACK_OFF: Record<'down' | 'refused', BackOff> = {
  down: { firstMs: 1000, maxMs: 300_000 },
  refused: { firstMs: 60_000, maxMs: 300_000 },
};

export function transitionOf(state: LineState, event: LineEvent): Transition {
  return TRANSITIONS[state?.state ?? 'up'][event];
}

/**
 * Returns the state after an event. `cause` comes from the answer. `now` is monotonic. `random` returns a number from 0 to 1.
 */
export function nextLineState(
  state: LineState,
  event: LineEvent,
  { cause, now, random }: { readonly cause: Cause | null; readonly now: number; readonly random: () => number },
): LineState {
  const { to, stay } = transitionOf(state, event);
  if (stay === 'keep') return state;
  if (stay === 'update cause') return state && { ...state, cause };
  if (to === 'up') return undefined;
  if (to === 'suspected') return { state: to, cause, probes: 0, nextAt: now }; // a probe is sent immediately
  const probes = stay === 'extend back-off' ? (state?.probes ?? 0) + 1 : 0;
  return { state: to, cause, probes, nextAt: now + backOffMs(BACK_OFF[to], probes, random()) };
}
