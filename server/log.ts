// The structured log: JSON lines in the data directory, rotated in the process. It never carries a key, a token or
// the body of a call: nothing that logs is given one, and the usual names of secrets are censored besides.

import { join } from 'node:path';

import { type Logger, pino } from 'pino';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';

import type { Config } from './config.ts';

export type Log = Logger;

/** The folder of the log files in the data directory. */
export const LOG_FOLDER = 'logs';

/**
 * Opens the log file `logs/counterfoil.log`; old files are compressed, ten at the most. Its folder should be
 * there: the stream would make it, but never ends where a parent takes no directories, such as /proc.
 */
export function openLog({ dataDir, logLevel }: Pick<Config, 'dataDir' | 'logLevel'>): {
  log: Log;
  close: () => Promise<void>;
} {
  let isClosed = false;
  let file = open();

  /** An error, such as a full disk, ends a stream for good. It must not end the log: a new one is tried soon after. */
  function open(): RotatingFileStream {
    const stream = createStream('counterfoil.log', {
      path: join(dataDir, LOG_FOLDER),
      size: '10M',
      maxFiles: 10,
      compress: 'gzip',
      mode: 0o600,
    });
    stream.on('warning', () => {}); // of a rotation that failed; the file goes on
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
/** Nothing that logs is given one of these; should it happen, it is censored. */
const SECRETS = ['token', 'key', 'secret', 'authorization', 'body', 'headers'];
