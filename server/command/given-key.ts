// Reads a key for a command: privately from a file or standard input, or from an option, which the process list and the shell's
// history show.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

import { UsageError } from '../errors.ts';

export interface GivenKey {
  readonly key: string;
  /** The option that gave the key, for messages. */
  readonly option: string;
}

/** Maximum bytes to read; no key is longer. */
const MAX_CHARACTERS = 8192;

/**
 * The key from the `value` of `option`, or from the `file` of `option-file`, where `-` means standard input. Resolves to undefined if
 * neither is given. Rejects with a UsageError that names the option, never the key.
 */
export async function readGivenKey(
  option: string,
  value: string | undefined,
  file: string | undefined,
): Promise<GivenKey | undefined> {
  if (file === undefined) return value === undefined ? undefined : { key: value, option };
  if (value !== undefined) throw new UsageError(`${option} and ${option}-file are both given; leave out one of them.`);
  const key = (await readFrom(file, `${option}-file`)).trim();
  if (key === '') throw new UsageError(`${option}-file has no key in it.`);
  return { key, option: `${option}-file` };
}

async function readFrom(file: string, option: string): Promise<string> {
  if (file === '-' && process.stdin.isTTY) return askUnseen(process.stdin, process.stderr);
  try {
    return await readHead(file === '-' ? process.stdin : createReadStream(file));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Does not quote the file name: it may be the key itself.
    throw new UsageError(`${option} must name a file with the key; this file cannot be read (${code}).`, {
      cause: error,
    });
  }
}

async function readHead(stream: Readable): Promise<string> {
  let text = '';
  for await (const part of stream.setEncoding('utf8')) {
    text += String(part);
    if (text.length > MAX_CHARACTERS) break;
  }
  return text;
}

/** Asks for a secret at the terminal without showing what the user types. Resolves to the line; empty if cancelled. */
export function askUnseen(terminal: Readable, prompt: Writable): Promise<string> {
  prompt.write('Key (not shown): ');
  const unseen = new Writable({ write: (_part, _encoding, done) => done() });
  const line = createInterface({ input: terminal, output: unseen, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    line.once('line', (text) => {
      resolve(text);
      line.close();
    });
    line.once('close', () => {
      prompt.write('\n');
      resolve('');
    });
  });
}
