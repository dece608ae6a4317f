// The output of a forked process, including output that arrives just after its exit.

import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { UtilityProcess } from 'electron';

/** Its last output may arrive after its exit. */
const LAST_WORDS_MS = 500;
/** Maximum length of the kept errors and of the output, in characters. */
const MAX_WORDS = 4000;
const MAX_PRINTED = 16 * 1024 * 1024;

export interface Said {
  /** From its standard output; undefined if it exited before. The rest is read and discarded, so that it never blocks. */
  readonly firstLine: Promise<string | undefined>;
  /** The end of its standard error after its exit; may be empty. */
  readonly lastWords: Promise<string>;
}

export function listenTo(process: UtilityProcess): Said {
  const { stdout, stderr } = process; // after its end it has none
  let [printed, words] = ['', ''];
  const line = Promise.withResolvers<string | undefined>();
  const hasEnded = Promise.withResolvers<void>();
  const listen = (): void => {
    stdout?.setEncoding('utf8').on('data', (part: string) => {
      printed = (printed + part).slice(0, MAX_PRINTED);
      if (printed.includes('\n')) line.resolve(printed.slice(0, printed.indexOf('\n')));
    });
    stderr?.setEncoding('utf8').on('data', (part: string) => (words = (words + part).slice(-MAX_WORDS)));
  };
  listen();
  // A fault of V8 itself, which nobody could catch in there.
  process.on('error', (type, location) => (words += `\n${type} ${location}`));
  /** Electron removes our listeners at its exit, although output may still arrive. */
  async function listenOn(): Promise<void> {
    listen();
    const ends = [stdout, stderr].map((stream) => (stream ? finished(stream, { writable: false }) : Promise.resolve()));
    await Promise.race([Promise.allSettled(ends), delay(LAST_WORDS_MS)]);
    line.resolve(undefined);
    hasEnded.resolve();
  }
  process.once('exit', () => void Promise.resolve().then(listenOn));
  return { firstLine: line.promise, lastWords: hasEnded.promise.then(() => words.trim()) };
}
