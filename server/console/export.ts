// Sends exports as CSV files. Tills come first: only a few exports run at one time, a file is sent only as fast as the client
// receives it, and other calls run between its rows. An export stops if the client disconnects or the session ends.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { stringify } from 'csv-stringify';
import type { Response } from 'express';

import type { CsvFormat } from '../contract/exports.ts';
import { ConsoleError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Cell, cellOf, csvOptions, headFile } from './csv.ts';
import { sessionOf } from './parts.ts';
import { openShares } from './shares.ts';

const LIMITS = { max: 4, maxPerPerson: 2 };
/** Number of rows after which other calls get a turn. */
const ROWS_PER_TURN = 200;

/** The columns of a file: a function by the heading of the column. The function makes the cell of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

export interface ExportFile<Row> {
  /** The parts of the file name. */
  readonly name: readonly (string | undefined)[];
  readonly columns: Columns<Row>;
  readonly rows: Iterable<Row> | AsyncIterable<Row>;
  readonly format: CsvFormat;
}

/**
 * Sends the file that `open` returns. Rejects with the error of `open`, or with `export_limited` if too many exports are running.
 * If a later row fails, the connection breaks in the middle of the file.
 */
export type SendExport = <Row>(res: Response, open: () => Promise<ExportFile<Row>>) => Promise<void>;

export function openExports(log: Pick<Log, 'error'>): SendExport {
  const shares = openShares(LIMITS);
  return async (res, open) => {
    const session = sessionOf(res);
    const share = shares.take(session.person);
    if (share.kind === 'refused') {
      throw new ConsoleError('export_limited', {
        detail: `${share.count} exports${share.isOwn ? ' of yours' : ''} are already running: wait until one has ended.`,
        retryAfterSeconds: 10,
      });
    }
    try {
      const file = await open();
      if (res.destroyed) return; // the client has left
      headFile(res, file.name);
      await pipeline(
        Readable.from(cellsOf(file), { highWaterMark: 1 }),
        stringify(csvOptions(Object.keys(file.columns), file.format)),
        res,
        { signal: session.ended },
      );
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The client has disconnected, or its session has ended. Both may happen before the first row.
      if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR') return void res.destroy();
      if (!res.headersSent) throw error;
      // The broken connection tells the client that the file is cut off.
      log.error({ err: error }, 'an export failed');
    } finally {
      share.release();
    }
  };
}

async function* cellsOf<Row>({ columns, rows, format }: ExportFile<Row>): AsyncGenerator<string[], void> {
  let sent = 0;
  for await (const row of rows) {
    yield Object.values(columns).map((cell) => cellOf(cell(row), format));
    sent += 1;
    if (sent % ROWS_PER_TURN === 0) await nextTurn();
  }
}
