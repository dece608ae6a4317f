// Streams of records in the order of an index. Each interface and status of a journal is one stream; a search merges them.

import { type Interface, INTERFACES, type Status, STATUSES } from '../../../contract/codes.ts';
import type { SearchFilter, SearchOrder } from '../../records/ledger.ts';

/** The records of one interface and one status. */
export interface RecordStream {
  readonly interface: Interface;
  readonly status: Status;
}

export const STREAMS: readonly RecordStream[] = INTERFACES.flatMap((by) =>
  STATUSES.map((status) => ({ interface: by, status })),
);

/** The number that the table `sales` stores for a stream. */
export function streamNumber({ interface: by, status }: RecordStream): number {
  return STREAMS.findIndex((stream) => stream.interface === by && stream.status === status);
}

/** For each interface, the number of the stream with its NEW records. These records count as sales. */
export const NEW_STREAM: Record<Interface, number> = {
  current: streamNumber({ interface: 'current', status: 'NEW' }),
  earlier: streamNumber({ interface: 'earlier', status: 'NEW' }),
};

/** Whether a filter can match records of a stream. */
export function isSearched(stream: RecordStream, { interface: by, status }: SearchFilter): boolean {
  return (by === undefined || by === stream.interface) && (status === undefined || status === stream.status);
}

export const ORDER: Record<SearchOrder, 'DESC' | 'ASC'> = { newest: 'DESC', oldest: 'ASC' };

/** A place in a stream: a found record, or the place where the reading budget ended. In the second case `isFound` is false. */
export interface Step<Position> {
  readonly position: Position;
  readonly isFound: boolean;
}

/** A record that was read; `isMatch` is 1 if it matches the filter. */
export type Looked<Position> = Position & { readonly isMatch: 0 | 1 };

/** Number of records that are read together. */
const CHUNK = 250;

/**
 * The number of records that a stream may still read. A search that finds little stops and can be continued. Each stream has a
 * separate budget, so every page makes progress.
 */
export interface Patience {
  left: number;
}

/**
 * Reads records until none are left or the budget ends. Returns whether records are left. `read` returns at most `limit`
 * records after a position.
 */
export function* lookAt<Position>(
  read: (after: Position, limit: number) => Looked<Position>[],
  start: Position,
  patience: Patience,
): Generator<Step<Position>, boolean> {
  let after = start;
  let chunk: Looked<Position>[];
  do {
    chunk = read(after, CHUNK);
    for (const looked of chunk) {
      patience.left -= 1;
      after = looked;
      if (looked.isMatch === 1) yield { position: looked, isFound: true };
      else if (patience.left <= 0) {
        yield { position: looked, isFound: false };
        return false;
      }
    }
  } while (chunk.length === CHUNK);
  return true;
}

/** Entries of the index in one chunk of a search by the end of an id. */
const SKIMMED = 10_000;

/**
 * Searches an index of ids chunk by chunk. `findBoundary` returns the id that comes `skip` entries after a position; undefined
 * at the end of the index. `listMatches` returns the matches up to that id. The search stops after `maxSkimmed` entries.
 */
export function* skim<Position extends { readonly externalId: string; readonly recordId: number }>(
  findBoundary: (after: { readonly externalId: string }, skip: number) => string | undefined,
  listMatches: (
    after: { readonly externalId: string; readonly recordId: number },
    boundary: string | undefined,
  ) => Position[],
  start: { readonly externalId: string; readonly recordId: number },
  maxSkimmed: number,
): Generator<Step<{ readonly externalId: string; readonly recordId: number }>, void> {
  let after = start;
  for (let skimmed = 0; skimmed < maxSkimmed; skimmed += SKIMMED) {
    const boundary = findBoundary(after, Math.min(SKIMMED, maxSkimmed) - 1);
    for (const position of listMatches(after, boundary)) yield { position, isFound: true };
    if (boundary === undefined) return;
    after = { externalId: boundary, recordId: Number.MAX_SAFE_INTEGER };
  }
  yield { position: after, isFound: false };
}

/** Merges streams that are each in the order of `compare`. */
export function* merge<Position>(
  streams: readonly Iterator<Step<Position>, void>[],
  compare: (a: Position, b: Position) => number,
): Generator<Step<Position>, void> {
  const heads = new Map<Iterator<Step<Position>, void>, Step<Position>>();
  const advance = (stream: Iterator<Step<Position>, void>): void => {
    const next = stream.next();
    if (next.done === true) heads.delete(stream);
    else heads.set(stream, next.value);
  };
  for (const stream of streams) advance(stream);
  while (heads.size > 0) {
    const [stream, step] = [...heads].reduce((first, other) =>
      compare(other[1].position, first[1].position) < 0 ? other : first,
    );
    yield step;
    advance(stream);
  }
}
