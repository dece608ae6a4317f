// Collects the output of a forked process. It also collects output that arrives just after the process ended.

import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { UtilityProcess } from 'electron';

/** Maximum wait for output after the end of the process. */
const LAST_OUTPUT_MS = 500;
/** Maximum characters to keep: the last ones of standard error, and the first ones of standard output. */
const MAX_ERROR_OUTPUT = 4000;
const MAX_PRINTED = 16 * 1024 * 1024;

export interface ProcessOutput {
  /**
   * The first line of standard output; undefined if the process ended without one. Later output is read and discarded, so that
   * the process never blocks.
   */
  readonly firstLine: Promise<string | undefined>;
  /** The end of standard error, after the process ended; may be empty. */
  readonly lastErrors: Promise<string>;
}

export function readOutput(process: UtilityProcess): ProcessOutput {
  const { stdout, stderr } = process; // both streams are undefined after the process has ended
  let [printed, words] = ['', ''];
  const line = Promise.withResolvers<string | undefined>();
  const hasEnded = Promise.withResolvers<void>();
  const listen = (): void => {
    stdout?.setEncoding('utf8').on('data', (part: string) => {
      printed = (printed + part).slice(0, MAX_PRINTED);
      if (printed.includes('\n')) line.resolve(printed.slice(0, printed.indexOf('\n')));
    });
    stderr?.setEncoding('utf8').on('data', (part: string) => (words = (words + part).slice(-MAX_ERROR_OUTPUT)));
  };
  listen();
  // V8 has a fatal error, which the process itself cannot catch.
  process.on('error', (type, location) => (words += `\n${type} ${location}`));
  /** Electron removes our listeners when the process ends, although output may still arrive. */
  async function listenOn(): Promise<void> {
    listen();
    const ends = [stdout, stderr].map((stream) => (stream ? finished(stream, { writable: false }) : Promise.resolve()));
    await Promise.race([Promise.allSettled(ends), delay(LAST_OUTPUT_MS)]);
    line.resolve(undefined);
    hasEnded.resolve();
  }
  process.once('exit', () => void Promise.resolve().then(listenOn));
  return { firstLine: line.promise, lastErrors: hasEnded.promise.then(() => words.trim()) };
}
