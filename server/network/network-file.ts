// The file in the data directory with the state of the network. Commands read it beside a running gateway; each change writes it
// again, and a stop removes it.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { NetworkView } from '../contract/network.ts';

const FILE = 'network.json';

/** Replaces the file. Throws the file system's error, and then leaves no old state that could mislead commands. */
export function writeNetworkFile(dataDir: string, view: NetworkView): void {
  const path = join(dataDir, FILE);
  const fresh = `${path}.new`;
  try {
    writeFileSync(fresh, `${JSON.stringify(view)}\n`, { mode: 0o600 });
    renameSync(fresh, path);
  } catch (error) {
    for (const each of [fresh, path]) rmSync(each, { force: true });
    throw error;
  }
}

/** Undefined if no gateway runs there, or the file is unreadable. After a kill, the old state remains. */
export function readNetworkFile(dataDir: string): NetworkView | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')) as NetworkView; // only a gateway writes it
  } catch {
    return undefined;
  }
}

export function removeNetworkFile(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true });
}
