// When the WAL is copied into the database: after so much was written that it is worth it, and otherwise once a minute,
// so that it does not grow in a shop that asks much and sells little.

const INTERVAL_MS = 60_000;
/** Seldom enough to gather pages, often enough to be short. */
const DUE_AFTER = { rows: 4000, bytes: 8 * 1024 * 1024 };
/** What a row adds to the database besides its body, on average. */
const ROW_BYTES = 1024;

export interface Checkpoints {
  /** Something was handed to the writer: rows, and the bytes of their bodies. */
  noteWritten(rows: number, bytes: number): void;
  /** Pages in the WAL at the last checkpoint. */
  walPages(): number;
  close(): void;
}

/**
 * `checkpoint` resolves with the pages of the WAL; what it rejects with goes to `onFault`. The database grows by less than
 * `maxGrowth` bytes in one checkpoint, unless one group is larger: on a full disk it must fit into the reserve.
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
      written.bytes += bytes + rows * ROW_BYTES;
      if (written.rows >= DUE_AFTER.rows || written.bytes >= dueBytes) start();
    },
    walPages: () => walPages,
    close: () => clearInterval(timer),
  };
}
