/**
 * Counts the commits and their pages in the write-ahead log (WAL) of a database that another process writes. Only reads the
 * file, so it takes no lock and blocks no checkpoint. It must read often, because SQLite overwrites the log from its beginning
 * after a checkpoint. Format: https://sqlite.org/fileformat2.html#the_write_ahead_log
 */
import { closeSync, readSync } from 'node:fs';

import {
  FRAME_HEADER_BYTES,
  WAL_HEADER_BYTES,
  isSame,
  openIfThere,
  parseHeader,
  readAt,
} from '../../server/store/sqlite/integrity/wal-format.ts';
import { median } from './machine.ts';

/** `typical` is the median number of database pages per commit. */
export type Commits = { count: number; pages: number; typical: number };

export type WalCounter = {
  /** Counts the commits since the last call. */
  read(): void;
  /** The commits since the counter was opened; null if the log was overwritten or truncated between two reads. */
  total(): Commits | null;
};

/**
 * One generation of the log, until SQLite begins again at the start of the file. `frames` is the number of frames up to the
 * last counted commit.
 */
type Log = { salts: readonly [number, number]; pageSize: number; frames: number };

const lookMs = 20;

/** Counts commits until `stop` is called, which returns the commits. */
export function watchCommits(database: string): { stop(): Commits | null } {
  const counter = openWalCounter(database);
  const timer = setInterval(() => counter.read(), lookMs);
  return {
    stop() {
      clearInterval(timer);
      counter.read();
      return counter.total();
    },
  };
}

/** Opens a counter that begins at the current end of the log. */
export function openWalCounter(database: string): WalCounter {
  const head = Buffer.alloc(FRAME_HEADER_BYTES);
  let sizes: number[] = [];
  let isComplete = true;
  let log: Log | undefined;

  function read(): void {
    const file = openIfThere(`${database}-wal`);
    if (file === undefined) return;
    try {
      const header = parseHeader(readAt(file, 0, WAL_HEADER_BYTES));
      if (header === undefined) return; // the log is empty or is just being written; the next read will see its frames
      const { salts, pageSize } = header;
      if (log !== undefined && !isSame(log.salts, salts)) {
        countFrames(file, log);
        // SQLite raises the first salt by one when it begins the log again. All frames of the old log were counted only if the
        // last counted frame is not overwritten yet.
        const isNext = ((log.salts[0] + 1) | 0) === salts[0];
        isComplete &&= isNext && readFrame(file, log, log.frames - 1) !== undefined;
        log = undefined;
      }
      log ??= { salts, pageSize, frames: 0 };
      countFrames(file, log);
    } finally {
      closeSync(file);
    }
  }

  function countFrames(file: number, of: Log): void {
    for (let frame = of.frames; ; frame += 1) {
      const found = readFrame(file, of, frame);
      if (found === undefined) return;
      if (!found.isCommit) continue;
      sizes.push(frame + 1 - of.frames);
      of.frames = frame + 1;
    }
  }

  /** Reads a frame. Undefined if the frame does not belong to this generation of the log. */
  function readFrame(file: number, of: Log, frame: number): { isCommit: boolean } | undefined {
    if (frame < 0) return undefined;
    const at = WAL_HEADER_BYTES + frame * (FRAME_HEADER_BYTES + of.pageSize);
    if (readSync(file, head, 0, head.byteLength, at) < head.byteLength) return undefined;
    if (!isSame([head.readInt32BE(8), head.readInt32BE(12)], of.salts)) return undefined;
    // in a frame that ends a commit, this field is the size of the database; otherwise 0
    return { isCommit: head.readUInt32BE(4) !== 0 };
  }

  read();
  sizes = [];
  return {
    read,
    total: () =>
      isComplete
        ? { count: sizes.length, pages: sizes.reduce((sum, size) => sum + size, 0), typical: median(sizes) }
        : null,
  };
}
