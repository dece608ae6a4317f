// At which ports the gateway of a data directory listens, or listened last: it writes them down at each start, for commands,
// which see neither its flags nor the free port that it was given.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

const FILE = 'listening.json';
const listening = z.object({ port: z.int(), consolePort: z.int() });

export type Listening = z.infer<typeof listening>;

/** Throws what the file system throws. */
export function writeListening(dataDir: string, { port, consolePort }: Listening): void {
  writeFileSync(join(dataDir, FILE), `${JSON.stringify({ port, consolePort })}\n`, { mode: 0o600 });
}

/** Undefined when no gateway has started there yet, or what it wrote cannot be read. */
export function readListening(dataDir: string): Listening | undefined {
  try {
    return listening.safeParse(JSON.parse(readFileSync(join(dataDir, FILE), 'utf8'))).data;
  } catch {
    return undefined;
  }
}
