// Where a running gateway's console is, for the other processes that work on its data directory.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'console.url';

/** How long a one-time link into the console lets somebody in. */
export const LINK_MS = 10 * 60 * 1000;

/** The one-time link of a code that the store made. */
export function linkInto(consoleUrl: string, code: string): string {
  return `${consoleUrl}/enter?code=${code}`;
}

/** Keeps the address until the function it returns is called. */
export function publishConsoleAddress(dataDir: string, consoleUrl: string): () => void {
  const path = join(dataDir, FILE);
  writeFileSync(path, consoleUrl, { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

/** The address of the gateway that runs on a data directory, or ran there last and ended without a word. */
export function findConsoleAddress(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, FILE), 'utf8');
  } catch {
    return undefined;
  }
}
