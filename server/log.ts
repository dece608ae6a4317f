// The log file: lines of JSON in the data directory. This process rotates it. The log must never contain a key, a token or the
// body of a call. Callers must not log them. As a second safeguard, fields with the usual names of secrets are censored.

import { join } from 'node:path';

import { type Logger, pino } from 'pino';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';

import type { Config } from './config.ts';
import { LOG_FILE, LOG_FOLDER } from './data-location.ts';

export type Log = Logger;

/**
 * Opens the log file `logs/counterfoil.log`; keeps at most ten old files, compressed. The folder must exist. The stream would
 * create a missing folder, but where that is not possible, such as in /proc, it would hang.
 */
export function openLog({ dataDir, logLevel }: Pick<Config, 'dataDir' | 'logLevel'>): {
  log: Log;
  close: () => Promise<void>;
} {
  let isClosed = false;
  let file = open();

  /**
   * Opens a stream to the file. An error, such as a full disk, ends the stream permanently. After a short time, a new stream is
   * opened.
   */
  function open(): RotatingFileStream {
    const stream = createStream(LOG_FILE, {
      path: join(dataDir, LOG_FOLDER),
      size: '10M',
      maxFiles: 10,
      compress: 'gzip',
      mode: 0o600,
    });
    stream.on('warning', () => {}); // the rotation failed, so the log continues in the same file
    stream.once('error', () => {
      stream.on('error', () => {});
      setTimeout(() => {
        if (!isClosed) file = open();
      }, REOPEN_AFTER_MS).unref();
    });
    return stream;
  }

  const options = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[censored]' },
  };
  return {
    log: pino(options, { write: (line) => void file.write(line) }),
    close() {
      isClosed = true;
      return file.destroyed ? Promise.resolve() : new Promise((resolve) => file.end(() => resolve()));
    },
  };
}

const REOPEN_AFTER_MS = 1000;
/** The contents of fields with these names are censored, in case a caller logs such a field. */
const SECRETS = ['token', 'key', 'secret', 'authorization', 'body', 'headers'];
