// Where the gateway of a data directory listens, or listened last, and the links into its console: what the other processes
// that work on the directory go by. They see neither the gateway's flags nor the free port that it was given.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** Leaves what was there where it fails, as on a full disk; throws what the file system throws. */
export function writeListening(dataDir: string, { port, consolePort, consoleUrl, localConsoleUrl }: Listening): void {
  const text = JSON.stringify({ port, consolePort, consoleUrl, localConsoleUrl });
  const fresh = join(dataDir, `${FILE}.new`);
  writeFileSync(fresh, `${text}\n`, { mode: 0o600 });
  renameSync(fresh, join(dataDir, FILE));
  rmSync(join(dataDir, EARLIER_FILE), { force: true });
}

/** Undefined when no gateway has started there yet, or what it wrote cannot be read. */
export function readListening(dataDir: string): Listening | undefined {
  try {
    return listening.safeParse(JSON.parse(readFileSync(join(dataDir, FILE), 'utf8'))).data;
  } catch {
    return undefined;
  }
}
