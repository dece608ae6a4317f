// Decides how a script reacts to a call. It is pure: the time and the random draws are arguments, so that tests can simulate
// time without HTTP.

import type { Interface } from '../../../server/contract/codes.ts';
import type { Asks, Behaviour, Condition, Script, Track } from './script.ts';

/** The properties of a call that a script uses. */
export interface ScriptedCall {
  /** Epoch milliseconds; calls are decided in the order of their times. */
  readonly at: number;
  readonly asks: Asks;
  readonly interface: Interface;
  /** The record's id. Undefined for a query, and for a record without an id. */
  readonly id: string | undefined;
  /** How often a call with this id has arrived, this call included. */
  readonly attempt: number;
}

/** The progress of a script. */
export interface ScriptState {
  readonly script: Script;
  readonly main: Position;
  /** The current position in each rule's track. */
  readonly rules: readonly Position[];
  /** The number of random draws so far. */
  readonly draws: number;
}

interface Position {
  /** The index of the current step. It equals the number of steps when the track is used up. */
  readonly step: number;
  /** When the step began, in epoch milliseconds. */
  readonly since: number;
  /** The number of calls in this step so far. */
  readonly calls: number;
}

const ACCEPT: Behaviour = { kind: 'accept', takes: true, afterMs: 0 };

/** The state of a script at its beginning. */
export function startScript(script: Script, now: number): ScriptState {
  const start: Position = { step: 0, since: now, calls: 0 };
  return { script, main: start, rules: script.rules.map(() => start), draws: 0 };
}

/** Returns the behaviour for a call, and the script's new state. While the main track is at "down", no rule applies. */
export function decide(state: ScriptState, call: ScriptedCall): { behaviour: Behaviour; state: ScriptState } {
  const { script } = state;
  const main = atTime(script.main, state.main, call.at);
  let { draws } = state;
  if (script.main.steps[main.step]?.behaviour.kind !== 'down') {
    const draw = (): number => drawAt(script.seed, draws++);
    for (const [i, { conditions, track }] of script.rules.entries()) {
      const position = atTime(track, state.rules[i] ?? state.main, call.at);
      const step = track.steps[position.step];
      if (step === undefined || !conditions.every((condition) => holds(condition, call, draw))) continue;
      const rules = state.rules.with(i, afterCall(track, position, call.at));
      return { behaviour: step.behaviour, state: { script, main, rules, draws } };
    }
  }
  const behaviour = script.main.steps[main.step]?.behaviour ?? ACCEPT;
  const after = afterCall(script.main, main, call.at);
  const isSame = after === state.main && draws === state.draws;
  return { behaviour, state: isSame ? state : { ...state, main: after, draws } };
}

/** Whether the script is down at the time `now`. */
export function isDown({ script, main }: ScriptState, now: number): boolean {
  return script.main.steps[atTime(script.main, main, now).step]?.behaviour.kind === 'down';
}

/** When the current main-track step expires, in epoch milliseconds. */
export function nextTurnAt({ script, main }: ScriptState, now: number): number | undefined {
  const { step, since } = atTime(script.main, main, now);
  const lasts = script.main.steps[step]?.lasts;
  return lasts?.kind === 'time' ? since + lasts.ms : undefined;
}

/** The position in a track at the time `now`, after all steps that have expired. */
function atTime(track: Track, position: Position, now: number): Position {
  let current = position;
  for (;;) {
    const lasts = track.steps[current.step]?.lasts;
    if (lasts?.kind !== 'time' || now < current.since + lasts.ms) return current;
    const step = following(track, current.step);
    const since = current.since + lasts.ms;
    // A month may have passed since the last call, so all whole rounds are skipped in one step.
    const rounds = step === 0 ? Math.floor((now - since) / roundMs(track)) : 0;
    current = { step, since: rounds > 0 ? since + rounds * roundMs(track) : since, calls: 0 };
  }
}

/** The duration of one round of a track; infinite if a step lasts for a number of calls. */
function roundMs({ steps }: Track): number {
  return steps.reduce((sum, { lasts }) => sum + (lasts.kind === 'time' ? lasts.ms : Number.POSITIVE_INFINITY), 0);
}

function afterCall(track: Track, position: Position, now: number): Position {
  const lasts = track.steps[position.step]?.lasts;
  if (lasts?.kind !== 'calls') return position;
  const calls = position.calls + 1;
  return calls < lasts.count ? { ...position, calls } : { step: following(track, position.step), since: now, calls: 0 };
}

function following({ steps, repeats }: Track, step: number): number {
  return repeats && step === steps.length - 1 ? 0 : step + 1;
}

function holds(condition: Condition, call: ScriptedCall, draw: () => number): boolean {
  switch (condition.kind) {
    case 'id':
      return call.id !== undefined && matches(condition.pattern, call.id);
    case 'asks':
      return call.asks === condition.asks;
    case 'interface':
      return call.interface === condition.interface;
    case 'attempt':
      return call.asks === 'record' && call.attempt >= condition.from && call.attempt <= condition.to;
    case 'chance':
      return draw() * 100 < condition.percent;
  }
}

/** Each `*` matches the shortest possible text. The text after the last `*` must be at the end. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === pattern;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.startsWith(first) && text.length - last.length >= at && text.endsWith(last);
}

/**
 * The n-th random draw from 0 (inclusive) to 1 (exclusive), by mulberry32. The generator's state is seed + n × constant, so it
 * need not be stored.
 */
function drawAt(seed: number, n: number): number {
  const state = (seed + Math.imul(n + 1, 0x6d2b79f5)) | 0;
  let bits = Math.imul(state ^ (state >>> 15), 1 | state);
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
  return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
}
