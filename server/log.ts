// The structured log: JSON lines in the data directory, rotated in the process. It never carries a key, a token or
// the body of a call: nothing that logs is given one, and the usual names of secrets are censored besides.

import { join } from 'node:path';

import { type Logger, pino } from 'pino';
import { createStream } from 'rotating-file-stream';

import type { Config } from './config.ts';

export type Log = Logger;

/** Opens the log file `logs/counterfoil.log`; old files are compressed, ten at the most. */
export function openLog({ dataDir, logLevel }: Pick<Config, 'dataDir' | 'logLevel'>): {
  log: Log;
  close: () => Promise<void>;
} {
  const file = createStream('counterfoil.log', {
    path: join(dataDir, 'logs'),
    size: '10M',
    maxFiles: 10,
    compress: 'gzip',
    mode: 0o600,
  });
  // A log that can't be written (full disk) must not stop the gateway; what it would have said is lost.
  file.on('error', () => {});
  file.on('warning', () => {});
  const log = pino(
    {
      level: logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          'token',
          'key',
          'secret',
          'authorization',
          'body',
          'headers',
          '*.token',
          '*.authorization',
          '*.body',
          '*.headers',
        ],
        censor: '[censored]',
      },
    },
    file,
  );
  return { log, close: () => new Promise((resolve) => file.end(() => resolve())) };
}
