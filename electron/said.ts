// What a forked process says, also what comes just after its end.

import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { UtilityProcess } from 'electron';

/** Its last words may come after its end. */
const LAST_WORDS_MS = 500;
/** Of what it said last, and of what it prints, in characters. */
const MAX_WORDS = 4000;
const MAX_PRINTED = 16 * 1024 * 1024;

export interface Said {
  /** On its standard output; undefined where it ended before. The rest is read and thrown away, so that it never waits for us. */
  readonly firstLine: Promise<string | undefined>;
  /** The end of its standard error, once it has ended; may be empty. */
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
  /** Electron takes our listeners away at its end, though what was said last may still come. */
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
