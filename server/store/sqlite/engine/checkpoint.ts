// Decides when the write-ahead log (WAL) is copied into the database: after enough was written, and at least once a minute. The
// minute is for shops that sell little. They rarely reach the limit, so without the minute their WAL would grow.

const INTERVAL_MS = 60_000;
/**
 * A checkpoint starts after this number of rows or bytes. With smaller limits, checkpoints would copy the same database
 * pages many times. With larger limits, a checkpoint would take long.
 */
const DUE_AFTER = { rows: 4000, bytes: 8 * 1024 * 1024 };
/** Average bytes that a row adds to the database in addition to its body. */
const ROW_BYTES = 1024;
/**
 * A commit writes at least two whole pages into the WAL. Without them, the WAL of a lone till would grow to 40 MB. Until its first
 * checkpoint, the WAL grows with each commit, and a sync of a growing file takes longer.
 */
const COMMIT_BYTES = 2 * 4096;

export interface Checkpoints {
  /** Counts a commit: the rows that were sent to the writer, and the bytes of their bodies. */
  noteWritten(rows: number, bytes: number): void;
  /** Number of pages in the WAL at the last checkpoint. */
  walPages(): number;
  close(): void;
}

/**
 * Calls `checkpoint` when a checkpoint is due. `checkpoint` resolves to the number of pages in the WAL. If it rejects,
 * `onFault` gets the error. One checkpoint grows the database by less than `maxGrowth` bytes, unless a single group is larger.
 * On a full disk, the reserve must have space for this growth.
 */
export function openCheckpoints(
  checkpoint: () => Promise<number>,
  onFault: (error: unknown) => void,
  maxGrowth = DUE_AFTER.bytes,
): Checkpoints {
  const dueBytes = Math.min(DUE_AFTER.bytes, maxGrowth);
  let written = { rows: 0, bytes: 0 };
  let walPages = 0;

  const start = (): void => {
    if (written.rows === 0) return;
    written = { rows: 0, bytes: 0 };
    checkpoint().then((pages) => (walPages = pages), onFault);
  };
  const timer = setInterval(start, INTERVAL_MS).unref();

  return {
    noteWritten(rows, bytes) {
      written.rows += rows;
      written.bytes += COMMIT_BYTES + bytes + rows * ROW_BYTES;
      if (written.rows >= DUE_AFTER.rows || written.bytes >= dueBytes) start();
    },
    walPages: () => walPages,
    close: () => clearInterval(timer),
  };
}
