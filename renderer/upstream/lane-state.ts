// The sentence about a lane, and the broken part of its path. Pure: other modules choose the words.

import type { LaneView } from '../../server/contract/lanes.ts';
import type { StoreTrouble } from '../../server/contract/machine.ts';
import type { Tone } from '../theme/theme.ts';

/** A text key. `count` is the number of waiting records, or of held ones if none wait. Times are epoch milliseconds. */
export type LaneSentence =
  | { readonly kind: 'noUpstream' | 'onTheirWay' | 'allButHeld' | 'allUpstream'; readonly count: number }
  | { readonly kind: 'lineDown' | 'refusedUs' | 'paused'; readonly since: number | null; readonly count: number }
  /** There was never a record to send. */
  | { readonly kind: 'ready'; readonly count: 0 };

export function laneSentence({ url, state, since, deliveries, deliveredAt }: LaneView): LaneSentence {
  const { waiting, held } = deliveries;
  if (url === null) return { kind: 'noUpstream', count: waiting };
  switch (state) {
    case 'line down':
      return { kind: 'lineDown', since, count: waiting };
    case 'refused':
      return { kind: 'refusedUs', since, count: waiting };
    case 'paused':
      return { kind: 'paused', since, count: waiting };
    case 'running':
      if (waiting > 0) return { kind: 'onTheirWay', count: waiting };
      if (held > 0) return { kind: 'allButHeld', count: held };
      return deliveredAt === null ? { kind: 'ready', count: 0 } : { kind: 'allUpstream', count: 0 };
  }
}

/** The estimated time, at the current rate, until no record waits. Undefined if unknown. */
export function estimateEmptyMs({ state, perSecond, deliveries }: LaneView): number | undefined {
  if (state !== 'running' || perSecond <= 0 || deliveries.waiting === 0) return undefined;
  return (deliveries.waiting / perSecond) * 1000;
}

export type PieceName = 'tills' | 'here' | 'line' | 'upstream';

export interface Piece {
  readonly name: PieceName;
  readonly tone: Tone;
  readonly word:
    | 'notAffected'
    | 'cannotSend'
    | 'keepsAll'
    | 'takesNothing'
    | 'up'
    | 'down'
    | 'pausedHere'
    | 'notSet'
    | 'answers'
    | 'refusesUs'
    | 'notReached'
    | 'notAsked';
}

/** The parts of the path of a record; `broken` is the part that fails, or undefined. */
export interface Path {
  readonly pieces: readonly Piece[];
  readonly broken: PieceName | undefined;
}

export function pathOf(lane: LaneView, trouble: StoreTrouble | null): Path {
  const inside: readonly Piece[] =
    trouble === null
      ? [
          { name: 'tills', tone: 'fine', word: 'notAffected' },
          { name: 'here', tone: 'fine', word: 'keepsAll' },
        ]
      : [
          { name: 'tills', tone: 'bad', word: 'cannotSend' },
          { name: 'here', tone: 'bad', word: 'takesNothing' },
        ];
  const { line, upstream, broken } = outside(lane);
  return {
    pieces: [...inside, { name: 'line', ...line }, { name: 'upstream', ...upstream }],
    broken: trouble === null ? broken : 'here',
  };
}

function outside({ url, state }: LaneView): {
  readonly line: Omit<Piece, 'name'>;
  readonly upstream: Omit<Piece, 'name'>;
  readonly broken: PieceName | undefined;
} {
  if (url === null) {
    const notSet = { tone: 'unknown', word: 'notSet' } as const;
    return { line: notSet, upstream: notSet, broken: 'line' };
  }
  switch (state) {
    case 'running':
      return { line: { tone: 'fine', word: 'up' }, upstream: { tone: 'fine', word: 'answers' }, broken: undefined };
    case 'line down':
      return {
        line: { tone: 'differs', word: 'down' },
        upstream: { tone: 'unknown', word: 'notReached' },
        broken: 'line',
      };
    case 'refused':
      return { line: { tone: 'fine', word: 'up' }, upstream: { tone: 'bad', word: 'refusesUs' }, broken: 'upstream' };
    case 'paused':
      return {
        line: { tone: 'unknown', word: 'pausedHere' },
        upstream: { tone: 'unknown', word: 'notAsked' },
        broken: 'line',
      };
  }
}
