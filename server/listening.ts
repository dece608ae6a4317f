// Where the gateway of a data directory listens, or listened last, and the links into its console: what the other processes
// that work on the directory go by. They see neither the gateway's flags nor the free port that it was given.

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
/** What earlier versions wrote the console's address to. */
const EARLIER_FILE = 'console.url';

const listening = z.object({
  port: z.int(),
  consolePort: z.int(),
  /** Null once the gateway has stopped; one that ended without a word leaves the address here. */
  consoleUrl: z.string().nullable().default(null),
  /** The console's address for this machine alone. */
  localConsoleUrl: z.string().nullable().default(null),
});

export type Listening = z.infer<typeof listening>;

/** How long a one-time link into the console lets somebody in. */
export const LINK_MS = 10 * 60 * 1000;

/** The one-time link of a code that the store made. */
export function linkInto(consoleUrl: string, code: string): string {
  return `${consoleUrl}/enter?code=${code}`;
}

/** Leaves no earlier address, which would mislead commands, where it fails; throws what the file system throws. */
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

/** Takes no space on a full disk. Returns false where that fails too, and removes the file. */
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

/** Undefined when no gateway has started there yet, or what it wrote cannot be read. */
export function readListening(dataDir: string): Listening | undefined {
  try {
    return listening.safeParse(JSON.parse(readFileSync(join(dataDir, FILE), 'utf8'))).data;
  } catch {
    return undefined;
  }
}
