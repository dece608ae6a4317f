// Reads a key for a command from a file, from standard input or from an option. Other people cannot see a key from a file or
// standard input. They can see the value of an option in the process list and in the shell's history.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

import { UsageError } from '../errors.ts';

export interface GivenKey {
  readonly key: string;
  /** The option with which the user gave the key. Used in messages. */
  readonly option: string;
}

/** Maximum characters to read. No key is longer. */
const MAX_CHARACTERS = 8192;

/**
 * Reads the key from the `value` of `option`, or from the `file` of `option-file`. The file `-` means standard input. Resolves
 * to undefined if the user gave neither option. Rejects with a UsageError that names the option, never the key.
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
    // The message does not contain the file name, because a user may have typed the key itself there.
    throw new UsageError(`${option} must name a file with the key; this file cannot be read (${code}).`, {
      cause: error,
    });
  }
}

/** Reads a secret from a file, without the white space around it. Rejects with the file system's error. */
export async function readSecretFile(path: string): Promise<string> {
  return (await readHead(createReadStream(path))).trim();
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
