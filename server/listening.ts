// The file in a data directory with the addresses at which its gateway listens. Commands that work on the same directory read
// this file, because they do not know the gateway's flags, or a port that the system chose. This module also makes links to the
// console.

import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

const FILE = 'listening.json';
/** The file in which earlier versions kept the console's address. */
const EARLIER_FILE = 'console.url';

const listening = z.object({
  port: z.int(),
  consolePort: z.int(),
  /** The console's address. Null after the gateway has stopped. If the gateway was killed, this is still the old address. */
  consoleUrl: z.string().nullable().default(null),
  /** The console's address for browsers on this machine. */
  localConsoleUrl: z.string().nullable().default(null),
});

export type Listening = z.infer<typeof listening>;

/** How long a one-time link to the console is valid. */
export const LINK_MS = 10 * 60 * 1000;

/** The one-time link to the console that contains this code. */
export function linkInto(consoleUrl: string, code: string): string {
  return `${consoleUrl}/enter?code=${code}`;
}

/**
 * Writes the file. If that fails, first makes sure that the file contains no old address, then throws the file system's error.
 */
export function writeListening(dataDir: string, { port, consolePort, consoleUrl, localConsoleUrl }: Listening): void {
  const text = `${JSON.stringify({ port, consolePort, consoleUrl, localConsoleUrl })}\n`;
  const path = join(dataDir, FILE);
  const fresh = `${path}.new`;
  try {
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    if (!overwrite(path, text)) throw error;
  }
  rmSync(join(dataDir, EARLIER_FILE), { force: true });
}

/**
 * Overwrites the file in place, because this needs no free space on a full disk. If that fails, removes the file and returns
 * false.
 */
function overwrite(path: string, text: string): boolean {
  try {
    const file = openSync(path, 'r+');
    try {
      ftruncateSync(file, writeSync(file, text));
    } finally {
      closeSync(file);
    }
    return true;
  } catch {
    rmSync(path, { force: true });
    return false;
  }
}

/** Reads the file. Undefined if no gateway has started on this data directory yet, or the file is unreadable. */
export function readListening(dataDir: string): Listening | undefined {
  try {
    return listening.safeParse(JSON.parse(readFileSync(join(dataDir, FILE), 'utf8'))).data;
  } catch {
    return undefined;
  }
}
